"""Reports of the commands as objects: their JSON with attributes, and lists of numbers as arrays."""
from __future__ import annotations

import reprlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

_short = reprlib.Repr()
_short.maxother = 80


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def wrap(key: str, value: Any) -> Any:
    if key == "eigenvalue" and isinstance(value, list):
        return complex(*value)
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        if value and all(map(_is_number, value)):
            array = np.array(value, dtype=float)
            array.flags.writeable = False
            return array
        return [wrap("", entry) for entry in value]
    return value


class Record(Mapping):
    """What a command reports: ``r.points[0].modes`` or ``r["points"]``; ``text`` is what it prints."""

    def __init__(self, content: dict[str, Any], text: str = "", warnings: list[str] | None = None,
                 stopped: bool = False) -> None:
        self._content = content
        self.text = text
        self.warnings = warnings or []
        self.stopped = stopped  # by Ctrl-C; the report is what there was by then

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        if key not in self._content:
            raise AttributeError(f"there is no '{key}'; known: {', '.join(self._content)}")
        return self[key]

    def __getitem__(self, key: str) -> Any:
        return wrap(key, self._content[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._content]

    def to_dict(self) -> dict[str, Any]:
        """The JSON itself."""
        return self._content

    def __repr__(self) -> str:
        return self.text or "Record(" + ", ".join(f"{key}={_short.repr(self[key])}" for key in self) + ")"

    def _repr_html_(self) -> str:
        from ._display import record_html

        return record_html(self)
