"""What analyses give: numbers as read-only arrays of NumPy that share the memory of the result."""
from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Iterable

import numpy as np

from . import _flexloop
from ._records import Record, wrap
from ._words import make_words

if TYPE_CHECKING:
    import control
    import pandas
    import scipy.signal
    import xarray


def _need(module: str, what: str, package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} needs the package '{package}', which is not installed; "
                          f"'pip install {package}' installs it") from error


class Run(Mapping):
    """What a simulation has recorded: ``r.time``, ``r["theta1"]``."""

    def __init__(self, values: "_flexloop.Run", machine: "_flexloop.Model",
                 blocks: Mapping[str, Any] | None = None) -> None:
        self._values = values
        self._machine = machine
        self._blocks = blocks  # functions of the user, as long as the machine lives
        self._index = {name: i for i, name in enumerate(values.names)}
        self._folder: str | None = None

    @classmethod
    def _from_csv(cls, answer: Mapping[str, Any], machine: "_flexloop.Model", folder: str,
                  warnings: list[str]) -> "Run":
        table = np.loadtxt(io.StringIO(answer["csv"]), delimiter=",", skiprows=1, ndmin=2)
        run = cls(_Table(table, machine, json.loads(answer["json"]), answer["text"], warnings,
                         answer["stopped"]), machine)
        run._folder = folder
        return run

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

    @property
    def stopped(self) -> bool:
        """Whether the run was ended before its time, by Ctrl-C or by the function that was told of its progress."""
        return self._values.stopped

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

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with the time as index."""
        pandas = _need("pandas", "to_pandas()", "pandas")
        return pandas.DataFrame({name: self[name] for name in self}, index=pandas.Index(self.time, name="time"))

    def to_xarray(self) -> "xarray.Dataset":
        """A data set over the time, with units."""
        xarray = _need("xarray", "to_xarray()", "xarray")
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
        import os
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "run.csv")
            self.to_csv(record)
            words = make_words("spectrum", {"RECORD": record, "channel": [channels] if isinstance(channels, str)
                                            else channels, **options})
            answer = _flexloop.call("spectrum", None, words, None)
        return Record(json.loads(answer["json"]), answer["text"])

    def view(self, **options: Any) -> Any:
        """The motion in the viewer: inside of a notebook, else in the browser. Without ``out=``, the run is repeated."""
        from ._display import view_run

        return view_run(self, **options)

    def __repr__(self) -> str:
        end = f" to {self.time[-1]:g} s" if len(self.time) else ""
        return f"<flexloop.Run of {len(self.time)} times{end}: {', '.join(self)}>"

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


class Mode:
    """One mode: a pair of conjugate roots, or a real one."""

    def __init__(self, modes: "Modes", index: int) -> None:
        self._modes = modes
        self._index = index

    @property
    def eigenvalue(self) -> complex:
        """[1/s]; of a conjugate pair the one with im ≥ 0."""
        return complex(self._modes.eigenvalue[self._index])

    @property
    def frequency_hz(self) -> float:
        return float(self._modes.frequency_hz[self._index])

    @property
    def damping_ratio(self) -> float:
        return float(self._modes.damping_ratio[self._index])

    @property
    def uncertainty(self) -> float:
        """[1/s] of the eigenvalue, by rounding."""
        return float(self._modes._values.uncertainty[self._index])

    @property
    def stable(self) -> bool:
        return self._modes._values.is_stable(self._index)

    @property
    def shape(self) -> dict[str, Any]:
        """``shape["nodes"]["A"]["displacement"]`` and ``["rotation"]`` in ground axes, ``shape["states"]`` and
        ``shape["signals"]`` by name; complex numbers."""
        return self._modes._values.shape(self._index)

    @property
    def name(self) -> str:
        """What moves, in words."""
        return self.describe()["name"]

    def describe(self) -> Record:
        """What the command line says of it in JSON: energy, participation, where its damping comes from."""
        return Record(self._modes.to_dict()["modes"][self._index])

    def __repr__(self) -> str:
        root = self.eigenvalue
        mark = "" if self.stable else ", unstable"
        return f"<Mode {self.frequency_hz:.6g} Hz, damping {self.damping_ratio + 0.0:.4g}, {root:.6g} 1/s{mark}>"


class Modes(Sequence):
    """Modes by frequency. A list of :class:`Mode`; the same attributes of the list are arrays over all of them."""

    def __init__(self, values: "_flexloop.Modes") -> None:
        self._values = values
        self._report: dict[str, Any] | None = None

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if isinstance(index, str):
            return self.modes if index == "modes" else wrap(index, self.to_dict()[index])
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"there are {len(self)} modes")
        return Mode(self, number)

    @property
    def modes(self) -> list[Mode]:
        return list(self)

    @property
    def eigenvalue(self) -> np.ndarray:
        return self._values.eigenvalue

    eigenvalues = eigenvalue

    @property
    def frequency_hz(self) -> np.ndarray:
        return self._values.frequency_hz

    @property
    def damping_ratio(self) -> np.ndarray:
        return self._values.damping_ratio

    @property
    def verdict(self) -> str:
        """stable, unstable or unknown: of all modes of the machine, listed or not."""
        return self._values.verdict

    @property
    def stable(self) -> bool:
        """Whether it is certain that nothing grows."""
        return self.verdict == "stable"

    @property
    def growing(self) -> int:
        return self._values.growing

    @property
    def warnings(self) -> list[str]:
        return self._values.warnings

    @property
    def text(self) -> str:
        """The table that the command line prints."""
        return self._values.text

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``flexloop modes``."""
        if self._report is None:
            self._report = json.loads(self._values.json())
        return self._report

    def to_pandas(self) -> "pandas.DataFrame":
        pandas = _need("pandas", "to_pandas()", "pandas")
        return pandas.DataFrame({"frequency_hz": self.frequency_hz, "damping_ratio": self.damping_ratio,
                                 "eigenvalue": self.eigenvalue, "stable": [mode.stable for mode in self]})

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from ._display import modes_html

        return modes_html(self)


