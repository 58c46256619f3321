"""Pictures of the machines that change with their configuration: models and controllers of pick_and_place, gantry, antenna and ralf."""

import json
import pathlib
import subprocess
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the backend)
import numpy  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLUE, ORANGE, GREEN = "#1f5fa8", "#d9730d", "#3f7d3a"


def call(program, *words):
    """What a command prints as JSON."""
    done = subprocess.run([program, *map(str, words), "--quiet", "--json", "-"], check=True, capture_output=True)
    return json.loads(done.stdout)


def pathOf(name, file="model.yaml"):
    return ROOT / "models" / name / file


class ParameterModel:
    """A file.lpv that is made in a folder of its own."""

    def __init__(self, program, folder, model, *words):
        self.program, self.file = program, pathlib.Path(folder) / f"{abs(hash(words))}.lpv"
        self.report = call(program, "lpv", model, *words, "-o", self.file)

    def at(self, *values):
        text = ",".join(repr(float(value)) for value in values)
        return {key: numpy.array(value) if key in "ABCD" else value
                for key, value in call(self.program, "lpv", self.file, "--at", text).items()}

    def respond(self, hz, output, *values):
        """Of the first input."""
        s = self.at(*values)
        row = s["outputs"].index(output)
        identity = numpy.eye(len(s["A"]))
        return numpy.array([(s["C"][row] @ numpy.linalg.solve(2j * numpy.pi * f * identity - s["A"], s["B"])
                             + s["D"][row])[0] for f in hz])

    def errors(self, output):
        """Values of the parameter, and errors there."""
        row = self.report["outputs"].index(output)
        pairs = sorted((entry["value"], entry["mean_error"][row][0]) for entry in self.report["errors"])
        return numpy.array(pairs).T


def respondMachine(program, model, hz, source, target, *words):
    frequencies = ",".join(repr(float(f)) for f in hz)
    response = call(program, "frf", model, *words, "--from", source, "--to", target, "--frequencies", frequencies)["responses"][0]
    return numpy.array(response["re"]) + 1j * numpy.array(response["im"])


