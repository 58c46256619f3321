"""A servo on a mass between springs: gains from a wish, checked by modes and by a run."""
import pathlib

import numpy as np

import flexloop as fl

MODELS = pathlib.Path(__file__).parents[2] / "models"
m = fl.load(MODELS / "pd_servo" / "model.yaml")

# Wanted: 3 Hz and a damping ratio of 0.7. With mass 1: s² + (c + kd) s + (k + kp) = s² + 2ζω s + ω².
omega, zeta = 2 * np.pi * 3 / np.sqrt(1 - 0.7**2), 0.7
m.set(kp=omega**2 - m.get("k"), kd=2 * zeta * omega - m.get("c"))

mode = m.modes()[0]
print(f"mode: {mode.frequency_hz:.4f} Hz, damping ratio {mode.damping_ratio:.4f}")
assert abs(mode.frequency_hz - 3) < 1e-9 and abs(mode.damping_ratio - zeta) < 1e-9

run = m.run(end=1.5)
final = m.equilibrium()["x"]
overshoot = run["x"].max() / final - 1
print(f"under a push of 10 N: {1e3 * final:.3f} mm at rest, overshoot {100 * overshoot:.2f} %")
# Of a second-order system from rest: exp(−πζ/√(1 − ζ²)).
assert abs(overshoot - np.exp(-np.pi * zeta / np.sqrt(1 - zeta**2))) < 1e-3
