"""Gains that let the slowest mode of a chain of masses die out fastest, by SciPy's optimiser."""
import pathlib

from scipy.optimize import minimize

import flexloop as fl

MODELS = pathlib.Path(__file__).parents[2] / "models"
m = fl.load(MODELS / "three_mass_chain" / "model.yaml")


def decay(gains):
    """How slowly the slowest mode dies out [1/s]; the optimiser makes it small."""
    m.set(kp=gains[0], ki=0, kd=gains[1])
    return m.modes().eigenvalue.real.max()


start = [0, 0]
before = decay(start)
best = minimize(decay, start, method="Nelder-Mead",
                options={"maxfev": 120, "initial_simplex": [[0, 0], [5, 0], [0, -1]]})
print(f"without control the slowest mode decays with {-before:.4f} 1/s")
print(f"with kp = {best.x[0]:.3g} and kd = {best.x[1]:.3g} with {-best.fun:.4f} 1/s")
assert best.fun < 1.05 * before
