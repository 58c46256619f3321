"""Values of Python in the model language, whose flow style takes JSON."""
from __future__ import annotations

import json
import math
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

_NOT_FINITE = {math.inf: ".inf", -math.inf: "-.inf"}


def _number(value: float) -> str:
    value = float(value)
    if math.isfinite(value):
        return repr(value)
    return _NOT_FINITE.get(value, ".nan")


def to_text(value: Any) -> str:
    """One line that the reader of models takes as this value."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return _number(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None:
        return "null"
    if isinstance(value, np.ndarray):
        return to_text(value.tolist())
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{to_text(str(k))}: {to_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Iterable):
        return "[" + ", ".join(map(to_text, value)) + "]"
    raise TypeError(f"a model has no values of type {type(value).__name__}: {value!r}")


def to_word(value: Any) -> str:
    """The same as a word of the command line, where texts have no quotes."""
    return value if isinstance(value, str) else to_text(value)


def to_override(name: str, value: Any) -> str:
    """As -p and --set have it. Texts stay as they are, so that '150 mm' and '= L/2' mean what they mean there."""
    return f"{name}={to_word(value)}"
