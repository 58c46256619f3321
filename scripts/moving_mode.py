"""The picture on top of the README: a closed-loop mode of models/controlled_arm in motion, beside its pole, while a gain changes.

An SVG with its animation inside. Shapes and poles are those of `flexloop modes` at each value of the gain.
"""

import json
import math
import pathlib
import subprocess

import numpy
import scipy.interpolate

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "models" / "controlled_arm" / "model.yaml"
GAIN, LARGEST = "ka", 0.6  # of the accelerometer, in g (mass per acceleration)
START = 2j * math.pi * 61.0 - 34.0  # near the pole with the gain zero
SECONDS, CYCLES, KEYS = 12, 14, 224  # of one round; the gain goes up and down again
AMPLITUDE = 26e-3  # m, of the point that moves most: far more than a linear mode may have
BLUE, ORANGE, GREY, INK = "#1f5fa8", "#d9730d", "#9aa5b1", "#1c2733"
LINKS = [["shoulder", "upper.1", "upper.2", "upper.3", "elbow1"], ["elbow2", "lower.1", "lower.2", "lower.3", "hand"]]


def findMode(program, gain, near):
    """Root and in-plane displacements of the mode nearest to a root."""
    done = subprocess.run([program, "modes", MODEL, "-p", f"{GAIN}={gain:.6f}g", "--count", "16", "--json", "-"],
                          capture_output=True, text=True, check=True)
    modes = json.loads(done.stdout)["modes"]
    mode = min(modes, key=lambda mode: abs(complex(*mode["eigenvalue"]) - near))
    shape = {name: numpy.array([complex(*node["displacement"][axis]) for axis in (0, 2)])
             for name, node in mode["shape"]["nodes"].items()}
    return complex(*mode["eigenvalue"]), shape


def followMode(program, count=25):
    """(gains, roots, shapes), the shapes with equal size and phase."""
    gains = numpy.linspace(0.0, LARGEST, count)
    roots, shapes, near = [], [], START
    for gain in gains:
        root, shape = findMode(program, gain, near)
        hand = shape["hand"]
        turn = abs(hand[1]) / hand[1] * AMPLITUDE / max(abs(numpy.concatenate(list(shape.values()))))
        roots.append(root)
        shapes.append({name: turn * value for name, value in shape.items()})
        near = root
    return gains, numpy.array(roots), shapes


def placesAtRest():
    length, half = 0.15, math.sqrt(0.5)
    rest = {}
    for link, start, way in ((LINKS[0], (0.0, 0.0), (length, 0.0)), (LINKS[1], (length, 0.0), (length * half, length * half))):
        for place, name in zip(numpy.linspace(0.0, 1.0, len(link)), link):
            rest[name] = numpy.array(start) + place * numpy.array(way)
    return rest


def toScreen(point):
    """From metres in the plane of the arm to the left half of the picture."""
    return 50 + 1150 * point[0], 238 - 1150 * point[1]


def pointsOf(places, link):
    """A smooth curve through the nodes of a link."""
    curve = scipy.interpolate.CubicSpline(range(len(link)), [places[name] for name in link])
    return " ".join("%.1f,%.1f" % toScreen(curve(at)) for at in numpy.linspace(0, len(link) - 1, 11))


class Locus:
    """The right half: growth to the right, frequency upwards."""

    left, right, bottom, top = 470, 800, 250, 60
    rates, hertz = (-40.0, 30.0), (59.0, 64.0)

    def x(self, rate):
        return self.left + (rate - self.rates[0]) / (self.rates[1] - self.rates[0]) * (self.right - self.left)

    def y(self, hertz):
        return self.bottom + (hertz - self.hertz[0]) / (self.hertz[1] - self.hertz[0]) * (self.top - self.bottom)

    def place(self, root):
        return self.x(root.real), self.y(root.imag / (2 * math.pi))


def text(x, y, words, size=13, color=INK, anchor="start"):
    return (f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{color}" text-anchor="{anchor}"'
            f' font-family="system-ui, DejaVu Sans, sans-serif">{words}</text>')


def animate(attribute, values, discrete=False):
    mode = ' calcMode="discrete"' if discrete else ""
    return (f'<animate attributeName="{attribute}" dur="{SECONDS}s" repeatCount="indefinite"{mode}'
            f' values="{";".join(values)}"/>')


