"""The modes of many variants at once. Analyses leave Python's lock to others, so threads share the cores."""
import pathlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import flexloop as fl

MODELS = pathlib.Path(__file__).parents[2] / "models"
heights = np.linspace(20e-3, 80e-3, 12)


def first_frequency(height):
    m = fl.load(MODELS / "timoshenko_modes" / "model.yaml", parameters={"h": height, "n": 10})
    return m.modes(count=1).frequency_hz[0]


with ThreadPoolExecutor() as pool:
    frequencies = list(pool.map(first_frequency, heights))
for height, frequency in zip(heights, frequencies):
    print(f"{1e3 * height:5.1f} mm: {frequency:8.3f} Hz")

assert frequencies == [first_frequency(h) for h in heights]  # the same bits one after the other
# Of a slender cantilever 1 m long: 1.8751² √(EI/ρA)/2π.
slender = 1.8751041**2 / (2 * np.pi) * heights[0] * np.sqrt(210e9 / 12 / 7850)
assert abs(frequencies[0] / slender - 1) < 2e-3
