"""Gain and phase margins of a position loop over its integral gain."""
import pathlib

import numpy as np

import flexloop as fl

MODELS = pathlib.Path(__file__).parents[2] / "models"
m = fl.load(MODELS / "pid_integral" / "model.yaml")

print("   ki   phase margin   delay margin   highest sensitivity")
for ki in np.linspace(20, 150, 6):
    m.set("ki", ki)
    loop = m.frf(cut="motor", points=50).margins
    print(f"{ki:5.0f}   {loop.phase_margin.degrees:9.2f} °   {1e3 * loop.delay_margin:9.2f} ms   "
          f"{loop.highest_sensitivity:10.3f}")
    # At the crossover the loop L = (2 s² + 4 s + ki)/(s (s² + 8 s + 12)) has the size one.
    s = 2j * np.pi * loop.phase_margin.frequency_hz
    assert abs(abs((2 * s**2 + 4 * s + ki) / (s * (s**2 + 8 * s + 12))) - 1) < 1e-9
