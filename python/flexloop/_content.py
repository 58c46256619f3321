"""What a model is: a file, a text or calls of Python, and the values that were set since."""
from __future__ import annotations

import copy
import os
import re
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Callable, TypeVar

from . import _flexloop
from ._errors import Error, ModelWarning
from ._sections import Section, as_map, known_types
from ._values import to_override, to_text

Self = TypeVar("Self", bound="Content")

_CODE = "model built in Python"  # what messages call it; lines of it become calls
_PLACE = re.compile(rf"^{_CODE}(?::(\d+))?(?::\d+)?(?=: )", re.MULTILINE)
_PLAIN = ("title", "gravity", "outputs", "formulation", "include")
# What is said of libraries whose code throws, which is no advice for functions of Python.
_THROWN = re.compile(r"black box '([^']*)' threw a C\+\+ exception in \w+( at t = \S+ s)?: ")
_OF_BOXES = "\n  hint: a box must catch its exceptions and return"
_WARNING = re.compile(r"^(?:.*: )?warning: ")


def split_warnings(messages: str) -> list[str]:
    """What the commands print beside their results; lines of progress are left out."""
    found: list[str] = []
    for line in re.sub(r"\r[^\n\r]*", "", messages).splitlines():
        if _WARNING.search(line):
            found.append(_WARNING.sub(lambda m: m.group(0)[: -len("warning: ")], line))
        elif found and line.startswith("  "):
            found[-1] += "\n" + line
    return found


