"""Commands that need no model."""
from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _flexloop
from ._lpv import LpvFile, LpvPoint
from ._records import Record
from ._run import Recording
from ._values import to_word
from ._words import make_words


def _call(command: str, options: dict[str, Any]) -> Record:
    answer = _flexloop.call(command, None, make_words(command, options), None)
    return Record(json.loads(answer["json"]), answer["text"])


def scheme(**options: Any) -> Record:
    """Spectral properties of a time scheme: ``fl.scheme(rho=0.8)``; options as of ``flexloop scheme``."""
    return _call("scheme", options)


def spectrum(record: str | os.PathLike[str], channels: str | Iterable[str] | None = None, **options: Any) -> Record:
    """Frequencies, damping ratios and amplitudes of a recorded run: result.h5 or CSV."""
    names = [channels] if isinstance(channels, str) else channels
    return _call("spectrum", {"RECORD": os.fspath(record), "channel": names, **options})


def read_record(file: str | os.PathLike[str], rename: Mapping[str, str] | None = None) -> Recording:
    """Numbers over time from a file: a result or CSV of a run, or what MATLAB, Simulink and OpenFAST have written.

    Numbers with a known unit are SI. ``rename={"RotSpeed": "rotor_speed"}`` gives them other names.
    """
    values = _flexloop.read_record(os.fspath(file))
    for name in rename or {}:
        if name not in values.names:
            raise KeyError(f"there is no '{name}' in {os.fspath(file)}; it has {', '.join(values.names)}")
    return Recording(values, rename)


def lpv(file: str | os.PathLike[str], at: float | Iterable[float] | None = None) -> LpvFile | LpvPoint:
    """A model that depends on parameters: ``fl.lpv("arm.lpv").at(0.4)`` has its matrices A, B, C and D at one value of each,
    and ``fl.lpv("arm.lpv", 0.4)`` is short for it."""
    known = LpvFile(os.fspath(file), lambda options: _call("lpv", {"MODEL": os.fspath(file), **options}))
    return known if at is None else known.at(*(at if isinstance(at, Iterable) and not isinstance(at, str) else [at]))


def part(mesh: str | os.PathLike[str], **options: Any) -> Record:
    """What is in a mesh: mass, inertia, quality of elements, modes. Options as of ``flexloop part``: E, nu, rho, unit."""
    return _call("part", {"MESH": os.fspath(mesh), **options})


def help(word: str = "") -> None:
    """Prints what the manual says about a word, such as ``fl.help("joints.hinge")``."""
    words = make_words("help", {"TOPIC": word.split()}) if word else []
    print(_flexloop.call("help", None, words, None)["text"], end="")
