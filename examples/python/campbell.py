"""Frequencies of a blade over the speed at which it spins: a Campbell diagram."""
import pathlib

import numpy as np

import flexloop as fl

MODELS = pathlib.Path(__file__).parents[2] / "models"
m = fl.load(MODELS / "rotating_beam" / "model.yaml", parameters={"n": 8})

sweep = m.sweep({"eta": (0, 12, 5)}, count=4)
for point in sweep.points:
    frequencies = [2 * np.pi * mode.frequency_hz for mode in point.modes]
    print(f"speed {point.parameters.eta:4.1f}: " + "  ".join(f"{w:8.4f}" for w in frequencies))

# Out of its plane the blade has these first frequencies (Wright and others, 1982).
for eta, known in ((0, 3.5160), (3, 4.7973), (6, 7.3604), (12, 13.1702)):
    point = next(p for p in sweep.points if p.parameters.eta == eta)
    nearest = min((2 * np.pi * mode.frequency_hz for mode in point.modes), key=lambda w: abs(w - known))
    assert abs(nearest / known - 1) < 1e-3
