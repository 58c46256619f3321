"""What goes wrong, with the text that the command line prints."""
from __future__ import annotations

import re
from typing import Any

_MESSAGE = re.compile(r"(?:^|: )error: (.*)", re.MULTILINE)
_HINT = re.compile(r"^  hint: (.*)", re.MULTILINE)


class Error(Exception):
    """Anything that ends a calculation: a file that cannot be written, memory that is missing."""

    #: What was computed before, where there is anything.
    result: Any = None

    def __init__(self, text: str = "") -> None:
        super().__init__(text)

    @property
    def messages(self) -> list[str]:
        """What is wrong, one entry for each mistake, without places and hints."""
        return _MESSAGE.findall(str(self))

    @property
    def hint(self) -> str:
        """What would help; empty if nothing is known."""
        found = _HINT.search(str(self))
        return found.group(1) if found else ""


class ModelError(Error, ValueError):
    """A model that cannot be, or a question that does not suit it: exit code 2 of the program."""


class NumericsError(Error, ArithmeticError):
    """A search that does not converge: exit code 3 of the program. ``result`` is what a run recorded before."""


class ModelWarning(UserWarning):
    """What is not wrong but hardly meant."""