def drawForms(program):
    """The affine form beside aligned states, on the pick-and-place machine."""
    model, hz = pathOf("pick_and_place"), numpy.geomspace(10, 1000, 400)
    words = ["-p", "length=0.33:0.53:9", "--from", "force", "--to", "a_motor", "--range", "1:1000", "-p", "beta=1e-5"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained", width_ratios=(3, 2))
    with tempfile.TemporaryDirectory() as folder:
        aligned = ParameterModel(program, folder, model, *words, "--order", 10)
        two = ParameterModel(program, folder, model, *words, "--order", 6)
        affine = ParameterModel(program, folder, model, *words, "--order", 6, "--form", "affine")
        value = 0.4425
        left.loglog(hz, abs(respondMachine(program, model, hz, "force", "a_motor", "-p", f"length={value}", "-p", "beta=1e-5")),
                    color="#999999", linewidth=4, label="machine")
        for made, color, name in ((aligned, BLUE, "aligned states, 4 modes"), (affine, ORANGE, "affine poles and zeros, 2 modes")):
            left.loglog(hz, abs(made.respond(hz, "a_motor", value)), color=color, linewidth=1.3, label=name)
        for made, color, name in ((aligned, BLUE, "aligned, 4 modes"), (two, GREEN, "aligned, 2 modes"),
                                  (affine, ORANGE, "affine, 2 modes")):
            right.semilogy(*made.errors("a_motor"), ".-", color=color, label=name)
    left.set(xlabel="frequency [Hz]", ylabel="acceleration of the motor [m/s² by N]",
             title=f"length {value} m, between the points; first mode damped by 0.15 %")
    right.set(xlabel="length [m]", ylabel="error, 1 Hz to 1 kHz, as a share of the response", title="nine lengths, and half-way between them")
    for axes in (left, right):
        axes.grid(alpha=0.3, which="both")
        axes.legend(fontsize=8)
    return figure


def drawGantry(program):
    """Frequencies of the gantry over the place of its carriage: the model with two parameters, and the machine."""
    model = pathOf("gantry")
    figure, axes = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
    places = numpy.linspace(0.4, 1.2, 33)
    with tempfile.TemporaryDirectory() as folder:
        made = ParameterModel(program, folder, model, "-p", "place=0.4:1.2:7", "-p", "reach=0.4:0.5:4", "--from", "ahead",
                              "--to", "x_tool", "a_tool", "--order", 8, "--range", "1:100")
        for reach, color in ((0.41, BLUE), (0.45, GREEN), (0.49, ORANGE)):
            hz = []
            for place in places:
                roots = numpy.linalg.eigvals(made.at(place, reach)["A"])
                hz.append(sorted(abs(r) / (2 * numpy.pi) for r in roots if r.imag > 0 and abs(r.real) < 0.5 * abs(r))[:2])
            for k in range(2):
                axes.plot(places, [row[k] for row in hz], color=color, label=f"arm of {reach} m" if k == 0 else None)
            for place in places[::8]:
                modes = call(program, "modes", model, "-p", f"place={place}", "-p", f"reach={reach}", "--count", 30)["modes"]
                known = [abs(complex(*m["eigenvalue"])) / (2 * numpy.pi) for m in modes]
                row = hz[list(places).index(place)]
                axes.plot([place] * 2, [min(known, key=lambda f, wanted=wanted: abs(f - wanted)) for wanted in row], "o", color=color,
                          markerfacecolor="white", markersize=5)
    axes.set(xlabel="place of the carriage [m]", ylabel="frequency [Hz]",
             title="Vibrations of the tool: model with two parameters (lines) and machine (circles)")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def drawAntenna(program):
    """Responses of the antenna at three elevations between the points."""
    model, hz = pathOf("antenna"), numpy.linspace(4, 40, 250)
    figure, axes = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
    with tempfile.TemporaryDirectory() as folder:
        made = ParameterModel(program, folder, model, "-p", "elevation=0:80:9", "--from", "tap", "--to", "dish_y", "--order", 18,
                              "--range", "1:40")
        for value, color in ((5, BLUE), (45, GREEN), (75, ORANGE)):
            axes.semilogy(hz, abs(respondMachine(program, model, hz, "tap", "dish_y", "-p", f"elevation={value}")), color=color,
                          linewidth=4, alpha=0.3)
            axes.semilogy(hz, abs(made.respond(hz, "dish_y", value)), color=color, linewidth=1.2, label=f"{value}°")
    axes.set(xlabel="frequency [Hz]", ylabel="motion of the dish by gust [m]",
             title="Elevations between the points: machine (wide) and model with 18 states (thin)")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    return figure


def drawRalf(program):
    """Damping of the first modes of RALF over the gain of its fast controller."""
    figure, axes = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
    gains = numpy.linspace(0, 1e-3, 21)
    ranges = ((3.5, 7.0, BLUE, "first swing"), (7.0, 15.5, ORANGE, "second swing"), (16.0, 19.0, GREEN, "bending of the rod"))
    last = {}
    damping = [[] for _ in ranges]
    for gain in gains:
        modes = call(program, "modes", pathOf("ralf"), "-p", "shear=1e4", "-p", f"Ka={gain}", "--count", 16)["modes"]
        roots = [complex(*m["eigenvalue"]) for m in modes if m["frequency_hz"] > 0]
        for k, (low, high, *_) in enumerate(ranges):
            # From where it was with the last gain.
            if k in last:
                root = min(roots, key=lambda r: abs(r - last[k]))
            else:
                root = next(r for r in roots if low < abs(r) / (2 * numpy.pi) < high)
            last[k] = root
            damping[k].append(-root.real / abs(root))
    for (_, _, color, name), values in zip(ranges, damping):
        axes.plot(1e4 * gains, values, ".-", color=color, label=name)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.axvline(8.97, color="#999999", linestyle="--", label="limit of an independent program")
    axes.set(xlabel="gain Ka of the fast controller [1e-4 s]", ylabel="damping ratio",
             title="RALF: more acceleration feedback is more damping, up to a limit")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def drawAll(program):
    return {"pick_and_place_forms.png": drawForms(program), "gantry.png": drawGantry(program), "antenna.png": drawAntenna(program),
            "ralf.png": drawRalf(program)}
