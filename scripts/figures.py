#!/usr/bin/env python3
"""Draws the pictures of the documentation from the models."""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py
import matplotlib
import numpy

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the backend)

import configuration_figures  # noqa: E402
import moving_mode  # noqa: E402
import sketches  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLORS = {"elbow": "#d9730d", "tip": "#1f5fa8"}


def readOutputs(program, name):
    """Time and outputs of a run of models/<name>."""
    model = ROOT / "models" / name / "model.yaml"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "run", model, "--quiet", "--out", folder], check=True)
        with h5py.File(pathlib.Path(folder) / "result.h5", "r") as result:
            return result["time"][:], {name: data[:] for name, data in result["outputs"].items()}


def readReference(name):
    """Columns of models/<name>/reference.csv."""
    with open(ROOT / "models" / name / "reference.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {column: numpy.array([float(row[column]) for row in rows]) for column in rows[0]}


def drawRightAngleBeam(program):
    time, outputs = readOutputs(program, "right_angle_beam")
    reference = readReference("right_angle_beam")
    figure, (heights, errors) = plt.subplots(2, 1, figsize=(10, 6), sharex=True, layout="constrained",
                                             height_ratios=(3, 1))
    for point, color in COLORS.items():
        computed, exact = outputs[f"{point}.z"], reference[f"{point}_z"]
        heights.plot(time, computed, color=color, label=point)
        heights.plot(reference["time"][::10], exact[::10], "o", color=color, markerfacecolor="white", markersize=4)
        difference = numpy.interp(reference["time"], time, computed) - exact
        errors.plot(reference["time"], 1e3 * difference, color=color, linewidth=1)
    heights.axvspan(0, 2, color="#f3eee7")
    heights.set(ylabel="height [m]", xlim=(0, 30), title="Flexloop (lines) and an independent solution (circles)")
    heights.legend()
    errors.set(xlabel="time [s]", ylabel="error [mm]")
    for axes in (heights, errors):
        axes.grid(alpha=0.3)
    return figure


def drawLateByAStep(program):
    time, outputs = readOutputs(program, "late_by_a_step")
    figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    axes.plot(1e3 * time, outputs["v_late"], color=COLORS["elbow"], label="late by a communication step")
    axes.plot(1e3 * time, outputs["v"], color=COLORS["tip"], label="solved at once")
    axes.set_yscale("symlog", linthresh=1.0)
    axes.set_xlabel("time [ms]")
    axes.set_ylabel("velocity [m/s]")
    axes.grid(True, alpha=0.3)
    axes.legend(frameon=False, loc="upper left")
    return figure


def drawLateArm(program):
    """models/controlled_arm as an FMU under controllers of another program, for several communication steps."""
    os.environ["FLEXLOOP_PROGRAM"] = str(program.resolve())
    sys.path.insert(0, str(ROOT / "tests" / "fmu"))
    import arm_master

    figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    with tempfile.TemporaryDirectory() as folder:
        alone = arm_master.alone(folder, 0.3, "0.2 ms")
        fmu = arm_master.make(folder)
        for step, color in ((1e-3, "#b3261e"), (0.5e-3, "#d9730d"), (0.2e-3, "#3f7d3a")):
            rows = numpy.array(arm_master.turn(fmu, step, 0.3, every=0.5e-3))
            axes.plot(1e3 * rows[:, 0], rows[:, 1], color=color, label=f"one after the other, every {1e3 * step:g} ms")
    axes.plot(1e3 * numpy.array(alone["time"]), alone["theta1"], "--", color=COLORS["tip"], label="solved at once")
    axes.set(xlabel="time [ms]", ylabel="angle of the shoulder [rad]", ylim=(-0.5, 1.0), xlim=(0, 300))
    axes.grid(True, alpha=0.3)
    axes.legend(frameon=False, loc="upper left", fontsize=8)
    return figure


def drawTorsen(program):
    """Share of the front axle over the difference of speeds, of runs and in closed form."""
    model = ROOT / "models" / "torsen" / "model.yaml"
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for drive, color, label in ((500, "#d9730d", "drive"), (-500, "#1f5fa8", "coast")):
        call = [program, "sweep", model, "-p", f"drive={drive}", "-p", "slip=-5:5:41", "--do", "run", "--quiet", "--csv", "-"]
        rows = list(csv.DictReader(subprocess.run(call, check=True, text=True, capture_output=True).stdout.splitlines()))
        slip = numpy.array([float(row["slip"]) for row in rows])
        share = numpy.array([float(row["front_share"]) for row in rows])
        fine = numpy.linspace(-5, 5, 1001)
        axes.plot(fine, numpy.clip(0.5 - 50 * fine / drive, 0.2, 0.6), color=color, linewidth=1)
        axes.plot(slip, share, "o", color=color, markerfacecolor="white", markersize=4, label=label)
    axes.set(xlabel="road faster under the front wheels by [rad/s]", ylabel="share of the front axle", xlim=(-5, 5),
             ylim=(0, 0.8), title="Simulated (circles) and closed form (lines)")
    axes.legend()
    axes.grid(alpha=0.3)
    return figure


def drawWorkPrecision(benchFile):
    """CPU time against the error of the tip of the falling beam (P1), from `make bench`."""
    # An independent solution: explicit, spectral elements of degree 8, converged to 1e-6 m.
    exact = numpy.array([0.9994497, 0.0, -0.0327894])
    with open(benchFile, encoding="utf-8") as file:
        rows = json.load(file)["precision"]
    figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    for order, color in ((1, "#1f5fa8"), (2, "#d9730d"), (3, "#3f7d3a")):
        chosen = [row for row in rows if row["order"] == order and row["ok"]]
        errors = [numpy.linalg.norm(numpy.array(row["tip"]) - exact) for row in chosen]
        seconds = [1e-6 * row["us_per_step"] * row["steps"] for row in chosen]
        axes.loglog(errors, seconds, "o-", color=color, label=f"order {order}")
        for row, x, y in zip(chosen, errors, seconds):
            axes.annotate(row["size"], (x, y), textcoords="offset points", xytext=(5, 4), fontsize=8, color=color)
    axes.set(xlabel="error of the tip after 2 s [m]", ylabel="CPU time for 8000 steps [s]",
             title="Falling beam: work against precision, by order and number of elements")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    return figure


def drawByCommands(program, folder):
    """What the program draws itself: `flexloop plot`, `flexloop scheme`, and the page of `flexloop view`."""
    scheme = folder / "scheme.svg"
    subprocess.run([program, "scheme", "--quiet", "--svg", scheme], check=True)
    print(scheme)
    plot = folder / "plot.svg"
    model = ROOT / "models" / "controlled_arm" / "model.yaml"
    subprocess.run([program, "plot", model, "hand", "speed", "--quiet", "-o", plot], check=True)
    print(plot)
    moving = folder / "moving_mode.svg"
    moving_mode.draw(program, moving)
    print(moving)
    subprocess.run(["node", ROOT / "viewer" / "pictures.mjs", folder], check=True,
                   env={**os.environ, "FLEXLOOP": str(program.resolve())})


def drawSketches(folder):
    # The same file in every run.
    matplotlib.rcParams["svg.hashsalt"] = "flexloop"
    for name, draw in (("tutorial_arm.svg", sketches.drawTutorialSketch), ("conventions.svg", sketches.drawConventions)):
        draw().savefig(folder / name, metadata={"Date": None})
        print(folder / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "flexloop")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "images", help="folder of the pictures")
    parser.add_argument("--bench", type=pathlib.Path, default=ROOT / "out" / "bench.json",
                        help="what 'make bench' wrote; without it, its picture is left as it is")
    arguments = parser.parse_args()
    if not arguments.program.exists():
        parser.error(f"{arguments.program} is not there; build it with 'make'")
    arguments.out.mkdir(parents=True, exist_ok=True)
    figures = {"right_angle_beam.png": drawRightAngleBeam(arguments.program),
               "late_by_a_step.png": drawLateByAStep(arguments.program),
               "late_arm.png": drawLateArm(arguments.program),
               "torsen.png": drawTorsen(arguments.program)}
    figures.update(configuration_figures.drawAll(arguments.program))
    if arguments.bench.exists():
        figures["work_precision.png"] = drawWorkPrecision(arguments.bench)
    drawByCommands(arguments.program, arguments.out)
    for name, figure in figures.items():
        figure.savefig(arguments.out / name, dpi=120, metadata={"Software": None})
        print(arguments.out / name)
    drawSketches(arguments.out)


if __name__ == "__main__":
    main()