def drawFrame(locus):
    """What does not move."""
    parts = [f'<rect width="820" height="340" fill="white"/>',
             f'<rect x="{locus.x(0):.1f}" y="{locus.top}" width="{locus.right - locus.x(0):.1f}"'
             f' height="{locus.bottom - locus.top}" fill="#fbeee2"/>',
             f'<path d="M{locus.left} {locus.top}V{locus.bottom}H{locus.right}" fill="none" stroke="{GREY}"/>',
             f'<path d="M{locus.x(0):.1f} {locus.top}V{locus.bottom}" stroke="{INK}" stroke-dasharray="4 3"/>',
             text(locus.left, 44, "its pole", 15), text(20, 44, "closed-loop mode, slow motion", 15),
             text(locus.x(15), locus.top + 18, "unstable", 12, ORANGE, "middle"),
             text(locus.right, locus.bottom + 32, "growth [1/s]", 12, GREY, "end"),
             text(locus.left - 8, locus.bottom + 4, "Hz", 12, GREY, "end")]
    for rate in (-40, -20, 0, 20):
        parts.append(text(locus.x(rate), locus.bottom + 16, str(rate).replace("-", "−"), 11, GREY, "middle"))
    for hertz in (60, 62, 64):
        parts.append(text(locus.left - 6, locus.y(hertz) + 4, str(hertz), 11, GREY, "end"))
    return parts


def drawSlider(gains):
    left, right, y = 470.0, 800.0, 316.0
    parts = [f'<path d="M{left} {y}H{right}" stroke="{GREY}" stroke-width="3" stroke-linecap="round"/>',
             text(20, y + 5, "gain from the accelerometer in the hand, 0 to 0.6 g", 13)]
    places = [f"{left + gain / LARGEST * (right - left):.1f}" for gain in gains]
    parts.append(f'<circle cy="{y}" r="8" fill="{INK}">{animate("cx", places)}</circle>')
    return parts


def draw(program, file):
    gains, roots, shapes = followMode(program)
    rest, locus = placesAtRest(), Locus()
    times = numpy.linspace(0.0, 1.0, KEYS + 1)
    # Up and down as a cosine: nothing jumps where the round begins anew.
    gainsOfTime = LARGEST / 2 * (1 - numpy.cos(2 * math.pi * times))
    rootsOfTime = numpy.interp(gainsOfTime, gains, roots.real) + 1j * numpy.interp(gainsOfTime, gains, roots.imag)
    frames = []
    for time, gain in zip(times, gainsOfTime):
        phase = numpy.exp(2j * math.pi * CYCLES * time)
        at = min(int(gain / LARGEST * (len(gains) - 1)), len(gains) - 2)
        share = gain / LARGEST * (len(gains) - 1) - at
        frames.append({name: rest[name] + ((1 - share) * shapes[at][name] * phase + share * shapes[at + 1][name] * phase).real
                       for name in rest})
    colors = [ORANGE if root.real > 0 else BLUE for root in rootsOfTime[:-1]]
    parts = drawFrame(locus)
    path = " ".join("%.1f,%.1f" % locus.place(root) for root in roots)
    parts.append(f'<polyline points="{path}" fill="none" stroke="{GREY}" stroke-width="1.5"/>')
    for link in LINKS:
        parts.append(f'<polyline points="{pointsOf(rest, link)}" fill="none" stroke="#d8dfe6" stroke-width="5" stroke-linecap="round"/>')
    for link in LINKS:
        parts.append('<polyline fill="none" stroke-width="5" stroke-linecap="round" stroke-linejoin="round">'
                     + animate("points", [pointsOf(frame, link) for frame in frames])
                     + animate("stroke", colors, True) + "</polyline>")
    for name, radius in (("shoulder", 8), ("elbow1", 6), ("hand", 9)):
        screen = [toScreen(frame[name]) for frame in frames]
        fill = "white" if name != "hand" else INK
        parts.append(f'<circle r="{radius}" fill="{fill}" stroke="{INK}" stroke-width="2">'
                     + animate("cx", [f"{x:.1f}" for x, _ in screen]) + animate("cy", [f"{y:.1f}" for _, y in screen]) + "</circle>")
    pole = [locus.place(root) for root in rootsOfTime]
    parts.append('<circle r="7">' + animate("cx", [f"{x:.1f}" for x, _ in pole]) + animate("cy", [f"{y:.1f}" for _, y in pole])
                 + animate("fill", colors, True) + "</circle>")
    parts += drawSlider(gainsOfTime)
    title = "A flexible arm vibrates in a mode of its closed loop; its pole moves into the unstable half plane as a gain grows"
    pathlib.Path(file).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 340" width="820" height="340"><title>{title}</title>\n'
        + "\n".join(parts) + "\n</svg>\n", encoding="utf-8")