class Response:
    """Frequency responses H(i 2π f) between signals."""

    def __init__(self, values: "_flexloop.Response", warnings: list[str]) -> None:
        self._values = values
        self.warnings = warnings

    @property
    def frequency_hz(self) -> np.ndarray:
        return self._values.frequency_hz

    @property
    def H(self) -> np.ndarray:
        """By frequency, output and input."""
        return self._values.values

    @property
    def inputs(self) -> list[str]:
        return self._values.inputs

    @property
    def outputs(self) -> list[str]:
        return self._values.outputs

    def __getitem__(self, key: Any) -> Any:
        """``r["theta1"]`` from the only input, or ``r["theta1", "motor"]``; also ``frequency_hz``, ``responses`` and
        ``margins``, as in the JSON of the command line."""
        if isinstance(key, tuple):
            output, source = key
            return self.H[:, self.outputs.index(output), self.inputs.index(source)]
        if key in self.outputs:
            if len(self.inputs) != 1:
                raise KeyError(f"'{key}' has several inputs; r['{key}', '{self.inputs[0]}'] is from the first")
            return self.H[:, self.outputs.index(key), 0]
        return getattr(self, key) if key in ("frequency_hz", "responses", "margins") else wrap(key, self.to_dict()[key])

    @property
    def responses(self) -> list[Record]:
        """As in the JSON of the command line: ``input``, ``output``, ``re``, ``im``."""
        return [Record(entry) for entry in self.to_dict()["responses"]]

    @property
    def margins(self) -> Record | None:
        """Of a loop that is cut: gain, phase, delay and disk margins; None of other responses."""
        return Record(self.to_dict()["margins"]) if self._values.has_loop else None

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``flexloop frf``."""
        return json.loads(self._values.json())

    def to_xarray(self) -> "xarray.DataArray":
        xarray = _need("xarray", "to_xarray()", "xarray")
        return xarray.DataArray(self.H, dims=("frequency_hz", "output", "input"), coords={
            "frequency_hz": self.frequency_hz, "output": self.outputs, "input": self.inputs})

    def __repr__(self) -> str:
        return (f"<flexloop.Response of {len(self.frequency_hz)} frequencies: "
                f"{', '.join(self.inputs)} → {', '.join(self.outputs)}>")

    def _repr_html_(self) -> str:
        from ._display import response_html

        return response_html(self)


class StateSpace:
    """State equations x' = A x + B w, y = C x + D w."""

    def __init__(self, values: "_flexloop.StateSpace", warnings: list[str]) -> None:
        self._values = values
        self.warnings = warnings

    @property
    def A(self) -> np.ndarray:
        return self._values.A

    @property
    def B(self) -> np.ndarray:
        return self._values.B

    @property
    def C(self) -> np.ndarray:
        return self._values.C

    @property
    def D(self) -> np.ndarray:
        return self._values.D

    @property
    def states(self) -> list[str]:
        return self._values.states

    @property
    def inputs(self) -> list[str]:
        return self._values.inputs

    @property
    def outputs(self) -> list[str]:
        return self._values.outputs

    def to_scipy(self) -> "scipy.signal.StateSpace":
        signal = _need("scipy.signal", "to_scipy()", "scipy")
        return signal.StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> "control.StateSpace":
        """For python-control, with the names of states, inputs and outputs."""
        control = _need("control", "to_control()", "control")
        return control.ss(self.A, self.B, self.C, self.D, states=_plain(self.states), inputs=_plain(self.inputs),
                          outputs=_plain(self.outputs))

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``flexloop linearize``."""
        return json.loads(self._values.json())

    def __getitem__(self, key: str) -> Any:
        if key in ("A", "B", "C", "D", "states", "inputs", "outputs"):
            return getattr(self, key)
        return wrap(key, self.to_dict()[key])

    def __repr__(self) -> str:
        return (f"<flexloop.StateSpace of {len(self.states)} states: "
                f"{', '.join(self.inputs)} → {', '.join(self.outputs)}>")

    def _repr_html_(self) -> str:
        from ._display import state_space_html

        return state_space_html(self)


def _plain(names: list[str]) -> list[str]:
    """python-control separates names by dots."""
    return [name.replace(".", "_") for name in names]


class Equilibrium(Mapping):
    """The outputs at equilibrium: ``e["tip.x"]``."""

    def __init__(self, report: dict[str, Any], text: str, warnings: list[str], stopped: bool = False) -> None:
        self._report = report
        self.text = text
        self.warnings = warnings

    @property
    def outputs(self) -> dict[str, float]:
        return self._report["outputs"]

    @property
    def iterations(self) -> int:
        return self._report["iterations"]

    def __getitem__(self, name: str) -> Any:
        outputs = self.outputs
        if name in outputs:
            return outputs[name]
        if name in self._report:
            return self._report[name]
        raise KeyError(f"there is no output '{name}'; known: {', '.join(outputs)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.outputs)

    def __len__(self) -> int:
        return len(self.outputs)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``flexloop equilibrium``."""
        return self._report

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from ._display import equilibrium_html

        return equilibrium_html(self)
