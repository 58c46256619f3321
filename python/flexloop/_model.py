"""Models: loaded from files or built in code, and the questions that they answer."""
from __future__ import annotations

import copy
import json
import os
import re
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _flexloop
from ._errors import Error, ModelWarning
from ._records import Record
from ._results import Equilibrium, Modes, Response, Run, StateSpace
from ._sections import Section, as_map, known_types
from ._values import to_override, to_text, to_word
from ._words import make_words

Names = Union[str, Iterable[str]]
State = Union[str, Mapping[str, float], None]
Progress = Union[bool, Callable[[float], Optional[bool]]]

_CODE = "model built in Python"  # what messages call it; lines of it become calls
_PLACE = re.compile(rf"^{_CODE}(?::(\d+))?(?::\d+)?(?=: )", re.MULTILINE)
_PLAIN = ("title", "gravity", "outputs", "formulation", "include")
_WARNING = re.compile(r"^(?:.*: )?warning: ")


def _list(names: Names | None) -> list[str]:
    return [] if names is None else [names] if isinstance(names, str) else list(names)


def _state(about: Any, at: float | None) -> dict[str, Any]:
    """The state that is linearised; ``{"time": 1.5}`` is how models say ``at=1.5``."""
    if isinstance(about, Mapping):
        about, at = None, about["time"]
    return {key: value for key, value in (("about", about), ("at", at)) if value is not None}


