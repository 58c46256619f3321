"""Sketches of the documentation that need no simulation: the machine of the tutorial, and the conventions."""

import matplotlib.pyplot as plt
import numpy
from matplotlib.patches import Arc, Circle, FancyArrowPatch, Rectangle

INK, BLUE, ORANGE, GREY = "#222222", "#1f5fa8", "#d9730d", "#8a8a8a"


def arrow(axes, start, end, color=INK, style="-|>", width=1.2):
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle=style, mutation_scale=11, color=color, linewidth=width,
                                   shrinkA=0, shrinkB=0))


def dimension(axes, start, end, text, offset=(0, 0)):
    arrow(axes, start, end, GREY, "<|-|>", 0.8)
    middle = numpy.mean([start, end], axis=0) + numpy.array(offset)
    axes.text(*middle, text, ha="center", va="center", fontsize=8, color=GREY, backgroundcolor="white")


def turn(axes, centre, radius, start, end, color=ORANGE):
    """An arc with an arrow at its end, counted from x in degrees."""
    axes.add_patch(Arc(centre, 2 * radius, 2 * radius, theta1=start, theta2=end - 6, color=color, linewidth=1.4))
    angles = numpy.radians([end - 8, end])
    points = [numpy.array(centre) + radius * numpy.array([numpy.cos(a), numpy.sin(a)]) for a in angles]
    arrow(axes, points[0], points[1], color, width=1.4)


def ground(axes, x, y, width=0.16):
    axes.plot([x - width / 2, x + width / 2], [y, y], color=INK, linewidth=1.4)
    for place in numpy.linspace(x - width / 2, x + width / 2 - width / 5, 5):
        axes.plot([place, place - width / 6], [y, y - width / 6], color=INK, linewidth=0.8)


def triad(axes, origin, angle, size, names, color=BLUE):
    for direction, name in zip((angle, angle + 90), names):
        way = numpy.array([numpy.cos(numpy.radians(direction)), numpy.sin(numpy.radians(direction))])
        end = numpy.array(origin) + size * way
        arrow(axes, origin, end, color)
        axes.text(*(end + 0.03 * way), name, color=color, fontsize=9, ha="center", va="center")


def finish(axes, limits):
    axes.set_aspect("equal")
    axes.set_xlim(*limits[0])
    axes.set_ylim(*limits[1])
    axes.axis("off")


def drawTutorialSketch():
    figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
    axes.add_patch(Rectangle((-0.09, -0.09), 0.18, 0.18, facecolor="#e6e6e6", edgecolor=INK))
    axes.add_patch(Rectangle((0, -0.02), 0.8, 0.04, facecolor="#dfe9f5", edgecolor=BLUE))
    axes.add_patch(Circle((0, 0), 0.06, facecolor="#f7e2cd", edgecolor=ORANGE, linewidth=1.4))
    axes.add_patch(Circle((0, 0), 0.008, color=INK))
    axes.text(-0.11, 0.0, "motor and gear, on ground\nhub 1.9 kg\n0.30 kg m² at the arm", fontsize=8, ha="right", va="center")
    axes.text(0.52, 0.04, "tube, aluminium, 40 mm × 36 mm", fontsize=8, ha="center", va="bottom", color=BLUE)
    axes.add_patch(Rectangle((0.8, -0.05), 0.1, 0.1, facecolor="#e6e6e6", edgecolor=INK))
    axes.text(0.85, 0.07, "gripper 0.6 kg\n+ part 1.0 kg", fontsize=8, ha="center", va="bottom")
    axes.plot([0.85], [0.0], "+", color=INK)
    dimension(axes, (0, -0.16), (0.8, -0.16), "800 mm")
    dimension(axes, (0.8, -0.16), (0.85, -0.16), "50", (0.0, -0.04))
    turn(axes, (0, 0), 0.26, 6, 40)
    axes.text(0.25, 0.17, "φ > 0", color=ORANGE, fontsize=9)
    triad(axes, (1.06, -0.08), 0, 0.1, ("x", "y"))
    axes.text(1.1, 0.12, "seen from above,\ngravity along −z", fontsize=8, color=GREY, ha="center")
    finish(axes, ((-0.4, 1.24), (-0.24, 0.24)))
    return figure


def drawConventions():
    figure, axes = plt.subplots(figsize=(9, 3.6), layout="constrained")
    triad(axes, (-0.1, -0.06), 0, 0.16, ("x", "z"), GREY)
    axes.text(-0.1, -0.12, "ground", fontsize=8, color=GREY, ha="center")
    ground(axes, 0.3, -0.04)
    axes.add_patch(Circle((0.3, 0), 0.022, facecolor="white", edgecolor=INK, zorder=3))
    axes.text(0.3, -0.1, "first", fontsize=8, ha="center", color=GREY)
    angle = numpy.radians(25)
    tip = numpy.array([0.3, 0]) + 0.6 * numpy.array([numpy.cos(angle), numpy.sin(angle)])
    axes.plot([0.3, tip[0]], [0, tip[1]], color=BLUE, linewidth=5, solid_capstyle="round", alpha=0.35)
    axes.plot([0.3, 0.8], [0, 0], "--", color=GREY, linewidth=0.8)
    turn(axes, (0.3, 0), 0.36, 1, 25)
    axes.text(0.69, 0.06, "angle of the hinge,\ntorque of its motor", fontsize=8, color=ORANGE, va="center")
    triad(axes, tip, 25, 0.13, ("x", "z"))
    axes.text(tip[0] - 0.1, tip[1] + 0.1, "node of the body:\nsecond", fontsize=8, color=BLUE, ha="right")
    axes.text(0.3, -0.17, "between: [first, second], axis: [0, −1, 0], towards the reader", fontsize=8, ha="left")
    start, end = numpy.array([1.25, 0.05]), numpy.array([1.95, 0.05])
    axes.plot([start[0], end[0]], [start[1], end[1]], color=BLUE, linewidth=5, solid_capstyle="round", alpha=0.35)
    for place, name in ((start, "from"), (end, "to")):
        axes.plot(*place, "o", color=INK, markersize=4)
        axes.text(place[0], place[1] - 0.08, name, fontsize=8, ha="center")
    triad(axes, (1.6, 0.05), 0, 0.15, ("x", "z"))
    axes.text(1.6, 0.3, "section axes: x along the beam,\ny = y_axis, z = x × y", fontsize=8, color=BLUE, ha="center")
    arrow(axes, end + [0.02, 0], end + [0.18, 0], ORANGE)
    axes.text(end[0] + 0.1, 0.1, "axial > 0:\ntension", fontsize=8, color=ORANGE, ha="center", va="bottom")
    finish(axes, ((-0.2, 2.25), (-0.22, 0.48)))
    return figure
