"""Keyword arguments as options of the commands, by the tables that the command line reads."""
from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _flexloop
from ._values import to_word


@functools.cache
def _commands() -> dict[str, dict[str, tuple[str, str, str, bool, bool]]]:
    """By command and keyword: the name of the option and what the table says of it."""
    tables: dict[str, dict[str, tuple[str, str, str, bool, bool]]] = {}
    for command, _, options in _flexloop.commands():
        table = tables.setdefault(command, {})
        for names, value, meaning, is_list, is_required in options:
            for name in names.lstrip("!").split(","):
                table[name.lstrip("-").replace("-", "_")] = (name, value, meaning, is_list, is_required)
    return tables


def find_option(command: str, keyword: str) -> str:
    table = _commands()[command]
    if keyword not in table:
        near = difflib.get_close_matches(keyword, table, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise TypeError(f"{command}() has no option '{keyword}'{hint}")
    return table[keyword][0]


def make_words(command: str, options: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """None and False are options that are not given."""
    words = []
    for keyword, value in options.items():
        name = find_option(command, keyword)
        if value is None or value is False:
            continue
        if value is True:
            words.append((name, ["10"] if keyword == "sensitivity" else []))
        elif isinstance(value, (str, os.PathLike)):
            words.append((name, [os.fspath(value)]))
        elif isinstance(value, Iterable):
            words.append((name, [to_word(entry) for entry in value]))
        else:
            words.append((name, [to_word(value)]))
    return words