class Content:
    """Where a model comes from, what its sections contain, and the machine that is made of it."""

    def __init__(self, title: str = "", *, folder: str | os.PathLike[str] = "") -> None:
        state = self.__dict__
        state["_tree"] = {"title": title} if title else {}
        state["_text"] = None
        state["_file"] = os.path.join(os.fspath(folder), _CODE) if folder else _CODE
        state["_parameters"], state["_values"] = {}, {}
        state["_built"], state["_lines"] = None, []
        state["_blocks"] = {}

    # ---- where it comes from

    @classmethod
    def _open(cls: type[Self], file: str, text: str | None, parameters: Mapping[str, Any] | None) -> Self:
        model = cls()
        state = model.__dict__
        state["_tree"], state["_file"], state["_text"] = None, file, text
        state["_parameters"] = dict(parameters or {})
        model._machine()
        return model

    def copy(self: Self) -> Self:
        """Another model that can be changed on its own."""
        return copy.copy(self)

    def __copy__(self: Self) -> Self:
        other = type(self)()
        other.__dict__.update(self.__dict__)
        for name in ("_parameters", "_values", "_blocks"):
            other.__dict__[name] = dict(self.__dict__[name])
        other.__dict__["_tree"] = copy.deepcopy(self._tree)
        return other

    def __deepcopy__(self: Self, memo: dict[int, Any]) -> Self:
        return copy.copy(self)

    def __getstate__(self) -> dict[str, Any]:
        """For other processes, which read the model again."""
        return {**self.__dict__, "_built": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # ---- the compiled model

    def _overrides(self, further: Mapping[str, Any] | None = None) -> tuple[list[str], list[str]]:
        values = {**self._values, **(further or {})}
        return ([to_override(*item) for item in self._parameters.items()],
                [to_override(*item) for item in values.items()])

    def _guard(self, action: Callable[[], Any]) -> Any:
        """Messages about a model built in code name the call in place of a line."""
        for block in self._blocks.values():
            block._error = None
        try:
            return action()
        except Error as error:
            text = self._name_calls(str(error))
            if text != str(error):
                error.args = (text,)
            causes = [block._error for block in self._blocks.values() if block._error is not None]
            if causes:
                error.args = (_THROWN.sub(r"a function of the block '\1' failed\2: ", error.args[0]).replace(_OF_BOXES, ""),)
            if causes and not isinstance(causes[0], Exception):
                raise causes[0] from error  # Ctrl-C in a function of the user
            raise error from (causes[0] if causes else None)

    def _name_calls(self, text: str) -> str:
        def name(match: re.Match[str]) -> str:
            line = int(match.group(1) or 0)
            return self._lines[line - 1] if 0 < line <= len(self._lines) else "model"

        return _PLACE.sub(name, text.replace(self._file + ":", _CODE + ":")) if self._lines else text

    def _machine(self) -> "_flexloop.Model":
        if self._built is None:
            self.__dict__["_built"] = self._guard(self._build)
            self._warn(split_warnings(self._name_calls(self._built.warnings)))
        return self._built

    def _build(self) -> "_flexloop.Model":
        if self._tree is not None:
            return _flexloop.parse(self._to_text(), self._file, *self._overrides())
        if self._text is not None:
            return _flexloop.parse(self._text, self._file, *self._overrides())
        return _flexloop.load(self._file, *self._overrides())

    def _changed(self, values: Mapping[str, Any]) -> "_flexloop.Model":
        """The machine with other values, for one analysis."""
        machine = self._machine()
        if not values:
            return machine
        return self._guard(lambda: machine.change(*self._overrides(values)))

    def _to_text(self) -> str:
        """One line for each entry, so that a line is a call."""
        rows = [("flexloop: 1", "model")]
        for section, content in self._tree.items():
            if not isinstance(content, dict):
                rows.append((f"{section}: {to_text(content)}", f"m.{section}"))
                continue
            rows.append((f"{section}:", f"m.{section}"))
            rows += [(f"  {to_text(name)}: {to_text(self._told(section, value))}", f'm.{section}["{name}"]')
                     for name, value in content.items()]
            if not content:
                rows.pop()
        self.__dict__["_lines"] = [call for _, call in rows]
        return "".join(line + "\n" for line, _ in rows)

    @staticmethod
    def _told(section: str, value: Any) -> Any:
        return value._to_item() if hasattr(value, "_to_item") else value

    def to_yaml(self) -> str:
        """The text of a model that was built in code, or read from a text or file, without what was set since."""
        if self._tree is not None:
            return self._to_text()
        if self._text is not None:
            return self._text
        with open(self._file, encoding="utf-8") as file:
            return file.read()

    # ---- sections

    def __getattr__(self, name: str) -> Any:
        if name in _PLAIN and not name.startswith("_"):
            return self._plain(name)
        if not name.startswith("_") and (name in known_types() or name in self._extra_sections()):
            return Section(self, name)
        raise AttributeError(f"a model has no '{name}'; its sections are {', '.join(known_types())}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _PLAIN and name not in known_types() and name not in self._extra_sections():
            raise AttributeError(f"a model has no '{name}'; its sections are {', '.join(known_types())}")
        if self._tree is None:
            if name in _PLAIN:
                raise AttributeError(f"'{name}' of a file cannot be replaced; use an empty fl.Model() for models in code")
            for key, entry in value.items():
                self._write(name, key, entry)
            return
        self._tree[name] = dict(value) if isinstance(value, Mapping) else value
        self.__dict__["_built"] = None

    @staticmethod
    def _extra_sections() -> tuple[str, ...]:
        return ("parameters", "diagrams", "assemblies", "instances")

    def _plain(self, name: str) -> Any:
        if self._tree is not None:
            return self._tree.get(name)
        machine = self._machine()
        return {"title": machine.title, "outputs": machine.outputs}.get(name)

    def _names(self, section: str) -> list[str]:
        if self._tree is not None:
            return list(self._tree.get(section, {}))
        if section == "parameters":
            return list(self._machine().parameters)
        return [name for of, name, _ in self._machine().items() if of == section]

    def _read(self, section: str, name: str) -> Any:
        if self._tree is not None:
            return self._tree.get(section, {})[name]
        if section == "parameters":
            return self._machine().parameters[name]
        item = self._machine().item(section, name)
        if item is None:
            raise KeyError(name)
        return item

    def _write(self, section: str, name: str, value: Any) -> None:
        if self._tree is not None:
            self._tree.setdefault(section, {})[name] = value
        elif section == "parameters":
            self._parameters[name] = value
        else:
            self._values[f"{section}.{name}"] = as_map(section, self._told(section, value))
        if hasattr(value, "_to_item"):
            self._blocks[name] = value
        self.__dict__["_built"] = None

    def _erase(self, section: str, name: str) -> None:
        if self._tree is None:
            raise TypeError("things of a file cannot be taken away; models built in code can lose theirs")
        del self._tree.get(section, {})[name]
        self.__dict__["_built"] = None

    # ---- values

    def set(self, path: str | Mapping[str, Any] | None = None, value: Any = None, /, **parameters: Any) -> None:
        """Changes a parameter (``"L"``) or any value by its path (``"joints.hinge1.axis"``), as -p and --set do.

        Several at once: ``m.set({"L": 0.2, "springs.k1.stiffness": 50})`` or ``m.set(L=0.2, kp=3)``. The model is
        checked, and stays as it was where that fails.
        """
        pairs = dict(path) if isinstance(path, Mapping) else {} if path is None else {path: value}
        before = dict(self.__dict__)
        state = self.__dict__
        state["_parameters"], state["_values"] = dict(self._parameters), dict(self._values)
        state["_tree"] = copy.deepcopy(self._tree)
        for name, new in {**pairs, **parameters}.items():
            if self._set_in_tree(name, new):
                state["_built"] = None
                continue
            target = self._values if "." in name else self._parameters
            target.pop(name, None)  # later ones win
            target[name] = new
        try:
            if self._built is None:
                self._machine()
            else:
                state["_built"] = self._guard(lambda: before["_built"].change(*self._overrides()))
        except BaseException:
            state.update(before)
            raise

    def _set_in_tree(self, path: str, value: Any) -> bool:
        """Of a model in code: changes what a call has given. False where there is nothing of the kind."""
        section, _, rest = path.partition(".") if "." in path else ("parameters", "", path)
        content = (self._tree or {}).get(section)
        if not isinstance(content, dict):
            return False
        if rest in content:
            content[rest] = value
            return True
        for name in content:
            if rest.startswith(name + ".") and isinstance(content[name], dict):
                return _set_key(content[name], rest[len(name) + 1:].split("."), value)
        return False

    def get(self, path: str) -> Any:
        """The value of a parameter or at a path, such as ``"joints.hinge1.axis"``, in SI units."""
        machine = self._machine()
        section, _, rest = path.partition(".")
        for of, name, _ in machine.items():
            if of == section and rest.startswith(name + "."):
                found: Any = machine.item(of, name)
                for key in rest[len(name) + 1:].split("."):
                    found = found.get(key) if isinstance(found, dict) else None
                if found is not None:
                    return found
        return self._guard(lambda: machine.number(path))

    @property
    def names(self) -> list[str]:
        """The outputs that a run records."""
        return self._machine().outputs

    @property
    def signals(self) -> list[str]:
        return self._machine().signals

    @property
    def warnings(self) -> list[str]:
        """What is not wrong but hardly meant."""
        return split_warnings(self._name_calls(self._machine().warnings))

    @staticmethod
    def _warn(texts: Iterable[str]) -> None:
        level = 2
        here = os.path.dirname(__file__)
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(here):
            frame = frame.f_back
            level += 1
        for text in texts:
            warnings.warn(text, ModelWarning, stacklevel=level - 1)


def _set_key(entry: dict[str, Any], keys: list[str], value: Any) -> bool:
    for key in keys[:-1]:
        entry = entry.get(key)  # type: ignore[assignment]
        if not isinstance(entry, dict):
            return False
    entry[keys[-1]] = value
    return True
