"""What analyses give: numbers as read-only arrays of NumPy that share the memory of the result."""
from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _flexloop
from ._kept import Sendable
from ._records import Record, wrap

if TYPE_CHECKING:
    import control
    import pandas
    import scipy.signal
    import xarray


def need(module: str, what: str, package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} needs the package '{package}', which is not installed; "
                          f"'pip install {package}' installs it") from error


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


class Modes(Sendable, Sequence):
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
        pandas = need("pandas", "to_pandas()", "pandas")
        return pandas.DataFrame({"frequency_hz": self.frequency_hz, "damping_ratio": self.damping_ratio,
                                 "eigenvalue": self.eigenvalue, "stable": [mode.stable for mode in self]})

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from ._display import modes_html

        return modes_html(self)


class Response(Sendable):
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
        xarray = need("xarray", "to_xarray()", "xarray")
        return xarray.DataArray(self.H, dims=("frequency_hz", "output", "input"), coords={
            "frequency_hz": self.frequency_hz, "output": self.outputs, "input": self.inputs})

    def __repr__(self) -> str:
        return (f"<flexloop.Response of {len(self.frequency_hz)} frequencies: "
                f"{', '.join(self.inputs)} → {', '.join(self.outputs)}>")

    def _repr_html_(self) -> str:
        from ._display import response_html

        return response_html(self)


class StateSpace(Sendable):
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
        signal = need("scipy.signal", "to_scipy()", "scipy")
        return signal.StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> "control.StateSpace":
        """For python-control, with the names of states, inputs and outputs."""
        control = need("control", "to_control()", "control")
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
