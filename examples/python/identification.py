"""Stiffness and damping of a machine from a record of its motion."""
import pathlib

import numpy as np
from scipy.optimize import least_squares

import flexloop as fl

MODELS = pathlib.Path(__file__).parents[2] / "models"
m = fl.load(MODELS / "pd_servo" / "model.yaml", parameters={"kp": 0, "kd": 0})

# The "measurement": another machine of this kind, with noise.
truth = {"k": 142.0, "c": 3.3}
machine = m.copy()
machine.set(truth)
record = machine.run(end=3, step=5e-3)["x"]
record = record + 2e-4 * np.random.default_rng(7).standard_normal(len(record))


def misfit(guess):
    m.set(k=guess[0], c=guess[1])
    return m.run(end=3, step=5e-3)["x"] - record


found = least_squares(misfit, [100, 7], x_scale=[100, 5])
sigma = np.sqrt(np.diag(np.linalg.inv(found.jac.T @ found.jac))) * 2e-4
for (name, true), value, error in zip(truth.items(), found.x, sigma):
    print(f"{name} = {value:.3f} ± {error:.3f} (truly {true:g})")
    assert abs(value - true) < 5 * error
