"""Files of models that depend on parameters, and what they are at one value of each."""
from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ._records import Record
from ._results import _plain, need
from ._values import to_word

if TYPE_CHECKING:
    import control
    import scipy.signal


class LpvPoint(Record):
    """A, B, C and D at one value of each parameter; of a sampled model from sample to sample."""

    @property
    def sample(self) -> float | None:
        """[s] of a sampled model; None of a continuous one."""
        return self._content.get("sample")

    def _matrices(self) -> list[np.ndarray]:
        sizes = {"A": ("A", "A"), "B": ("A", "inputs"), "C": ("outputs", "A"), "D": ("outputs", "inputs")}
        return [np.array(self._content[name], dtype=float).reshape([len(self._content[of]) for of in size])
                for name, size in sizes.items()]

    def to_scipy(self) -> "scipy.signal.StateSpace":
        signal = need("scipy.signal", "to_scipy()", "scipy")
        return signal.StateSpace(*self._matrices(), **({"dt": self.sample} if self.sample else {}))

    def to_control(self) -> "control.StateSpace":
        """For python-control, with the names of inputs and outputs."""
        control = need("control", "to_control()", "control")
        return control.ss(*self._matrices(), *([self.sample] if self.sample else []),
                          inputs=_plain(self.inputs), outputs=_plain(self.outputs))


class LpvFile:
    """A model that depends on parameters: its matrices at any value, and at all of its points."""

    def __init__(self, file: str, ask: Callable[[dict[str, Any]], Record]) -> None:
        self.file = file
        self._ask = ask

    @functools.cached_property
    def _about(self) -> Record:
        return self._ask({})

    @property
    def parameters(self) -> list[str]:
        return [axis["name"] for axis in self._about.to_dict()["parameters"]]

    @property
    def points(self) -> list[np.ndarray]:
        """The values of each parameter at which the machine was evaluated."""
        return [np.array(axis["points"], dtype=float) for axis in self._about.to_dict()["parameters"]]

    @property
    def inputs(self) -> list[str]:
        return list(self._about.to_dict()["inputs"])

    @property
    def outputs(self) -> list[str]:
        return list(self._about.to_dict()["outputs"])

    def at(self, *values: float) -> LpvPoint:
        answer = self._ask({"at": ",".join(to_word(value) for value in values)})
        return LpvPoint(answer.to_dict(), answer.text)

    def grid(self) -> list[tuple[tuple[float, ...], LpvPoint]]:
        """The values of the parameters and the model there, at all combinations of the points, the last changing fastest."""
        return [(values, self.at(*values)) for values in itertools.product(*(map(float, axis) for axis in self.points))]

    def to_control(self) -> "list[tuple[tuple[float, ...], control.StateSpace]]":
        """Of all points: the values of the parameters, and the model for python-control."""
        return [(values, point.to_control()) for values, point in self.grid()]

    def __repr__(self) -> str:
        return self._about.text.rstrip() or f"<flexloop.LpvFile {self.file}>"
