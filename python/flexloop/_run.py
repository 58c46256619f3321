"""What a simulation has recorded."""
from __future__ import annotations

import io
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _flexloop
from ._kept import Sendable
from ._records import Record
from ._results import need
from ._words import make_words

if TYPE_CHECKING:
    import pandas
    import xarray


class Recording(Sendable, Mapping):
    """Numbers over time, by name: ``r.time``, ``r["theta1"]``."""

    def __init__(self, values: Any, rename: Mapping[str, str] | None = None) -> None:
        self._values = values
        names = [(rename or {}).get(name, name) for name in values.names]
        self._index = {name: i for i, name in enumerate(names)}
        if len(self._index) < len(names):
            raise ValueError("two channels have the same name")

    @property
    def time(self) -> np.ndarray:
        """The recorded times [s]."""
        return self._values.time

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "time" and name not in self._index:
            return self.time
        if name not in self._index:
            raise KeyError(f"there is no output '{name}'; recorded: {', '.join(self._index)}")
        return self._values.output(self._index[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    @property
    def names(self) -> list[str]:
        """The outputs."""
        return list(self._index)

    @property
    def units(self) -> dict[str, str]:
        """Of the outputs, by name."""
        return dict(zip(self._index, self._values.units))

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with the time as index."""
        pandas = need("pandas", "to_pandas()", "pandas")
        return pandas.DataFrame({name: self[name] for name in self}, index=pandas.Index(self.time, name="time"))

    def to_xarray(self) -> "xarray.Dataset":
        """A data set over the time, with units."""
        xarray = need("xarray", "to_xarray()", "xarray")
        units = self.units
        variables = {name: ("time", self[name], {"units": units[name]}) for name in self}
        return xarray.Dataset(variables, coords={"time": ("time", self.time, {"units": "s"})})

    def to_csv(self, file: Any = None) -> str | None:
        """As ``flexloop run --csv`` writes it; the text itself where no file is given."""
        rows = [",".join(["time", *self])]
        rows += [",".join(map(repr, row)) for row in zip(self.time.tolist(), *(self[n].tolist() for n in self))]
        text = "\n".join(rows) + "\n"
        if file is None:
            return text
        with open(file, "w", encoding="utf-8") as target:
            target.write(text)
        return None

    def spectrum(self, channels: str | Iterable[str] | None = None, **options: Any) -> Record:
        """Frequencies, damping ratios and amplitudes of the outputs, as ``flexloop spectrum`` finds them."""
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "run.csv")
            self.to_csv(record)
            words = make_words("spectrum", {"RECORD": record, "channel": [channels] if isinstance(channels, str)
                                            else channels, **options})
            answer = _flexloop.call("spectrum", None, words, None)
        return Record(json.loads(answer["json"]), answer["text"])

    def __repr__(self) -> str:
        end = f" to {self.time[-1]:g} s" if len(self.time) else ""
        return f"<flexloop.{type(self).__name__} of {len(self.time)} times{end}: {', '.join(self)}>"


class Run(Recording):
    """What a simulation has recorded: ``r.time``, ``r["theta1"]``."""

    def __init__(self, values: "_flexloop.Run", machine: "_flexloop.Model",
                 blocks: Mapping[str, Any] | None = None, stopped: bool = False) -> None:
        super().__init__(values)
        self._machine = machine
        self._blocks = blocks  # functions of the user, as long as the machine lives
        self._folder: str | None = None
        self._stopped = stopped or values.stopped

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_machine": None, "_blocks": None}

    @classmethod
    def _from_csv(cls, answer: Mapping[str, Any], machine: "_flexloop.Model", folder: str,
                  warnings: list[str]) -> "Run":
        table = np.loadtxt(io.StringIO(answer["csv"]), delimiter=",", skiprows=1, ndmin=2)
        run = cls(_Table(table, machine, json.loads(answer["json"]), answer["text"], warnings,
                         answer["stopped"]), machine)
        run._folder = folder
        return run

    @property
    def stopped(self) -> bool:
        """Whether the run was ended before its time, by Ctrl-C or by the function that follows its progress."""
        return self._stopped

    @property
    def steps(self) -> int:
        return self._values.steps

    @property
    def iterations(self) -> int:
        return self._values.iterations

    @property
    def factorizations(self) -> int:
        return self._values.factorizations

    @property
    def wall_time(self) -> float:
        """How long it took [s]."""
        return self._values.wall_time

    @property
    def warnings(self) -> list[str]:
        return self._values.warnings

    @property
    def text(self) -> str:
        """The summary that the command line prints."""
        return self._values.text

    def view(self, **options: Any) -> Any:
        """The motion in the viewer: inside of a notebook, else in the browser. Without ``out=``, the run is repeated."""
        from ._display import view_run

        return view_run(self, **options)

    def _repr_html_(self) -> str:
        from ._display import run_html

        return run_html(self)


class _Table:
    """A run that the command line has written to its folder."""

    def __init__(self, table: np.ndarray, machine: "_flexloop.Model", report: dict[str, Any], text: str,
                 warnings: list[str], stopped: bool) -> None:
        self._columns = np.ascontiguousarray(table.T)
        self._columns.flags.writeable = False
        self.names, self.units = machine.outputs, machine.units
        self.time = self._columns[0]
        self.stopped, self.warnings, self.text = stopped, warnings, text
        self.steps = report.get("steps", 0)
        self.iterations = report.get("iterations", 0)
        self.factorizations = report.get("factorizations", 0)
        self.wall_time = float("nan")

    def output(self, index: int) -> np.ndarray:
        return self._columns[1 + index]
