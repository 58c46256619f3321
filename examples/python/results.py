"""A run and what can be made of it: arrays, tables, spectra, state equations, displays."""
import numpy as np
from scipy import signal

import flexloop as fl

# A model in code, as in a notebook.
m = fl.Model("a cart on a spring")
m.parameters["k"] = 100
m.nodes["cart"] = dict(position=[0, 0, 0], free=["x"], velocity=[1, 0, 0])
m.bodies["cart"] = dict(node="cart", mass=1)
m.springs.linear("spring", between=["ground", "cart"], direction=[1, 0, 0], stiffness="= k", damping=0.4)
m.sensors.displacement("x", node="cart", direction=[1, 0, 0])
# A controller in Python.
m.blocks["calm"] = fl.block(lambda t, x, u: -2 * u, inputs=["x.rate"])
m.actuators.force("motor", node="cart", direction=[1, 0, 0], input="calm")

r = m.run(end=6, step=1e-3)
print(r)
print(r.text)
print("greatest swing:", abs(r["x"]).max(), r.units["x"])

# The spectrum of the record agrees with the modes, and SciPy's simulation of the state equations with the run.
mode = m.modes()[0]
recorded = r.spectrum("x").channels[0].modes[0]
print(f"mode {mode.frequency_hz:.6f} Hz, recorded {recorded.frequency_hz:.6f} Hz")
assert abs(recorded.frequency_hz / mode.frequency_hz - 1) < 1e-4
system = m.linearize(["motor"], ["x"]).to_scipy()
_, y, _ = signal.lsim(system, np.zeros(len(r.time)), r.time, X0=[0, 1])
assert np.abs(y - r["x"]).max() < 1e-4

# What a notebook shows.
for thing in (m, r, m.modes(), m.frf(["motor"], ["x"])):
    print(type(thing).__name__, len(thing._repr_html_()), "characters of HTML")
try:
    print(r.to_pandas().describe())
except ImportError as missing:
    print(missing)
