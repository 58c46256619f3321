"""Results without what is compiled, so that they can be copied and sent to other processes (pickle)."""
from __future__ import annotations

from typing import Any

import numpy as np


class Kept:
    """What a compiled result says, as plain values under the same names."""

    def __init__(self, values: Any) -> None:
        for name in dir(type(values)):
            found = None if name.startswith("_") else getattr(values, name)
            if found is not None and not callable(found):
                self.__dict__[name] = np.array(found) if isinstance(found, np.ndarray) else found
        self._count = len(values) if hasattr(values, "__len__") else 0
        self._json = values.json() if hasattr(values, "json") else ""
        count = len(values.names) if hasattr(values, "output") else 0
        self._outputs = [np.array(values.output(i)) for i in range(count)]
        self._shapes = [values.shape(i) for i in range(self._count)]
        self._stable = [values.is_stable(i) for i in range(self._count)]

    def __len__(self) -> int:
        return self._count

    def json(self) -> str:
        return self._json

    def output(self, index: int) -> np.ndarray:
        return self._outputs[index]

    def shape(self, index: int) -> dict[str, Any]:
        return self._shapes[index]

    def is_stable(self, index: int) -> bool:
        return self._stable[index]


class Sendable:
    """A result whose numbers are in ``_values``."""

    _values: Any

    def __getstate__(self) -> dict[str, Any]:
        is_compiled = type(self._values).__module__.endswith("_flexloop")
        return {**self.__dict__, "_values": Kept(self._values) if is_compiled else self._values}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