def _write_bar(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _split_warnings(messages: str) -> list[str]:
    """What the commands print beside their results; lines of progress are left out."""
    found: list[str] = []
    for line in re.sub(r"\r[^\n\r]*", "", messages).splitlines():
        if _WARNING.search(line):
            found.append(_WARNING.sub(lambda m: m.group(0)[: -len("warning: ")], line))
        elif found and line.startswith("  "):
            found[-1] += "\n" + line
    return found


class Model:
    """A machine with its controllers.

    ``fl.load("model.yaml")`` reads one; ``fl.Model()`` starts an empty one, whose sections are filled as
    ``m.nodes["A"] = [0, 0, 0]`` and ``m.joints.hinge("h1", between=["ground", "A"], axis=[0, 1, 0])``. It is checked
    when something is asked of it. Changes go through :meth:`set`.
    """

    _sections: dict[str, Any]

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
    def _open(cls, file: str, text: str | None, parameters: Mapping[str, Any] | None) -> "Model":
        model = cls()
        state = model.__dict__
        state["_tree"], state["_file"], state["_text"] = None, file, text
        state["_parameters"] = dict(parameters or {})
        model._machine()
        return model

    def copy(self) -> "Model":
        """Another model that can be changed on its own."""
        return copy.copy(self)

    def __copy__(self) -> "Model":
        other = type(self)()
        other.__dict__.update(self.__dict__)
        for name in ("_parameters", "_values", "_blocks"):
            other.__dict__[name] = dict(self.__dict__[name])
        other.__dict__["_tree"] = copy.deepcopy(self._tree)
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> "Model":
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
            if causes and not isinstance(causes[0], Exception):
                raise causes[0]  # Ctrl-C in a function of the user
            raise error from (causes[0] if causes else None)

    def _name_calls(self, text: str) -> str:
        def name(match: re.Match[str]) -> str:
            line = int(match.group(1) or 0)
            return self._lines[line - 1] if 0 < line <= len(self._lines) else "model"

        return _PLACE.sub(name, text.replace(self._file + ":", _CODE + ":")) if self._lines else text

    def _machine(self) -> "_flexloop.Model":
        if self._built is None:
            self.__dict__["_built"] = self._guard(self._build)
            self._warn(_split_warnings(self._name_calls(self._built.warnings)))
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
        return _split_warnings(self._name_calls(self._machine().warnings))

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

    # ---- analyses

    def _ask(self, command: str, words: list[tuple[str, list[str]]], progress: Progress = False,
             machine: "_flexloop.Model | None" = None) -> tuple[dict[str, Any], list[str]]:
        """A command of the program: its answer and its warnings."""
        machine = machine or self._machine()
        write = _write_bar if progress is True else None
        answer = self._guard(lambda: _flexloop.call(command, machine, words, write))
        found = _split_warnings(self._name_calls(answer["messages"]))
        self._warn(found)
        return answer, found

    def _call(self, command: str, options: Mapping[str, Any],
              progress: bool = False) -> tuple[dict[str, Any], str, list[str], bool]:
        """The same with options by name; for the results of its report."""
        answer, found = self._ask(command, make_words(command, options), progress)
        return json.loads(answer["json"]), answer["text"], found, answer["stopped"]

    def check(self) -> Record:
        """Counts, masses, freedoms, redundant constraints, mobility, and what is hardly meant (``findings``)."""
        return Record(*self._call("check", {}))

    def run(self, end: float | str | None = None, step: float | str | None = None, *, rho: float | None = None,
            about: State = None, progress: Progress = False, out: str | os.PathLike[str] | None = None) -> Run:
        """Simulates in time. What is not given is as ``analysis: time`` says.

        ``progress=True`` shows a bar; a function gets the time about twenty times a second, and ends the run if it
        returns False. Ctrl-C ends the run too: the result is what was recorded until then, and ``stopped`` is true.
        ``out`` is a folder for result.h5 and the log, as of the command line.
        """
        given = {"end": end, "step": step, "rho": rho, "start": about}
        values = {f"analysis.time.{key}": value for key, value in given.items() if value is not None}
        machine = self._changed(values)
        if out is not None:
            return self._run_to_folder(machine, os.fspath(out), progress)
        on_step = progress if callable(progress) else None
        write = _write_bar if progress is True else None
        try:
            run = Run(self._guard(lambda: _flexloop.run(machine, on_step, write)), machine, self._blocks)
        except Error as error:
            if hasattr(error, "_values"):
                error.result = Run(error._values, machine, self._blocks)
            raise
        self._warn(run.warnings)
        return run

    def _run_to_folder(self, machine: "_flexloop.Model", out: str, progress: Progress) -> Run:
        answer, found = self._ask("run", [("--out", [out])], progress, machine)
        return Run._from_csv(answer, machine, out, found)

    def equilibrium(self, *, steady: bool = False, find: str | None = None) -> Equilibrium:
        """Static equilibrium, or the steady motion that begins with the initial velocities."""
        return Equilibrium(*self._call("equilibrium", {"steady": steady, "find": find}))

    def modes(self, count: int | None = None, *, near: float | None = None, loop: str = "closed",
              method: str = "full", bodies: str = "flexible", about: State = None, at: float | None = None,
              compare: bool = False, **further: Any) -> Any:
        """Modes of the machine with its controllers.

        ``loop``: closed, open or locked. ``method``: full, undamped, 2n or 3n. ``about``: initial, equilibrium or
        steady; ``at``: a time of a simulation. With ``compare``, ``every``, ``sensitivity``, ``of``,
        ``find_stability_limit``, ``mac`` or ``matrices`` it is the report of the command line as a record.
        """
        options = {"count": count, "near": near, "loop": loop, "method": method, "bodies": bodies, **_state(about, at)}
        if compare or further:
            return Record(*self._call("modes", {**options, "compare": compare, **further}))
        given = {key: value for key, value in options.items() if value is not None}
        modes = Modes(self._guard(lambda: _flexloop.modes(self._machine(), given)))
        self._warn(modes.warnings)
        return modes

    def frf(self, inputs: Names | None = None, outputs: Names | None = None,
            frequencies: Iterable[float] | None = None, *, range: Any = None, points: int | None = None,
            linear: bool = False, cut: str | None = None, about: State = None,
            at: float | None = None) -> Response:
        """Frequency responses between signals or loads, in Hz; with ``cut`` those of the loop cut there, and margins."""
        options = {"from": _list(inputs), "to": _list(outputs), "linear": linear, **_state(about, at)}
        if frequencies is not None:
            options["frequencies"] = [float(f) for f in frequencies]
        if range is not None:
            options["range"] = range if isinstance(range, str) else ":".join(map(to_word, range))
        for key, value in (("points", points), ("cut", cut)):
            if value is not None:
                options[key] = value
        found = self._guard(lambda: _flexloop.frf(self._machine(), options))
        texts = _split_warnings(self._name_calls(found.messages))
        self._warn(texts)
        return Response(found, texts)

    def linearize(self, inputs: Names, outputs: Names, *, minimal: bool = False, about: State = None,
                  at: float | None = None) -> StateSpace:
        """State equations x' = A x + B w, y = C x + D w between signals or loads."""
        options = {"from": _list(inputs), "to": _list(outputs), "minimal": minimal, **_state(about, at)}
        found = self._guard(lambda: _flexloop.linearize(self._machine(), options))
        texts = _split_warnings(self._name_calls(found.messages))
        self._warn(texts)
        return StateSpace(found, texts)

    def identify(self, block: str, *, delta: float | None = None, order: str | None = None,
                 about: State = None, at: float | None = None) -> Record:
        """Gains of a block, such as a black box, by perturbation: ``.gains`` with ``.kp``, ``.ki``, ``.kd``."""
        return Record(*self._call("identify", {"block": block, "delta": delta, "order": order,
                                               **_state(about, at)}))

    def sweep(self, ranges: Mapping[str, Any] | str | Iterable[str], *span: Any, do: str = "modes",
              progress: bool = False, **options: Any) -> Record:
        """One analysis over ranges of parameters or values: ``m.sweep({"ki": (0, 320, 41)}, do="modes")``.

        A range is (from, to, count), an array of evenly spaced values, or a text ``"ki=0:320:41"``; a single one may be
        written ``m.sweep("ki", 0, 320, 41)``. ``do``: modes, equilibrium, run, frf or linearize, with their options
        (``inputs`` and ``outputs`` for signals), and ``jobs``, ``log`` and ``find_stability_limit`` of the command
        line. Ctrl-C ends it: the report is what there is by then, and ``stopped`` is true.
        """
        parameters, values = self._overrides()
        for text in _read_ranges({ranges: span if len(span) > 1 else span[0]} if span else ranges,
                                 bool(options.get("log"))):
            (values if "." in text.split("=")[0] else parameters).append(text)
        options = {"do": do, **options}
        for name, option in (("inputs", "from"), ("outputs", "to")):
            if name in options:
                options[option] = _list(options.pop(name))
        words = make_words("sweep", options)
        words += [("-p", parameters)] if parameters else []
        words += [("--set", values)] if values else []
        answer, found = self._ask("sweep", words, progress)
        return Record(json.loads(answer["json"]), answer["text"], found, answer["stopped"])

    def spectrum(self, channels: Names | None = None, **options: Any) -> Record:
        """Frequencies, dampings and amplitudes of what a run records; the model is run first."""
        return self.run().spectrum(channels, **options)

    def reduce(self, part: str | None = None, *, output: str | os.PathLike[str] | None = None,
               progress: bool = False) -> Record:
        """Reduces a part and tells how good that is; ``output`` keeps it for ``reduced: FILE.h5``."""
        return Record(*self._call("reduce", {"part": part, "o": output}, progress))

    # ---- display

    def __repr__(self) -> str:
        return f"<flexloop.Model {self._plain('title') or self._file!r}>"

    def _repr_html_(self) -> str:
        from ._display import model_html

        return model_html(self)

    def view(self, **options: Any) -> Any:
        """The machine and its modes in the viewer: inside of a notebook, else in the browser."""
        from ._display import view_model

        return view_model(self, **options)


def _set_key(entry: dict[str, Any], keys: list[str], value: Any) -> bool:
    for key in keys[:-1]:
        entry = entry.get(key)  # type: ignore[assignment]
        if not isinstance(entry, dict):
            return False
    entry[keys[-1]] = value
    return True


def _read_ranges(ranges: Mapping[str, Any] | str | Iterable[str], log: bool) -> list[str]:
    if isinstance(ranges, str):
        return [ranges]
    if not isinstance(ranges, Mapping):
        return list(ranges)
    return [f"{name}={values if isinstance(values, str) else _read_range(name, values, log)}"
            for name, values in ranges.items()]


def _read_range(name: str, values: Any, log: bool) -> str:
    if isinstance(values, tuple) and len(values) == 3:
        return f"{to_word(values[0])}:{to_word(values[1])}:{int(values[2])}"
    array = np.asarray(values, dtype=float)
    if array.ndim == 1 and len(array) > 1:
        even = (np.geomspace if log else np.linspace)(array[0], array[-1], len(array))
        if np.allclose(array, even, rtol=1e-9, atol=1e-12 * abs(array[-1] - array[0])):
            return f"{to_word(array[0])}:{to_word(array[-1])}:{len(array)}"
    raise ValueError(f"the range of '{name}' is neither (from, to, count), such as (0, 320, 41), nor evenly spaced; "
                     "for other values, call m.set() and the analysis in a loop")


def load(file: str | os.PathLike[str], parameters: Mapping[str, Any] | None = None) -> Model:
    """Reads a model file, with other values of its parameters where some are given. Raises ModelError."""
    return Model._open(os.fspath(file), None, parameters)


def loads(text: str, parameters: Mapping[str, Any] | None = None, *, name: str = "model.yaml") -> Model:
    """A model from its text. Messages call it ``name``, and files that it names are looked for beside that."""
    return Model._open(name, text, parameters)
