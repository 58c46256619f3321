"""Flexible mechanisms together with their controllers.

    import flexloop as fl

    m = fl.load("model.yaml", parameters={"L": 0.2})
    m.set("joints.hinge1.axis", [0, 0, 1])
    r = m.run(end=2, step=1e-3)          # r.time, r["theta1"]
    m.modes(count=10)[0].frequency_hz
    m.linearize(["motor"], ["theta1"]).to_scipy()

The manual has a page about it: docs/manual/python.md.
"""
from __future__ import annotations

try:
    import numpy as _numpy  # noqa: F401  before the compiled part, which makes arrays
except ImportError as _error:
    raise ImportError("flexloop needs NumPy: install Debian's python3-numpy, or 'pip install numpy'") from _error

from ._blocks import Block, block
from ._errors import Error, ModelError, ModelWarning, NumericsError
from ._flexloop import version as __version__
from ._model import Model, load, loads
from ._records import Record
from ._results import Equilibrium, Mode, Modes, Response, StateSpace
from ._run import Recording, Run
from ._tools import help, lpv, part, read_record, scheme, spectrum

__all__ = [
    "Block", "Equilibrium", "Error", "Mode", "Model", "ModelError", "ModelWarning", "Modes", "NumericsError", "Record",
    "Recording", "Response", "Run", "StateSpace", "block", "help", "load", "loads", "lpv", "part", "read_record", "scheme",
    "spectrum",
]
