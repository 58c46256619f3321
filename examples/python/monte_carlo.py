"""Tolerances of a chain of masses: how the damping of its slowest mode scatters."""
import pathlib

import numpy as np

import flexloop as fl

MODELS = pathlib.Path(__file__).parents[2] / "models"
m = fl.load(MODELS / "three_mass_chain" / "model.yaml", parameters={"kp": 0, "ki": 0, "kd": -0.82})
dice = np.random.default_rng(1)

samples = []
for _ in range(200):
    k1, k2, k3 = 100 * (1 + 0.05 * dice.standard_normal(3))  # five per cent each
    m.set({"springs.k1.stiffness": k1, "springs.k2.stiffness": k2, "springs.k3.stiffness": k3})
    samples.append(m.modes().damping_ratio.min())
worst = np.array(samples)

print(f"least damping ratio of 200 machines: {worst.mean():.4f} ± {worst.std():.4f}, worst {worst.min():.4f}")
print(f"{np.mean(worst > 0):.0%} of them are stable")
assert 0 < np.mean(worst > 0) < 1
