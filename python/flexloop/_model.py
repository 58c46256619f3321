"""Models: loaded from files or built in code, and the questions that they answer."""
from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _flexloop
from ._content import Content, split_warnings
from ._errors import Error, ModelError
from ._records import Record
from ._results import Equilibrium, Modes, Response, StateSpace
from ._run import Run
from ._values import to_word
from ._words import make_words

Names = Union[str, Iterable[str]]
State = Union[str, Mapping[str, float], None]
Progress = Union[bool, Callable[[float], Optional[bool]]]


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


class Model(Content):
    """A machine with its controllers.

    ``fl.load("model.yaml")`` reads one; ``fl.Model()`` starts an empty one, whose sections are filled as
    ``m.nodes["A"] = [0, 0, 0]`` and ``m.joints.hinge("h1", between=["ground", "A"], axis=[0, 1, 0])``. It is checked
    when something is asked of it. Changes go through :meth:`set`.
    """

    def _ask(self, command: str, words: list[tuple[str, list[str]]], progress: Progress = False,
             machine: "_flexloop.Model | None" = None) -> tuple[dict[str, Any], list[str]]:
        """A command of the program: its answer and its warnings."""
        machine = machine or self._machine()
        write = _write_bar if progress is True else None
        answer = self._guard(lambda: _flexloop.call(command, machine, words, write))
        found = split_warnings(self._name_calls(answer["messages"]))
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
        except KeyboardInterrupt as interrupt:  # in a block of the user
            if not hasattr(interrupt.__cause__, "_values"):
                raise
            return Run(interrupt.__cause__._values, machine, self._blocks, stopped=True)
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
            if not options["frequencies"]:
                raise ValueError("frf: there are no frequencies")
        if range is not None:
            options["range"] = range if isinstance(range, str) else ":".join(map(to_word, range))
        for key, value in (("points", points), ("cut", cut)):
            if value is not None:
                options[key] = value
        found = self._guard(lambda: _flexloop.frf(self._machine(), options))
        texts = split_warnings(self._name_calls(found.messages))
        self._warn(texts)
        return Response(found, texts)

    def linearize(self, inputs: Names, outputs: Names, *, minimal: bool = False, about: State = None,
                  at: float | None = None) -> StateSpace:
        """State equations x' = A x + B w, y = C x + D w between signals or loads."""
        options = {"from": _list(inputs), "to": _list(outputs), "minimal": minimal, **_state(about, at)}
        found = self._guard(lambda: _flexloop.linearize(self._machine(), options))
        texts = split_warnings(self._name_calls(found.messages))
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
        given = {ranges: span if len(span) > 1 else span[0]} if span else ranges
        options = {"do": do, **options}
        for name, option in (("inputs", "from"), ("outputs", "to")):
            if name in options:
                options[option] = _list(options.pop(name))
        return self._over(given, "sweep", options, progress)

    def _over(self, ranges: Mapping[str, Any] | str | Iterable[str], command: str, options: Mapping[str, Any],
              progress: bool = False) -> Record:
        """A command over ranges, which are given to it beside the values that have been set."""
        parameters, values = self._overrides()
        for text in _read_ranges(ranges, bool(options.get("log"))):
            (values if "." in text.split("=")[0] else parameters).append(text)
        words = make_words(command, options)
        words += [("-p", parameters)] if parameters else []
        words += [("--set", values)] if values else []
        answer, found = self._ask(command, words, progress)
        return Record(json.loads(answer["json"]), answer["text"], found, answer["stopped"])

    def spectrum(self, channels: Names | None = None, **options: Any) -> Record:
        """Frequencies, dampings and amplitudes of what a run records; the model is run first."""
        return self.run().spectrum(channels, **options)

    def reduce(self, part: str | None = None, *, output: str | os.PathLike[str] | None = None,
               progress: bool = False) -> Record:
        """Reduces a part and tells how good that is; ``output`` keeps it for ``reduced: FILE.h5``."""
        return Record(*self._call("reduce", {"part": part, "o": output}, progress))

    def fmu(self, file: str | os.PathLike[str], inputs: Names = (), outputs: Names = (), *, version: int = 2,
            kind: str = "cs") -> Record:
        """Writes the model as an FMU for other tools; ``kind`` is "cs" (co-simulation) or "me" (model exchange)."""
        if self._blocks:
            raise ModelError(f"error: the functions of the block '{next(iter(self._blocks))}' are in Python, so an FMU cannot "
                             "take them along\n  hint: write them as equations, or as a library in C")
        return Record(*self._call("fmu", {"from": _list(inputs) or None, "to": _list(outputs), "version": version,
                                          "kind": kind, "o": file}))

    def lpv(self, ranges: Mapping[str, Any] | str | Iterable[str], inputs: Names, outputs: Names, *, order: int,
            file: str | os.PathLike[str], **options: Any) -> Record:
        """Writes one linear model for all values of a parameter, such as ``{"length": (0.33, 0.53, 9)}``; the report has
        its errors. ``fl.lpv(file, at=0.4)`` gives its matrices, and a block of type lpv uses it."""
        return self._over(ranges, "lpv", {"from": _list(inputs), "to": _list(outputs), "order": order, "o": file,
                                          **options})

    def design(self, method: str, inputs: Names, outputs: Names, *, file: str | os.PathLike[str] | None = None,
               ranges: Mapping[str, Any] | str | Iterable[str] = (), **options: Any) -> Record:
        """A controller, as of ``flexloop design``: ``m.design("lqg", ["force"], ["x"], R=1e-10, V=1e-12)``. ``file`` keeps
        its block, with ``ranges`` one for all values of a parameter; weights for single signals are lists."""
        return self._over(ranges, "design", {"method": method, "from": _list(inputs), "to": _list(outputs), "o": file,
                                             **options})

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
