"""The sections of a model as mappings from names to what the file would say there."""
from __future__ import annotations

import difflib
import functools
from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Callable

from . import _flexloop

if TYPE_CHECKING:
    from ._content import Content


@functools.cache
def known_types() -> dict[str, dict[str, tuple[str, list[tuple[str, bool, str]]]]]:
    """By section and type, what the registry says: its meaning, and its keys."""
    sections: dict[str, dict[str, Any]] = {}
    for section, kind, doc, keys in _flexloop.types():
        sections.setdefault(section, {})[kind] = (doc, keys)
    return sections


def describe_type(section: str, kind: str) -> str:
    doc, keys = known_types()[section][kind]
    lines = [doc, "", "Keys:"]
    lines += [f"  {name}{' (required)' if required else ''}: {what}" for name, required, what in keys]
    return "\n".join(lines)


class Section(MutableMapping):
    """One section: ``m.nodes["A"] = [0, 0, 0]``, or by type ``m.joints.hinge("h1", between=["ground", "A"])``."""

    def __init__(self, model: "Content", name: str) -> None:
        self._model = model
        self._name = name

    def __getitem__(self, name: str) -> Any:
        return self._model._read(self._name, name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._model._write(self._name, name, value)

    def __delitem__(self, name: str) -> None:
        self._model._erase(self._name, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._model._names(self._name))

    def __len__(self) -> int:
        return len(self._model._names(self._name))

    def __call__(self, name: str, **values: Any) -> None:
        """Adds an entry whose keys are given by name."""
        self[name] = values

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *known_types().get(self._name, {})]

    def __getattr__(self, kind: str) -> Callable[..., None]:
        types = known_types().get(self._name, {})
        if kind.startswith("_") or kind not in types:
            near = difflib.get_close_matches(kind, types, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise AttributeError(f"{self._name} has no type '{kind}'{hint}")

        def add(name: str, **values: Any) -> None:
            self[name] = {("measure" if self._name == "sensors" else "type"): kind, **values}

        add.__name__ = add.__qualname__ = kind
        add.__doc__ = describe_type(self._name, kind)
        return add

    def __repr__(self) -> str:
        return f"{self._name}: {{{', '.join(self)}}}"


def as_map(section: str, value: Any) -> Any:
    """What may replace a map in a file, as one."""
    if section == "nodes" and not isinstance(value, (Mapping, str)):
        return {"position": value}
    return value
