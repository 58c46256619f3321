"""A master in Python: the arm of models/controlled_arm as an FMU under the two PID controllers that were taken out of it.

They act one communication step after the other, with the angles of its beginning.
"""
import math
import pathlib

from host import Refused, export, records

MODEL = pathlib.Path(__file__).resolve().parents[2] / "models/controlled_arm/model.yaml"
NAMES = ["theta1", "theta2"]
LAG = 2e-3  # [s], of the derivative terms
# Without the accelerometer the loop is stable.
STABLE = ["-p", "ka=0"]
FILTERED = [*STABLE, "--set", "blocks.servo1.filter=2 ms", "--set", "blocks.servo2.filter=2 ms"]
# What the controllers gave are inputs.
OPENED = [*STABLE, "--set", "blocks.servo1={type: constant, value: 0}", "--set", "blocks.servo2={type: constant, value: 0}",
          "--set", "analysis.time.step=1 ms"]


def alone(folder, end, step="0.05 ms"):
    """The same loop as one system of equations."""
    return records(folder, MODEL, "--step", step, "--end", str(end), *FILTERED)


def make(folder):
    return export(folder, MODEL, ["servo1", "servo2"], NAMES, more=OPENED)


def turn(fmu, h, end, every=0.0):
    """Rows of time and both angles, at intervals of `every` or at all steps; until a step has no solution."""
    one = fmu.instance().start()
    total, slow1, slow2 = 0.0, 0.0, 0.0
    skip, share = max(1, round(every / h)), 1.0 - math.exp(-h / LAG)
    rows = []
    try:
        for k in range(round(end / h)):
            t1, t2 = one.get(*NAMES)
            if k % skip == 0:
                rows.append((k * h, t1, t2))
            w1, w2 = (t1 - slow1) / LAG, (t2 - slow2) / LAG
            slow1, slow2 = slow1 + share * (t1 - slow1), slow2 + share * (t2 - slow2)
            e1 = 0.15 * (1 - math.cos(10 * k * h)) - t1
            e2 = 0.10 * (1 - math.cos(15 * k * h)) - t2
            one.set(servo1=0.1 * e1 + 0.2 * total - 0.004 * w1, servo2=0.05 * e2 - 0.001 * w2)
            total += h * e1
            one.step(k * h, h)
    except Refused:
        pass
    finally:
        one.free()
    return rows
