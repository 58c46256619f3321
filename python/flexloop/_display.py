"""How models and results look in a notebook: tables and small figures; and the viewer."""
from __future__ import annotations

import os
import tempfile
import webbrowser
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _flexloop

if TYPE_CHECKING:
    from ._model import Model
    from ._records import Record
    from ._results import Equilibrium, Modes, Response, StateSpace
    from ._run import Run

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 560, 200, 70, 28, 10
_MOST_ROWS, _MOST_LINES, _MOST_POINTS = 20, 6, 600


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    cells = "".join(f"<th>{escape(h)}</th>" for h in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def _thin(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest value of each column of the figure, so that no peak is lost."""
    if len(x) <= _MOST_POINTS:
        return x, y
    columns = np.array_split(np.arange(len(x)), _MOST_POINTS // 2)
    chosen = np.unique([i for c in columns for i in (c[np.argmin(y[c])], c[np.argmax(y[c])])])
    return x[chosen], y[chosen]


def _range(values: Iterable[np.ndarray]) -> tuple[float, float]:
    finite = [v[np.isfinite(v)] for v in values]
    finite = [v for v in finite if len(v)]
    if not finite:
        return 0.0, 1.0
    low, high = min(v.min() for v in finite), max(v.max() for v in finite)
    pad = 0.5 * max(abs(low), 1e-300) if high == low else 0.0
    return float(low - pad), float(high + pad)


def chart(x: np.ndarray, lines: dict[str, np.ndarray], label: str, log: bool = False) -> str:
    """Lines over a common abscissa, as SVG."""
    axis = np.log10(x) if log else x
    x0, x1 = _range([axis])
    y0, y1 = _range(lines.values())
    width, height = _WIDTH - _LEFT - 10, _HEIGHT - _BOTTOM - _TOP

    def place(xs: np.ndarray, ys: np.ndarray) -> str:
        px = _LEFT + width * (xs - x0) / (x1 - x0)
        py = _TOP + height * (y1 - ys) / (y1 - y0)
        keep = np.isfinite(py)
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(px[keep], py[keep]))

    parts = [f'<rect x="{_LEFT}" y="{_TOP}" width="{width}" height="{height}" fill="none" stroke="#999"/>']
    for number, (name, y) in enumerate(lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(f'<polyline points="{place(*_thin(axis, y))}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(f'<text x="{_LEFT + 6}" y="{_TOP + 14 + 14 * number}" fill="{colour}">{escape(name)}</text>')
    ends = [(10.0**x0, 10.0**x1) if log else (x0, x1)][0]
    below = _HEIGHT - 8
    parts.append(f'<text x="{_LEFT}" y="{below}">{ends[0]:.4g}</text>')
    parts.append(f'<text x="{_LEFT + width}" y="{below}" text-anchor="end">{ends[1]:.4g}</text>')
    parts.append(f'<text x="{_LEFT + width / 2}" y="{below}" text-anchor="middle">{escape(label)}</text>')
    parts.append(f'<text x="{_LEFT - 4}" y="{_TOP + 10}" text-anchor="end">{y1:.4g}</text>')
    parts.append(f'<text x="{_LEFT - 4}" y="{_TOP + height}" text-anchor="end">{y0:.4g}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
            f'font-family="sans-serif" font-size="11" fill="#333">{"".join(parts)}</svg>')


def model_html(model: "Model") -> str:
    machine = model._machine()
    counts: dict[str, list[str]] = {}
    for section, name, _ in machine.items():
        counts.setdefault(section, []).append(name)
    rows = [(section, len(names), ", ".join(names[:8]) + (" …" if len(names) > 8 else ""))
            for section, names in counts.items()]
    return f"<b>{escape(machine.title or machine.file)}</b>" + _table(("section", "entries", "names"), rows)


def run_html(run: "Run") -> str:
    units = run.units
    rows = [(name, f"{run[name][0]:.6g}", f"{run[name][-1]:.6g}", f"{run[name].min():.6g}", f"{run[name].max():.6g}",
             units[name]) for name in list(run)[:_MOST_ROWS] if len(run.time)]
    table = _table(("output", "first", "last", "least", "greatest", "unit"), rows)
    if len(run.time) < 2:
        return table
    return chart(run.time, {name: run[name] for name in list(run)[:_MOST_LINES]}, "time [s]") + table


def modes_html(modes: "Modes") -> str:
    rows = [(i, f"{m.frequency_hz:.6g}", f"{m.damping_ratio:.5f}", f"{m.eigenvalue.real:.6g}",
             f"{m.eigenvalue.imag:.6g}", "" if m.stable else "unstable") for i, m in enumerate(modes)]
    return (f"<b>{escape(modes.verdict)}</b>" + _roots(modes)
            + _table(("", "frequency [Hz]", "damping ratio", "re [1/s]", "im [1/s]", ""), rows))


def _roots(modes: "Modes") -> str:
    """The roots in the upper half of the plane."""
    re, im = modes.eigenvalue.real, modes.eigenvalue.imag
    known = np.isfinite(re) & np.isfinite(im)
    if not known.any():
        return ""
    x0, x1 = _range([re[known], np.zeros(1)])
    y1 = max(float(im[known].max()), 1e-300)
    size = 200
    parts = [f'<line x1="{_at(0.0, x0, x1, size)}" y1="0" x2="{_at(0.0, x0, x1, size)}" y2="{size}" stroke="#999"/>']
    for a, b in zip(re[known], im[known]):
        colour = _COLOURS[1] if a > 0 else _COLOURS[0]
        parts.append(f'<circle cx="{_at(a, x0, x1, size)}" cy="{size - _at(b, 0.0, y1, size)}" r="3" fill="{colour}"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" viewBox="-6 -6 {size + 12} '
            f'{size + 12}">{"".join(parts)}</svg>')


def _at(value: float, low: float, high: float, size: int) -> float:
    return round(size * (value - low) / (high - low), 1) if high > low else 0.0


def response_html(response: "Response") -> str:
    lines = {}
    with np.errstate(divide="ignore"):
        for i, output in enumerate(response.outputs):
            for k, source in enumerate(response.inputs):
                lines[f"{output}/{source} [dB]"] = 20.0 * np.log10(np.abs(response.H[:, i, k]))
    shown = dict(list(lines.items())[:_MOST_LINES])
    f = response.frequency_hz
    log = bool(len(f)) and float(f.min()) > 0.0
    return chart(f, shown, "frequency [Hz]", log) if len(f) > 1 else _table(
        ("response", "dB"), [(name, f"{line[0]:.6g}") for name, line in lines.items()])


def state_space_html(equations: "StateSpace") -> str:
    rows = [("states", len(equations.states), ", ".join(equations.states[:8])),
            ("inputs", len(equations.inputs), ", ".join(equations.inputs)),
            ("outputs", len(equations.outputs), ", ".join(equations.outputs))]
    return _table(("", "", "names"), rows)


def equilibrium_html(found: "Equilibrium") -> str:
    return _table(("output", "value"), [(name, f"{value:.9g}") for name, value in found.outputs.items()])


def record_html(record: "Record") -> str:
    if record.text:
        return f"<pre>{escape(record.text)}</pre>"
    return _table(("", ""), [(key, record._content[key]) for key in record])


def _write_report(paths: Sequence[str], words: list[tuple[str, list[str]]]) -> str:
    handle, page = tempfile.mkstemp(prefix="flexloop_", suffix=".html")
    os.close(handle)
    _flexloop.call("report", None, [("RESULT", list(paths)), *words, ("-o", [page])], None)
    return page


def _show(page: str, inline: bool | None, height: int) -> Any:
    if inline is None:
        inline = _is_notebook()
    if not inline:
        webbrowser.open("file://" + page)
        return page
    from IPython.display import HTML

    with open(page, encoding="utf-8") as file:
        content = escape(file.read(), quote=True)
    os.remove(page)
    return HTML(f'<iframe srcdoc="{content}" width="100%" height="{height}" style="border:0"></iframe>')


def _is_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"


def view_run(run: "Run", inline: bool | None = None, height: int = 600, show: bool = True) -> Any:
    """``show=False`` only writes the page and returns its path."""
    if run._folder is None and run._machine is None:
        raise TypeError("view() of a run that was copied or sent needs its folder: m.run(out=FOLDER)")
    with tempfile.TemporaryDirectory() as folder:
        place = run._folder
        if place is None:
            _flexloop.call("run", run._machine, [("--out", [folder])], None)
            place = folder
        page = _write_report([os.path.join(place, "result.h5")], [])
    return _show(page, inline, height) if show else page


def view_model(model: "Model", inline: bool | None = None, height: int = 600, show: bool = True) -> Any:
    parameters, values = model._overrides()
    words = [("-p", parameters)] * bool(parameters) + [("--set", values)] * bool(values)
    if model._tree is None and model._text is None:
        page = _write_report([model._file], words)
    else:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model.yaml")
            with open(file, "w", encoding="utf-8") as target:
                target.write(model.to_yaml())
            page = _write_report([file], words)
    return _show(page, inline, height) if show else page
