"""Blocks whose functions are written in Python."""
from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from . import _flexloop

Function = Callable[[float, np.ndarray, np.ndarray], Any]

_numbers = itertools.count(1)
_known: "weakref.WeakValueDictionary[str, Block]" = weakref.WeakValueDictionary()


def find(config: str) -> "Block":
    """For the compiled part: the block of this number."""
    return _known[config]


class Block:
    """See :func:`block`."""

    def __init__(self, output: Function, *, inputs: str | Iterable[str], outputs: str | Iterable[str],
                 states: int | Iterable[float] | Mapping[str, float], derivative: Function | None,
                 update: Function | None, jacobian: Function | None, sample: float | str | None,
                 options: Mapping[str, Any]) -> None:
        self.output, self.derivative, self.update, self.jacobian = output, derivative, update, jacobian
        self.inputs = [inputs] if isinstance(inputs, str) else list(inputs)
        self.outputs = [outputs] if isinstance(outputs, str) else list(outputs)
        if isinstance(states, Mapping):
            states = states.values()
        self.x0 = np.zeros(states) if isinstance(states, int) else np.array(list(states), dtype=float)
        self.sample, self.options = sample, dict(options)
        self.inputs_count, self.outputs_count = len(self.inputs), len(self.outputs)
        self._error: BaseException | None = None
        self._check()
        self._number = str(next(_numbers))
        _known[self._number] = self

    def _check(self) -> None:
        functions = {"output": self.output, "derivative": self.derivative, "update": self.update,
                     "jacobian": self.jacobian}
        for name, function in functions.items():
            if function is not None and not callable(function):
                raise TypeError(f"block: {name} is not a function")
        wanted, other = ("update", "derivative") if self.sample is not None else ("derivative", "update")
        if len(self.x0) and functions[wanted] is None:
            kind = "a sampled block" if self.sample is not None else "a block in continuous time"
            raise TypeError(f"block: the states of {kind} need {wanted}=")
        if functions[other] is not None:
            raise TypeError(f"block: {other}= is for blocks {'without' if self.sample is not None else 'with'} sample=")
        if self.sample is not None and self.jacobian is not None:
            raise TypeError("block: jacobian= is for blocks without sample=; samples are perturbed exactly")

    def __deepcopy__(self, memo: dict[int, Any]) -> "Block":
        return self  # it never changes, and models know it by its number

    def _to_item(self) -> dict[str, Any]:
        item: dict[str, Any] = {"path": _flexloop.__file__, "inputs": self.inputs, "outputs": self.outputs,
                                "config": self._number, "isolate": False, **self.options}
        if self.sample is not None:
            return {"type": "library", "sample": self.sample, **item}
        return {"type": "nonlinear", "states": len(self.x0), "x0": self.x0, **item}


def block(output: Function, *, inputs: str | Iterable[str], outputs: str | Iterable[str] = ("y",),
          states: int | Iterable[float] | Mapping[str, float] = (), derivative: Function | None = None,
          update: Function | None = None, jacobian: Function | None = None, sample: float | str | None = None,
          **options: Any) -> Block:
    """A block of a model in Python: ``m.blocks["c"] = fl.block(lambda t, x, u: -4 * u, inputs=["theta1"])``.

    In continuous time: y = output(t, x, u) and, with states, x' = derivative(t, x, u); ``states`` are those at the start.
    ``jacobian(t, x, u)`` may give the partial derivatives (fx, fu, hx, hu); otherwise they are found by differences.

    With ``sample``, at every instant: y = output(t, x, u) and then x = update(t, x, u).

    The functions depend on their arguments alone: they are called at trial values and again. x and u are arrays.
    ``options`` are further keys of the block types `nonlinear` and `library`, such as ``feedthrough`` and ``offset``.
    """
    return Block(output, inputs=inputs, outputs=outputs, states=states, derivative=derivative, update=update,
                 jacobian=jacobian, sample=sample, options=options)
