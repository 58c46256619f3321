"""Designs the PID controller of the arm on its state equations (arm.mat, by flexloop linearize), and writes gains.yaml."""

import numpy as np
import scipy.io
import scipy.optimize

CROSSOVER = 5.0  # Hz: where the loop has the gain one
PHASE_MARGIN = 55.0  # degrees, there
INTEGRAL = 8.0  # the integral acts below CROSSOVER / INTEGRAL
FILTER = 2e-3  # s: lag of the derivative

plant = scipy.io.loadmat("arm.mat")
A, B, C, D = (plant[name] for name in "ABCD")


def response(frequency):
    """phi / motor at a frequency in Hz."""
    return (C @ np.linalg.solve(2j * np.pi * frequency * np.eye(len(A)) - A, B) + D)[0, 0]


def controller(frequency, kp, ki, kd):
    s = 2j * np.pi * frequency
    return kp + ki / s + kd * s / (FILTER * s + 1.0)


# At the crossover the controller must be this number; two real equations for kp and kd, with ki = kp w / INTEGRAL.
w = 2 * np.pi * CROSSOVER
wanted = np.exp(1j * np.radians(PHASE_MARGIN - 180.0)) / response(CROSSOVER)
ofKp, ofKd = controller(CROSSOVER, 1.0, w / INTEGRAL, 0.0), controller(CROSSOVER, 0.0, 0.0, 1.0)
kp, kd = np.linalg.solve([[ofKp.real, ofKd.real], [ofKp.imag, ofKd.imag]], [wanted.real, wanted.imag])
gains = [float(f"{gain:.3g}") for gain in (kp, kp * w / INTEGRAL, kd)]

# What the loop is with the rounded gains: where its gain is one, and how near it comes to -1.
frequencies = np.geomspace(0.2, 500.0, 1000)
loop = np.array([controller(f, *gains) * response(f) for f in frequencies])
for at in np.flatnonzero(np.diff(np.sign(np.abs(loop) - 1.0))):
    crossing = scipy.optimize.brentq(lambda f: abs(controller(f, *gains) * response(f)) - 1.0, *frequencies[at : at + 2])
    phase = np.degrees(np.angle(-controller(crossing, *gains) * response(crossing)))
    print(f"gain 1 at {crossing:.2f} Hz, phase margin {phase:.1f} deg")
print(f"largest sensitivity {np.max(1.0 / np.abs(1.0 + loop)):.3f}")

text = "parameters: {kp: %g, ki: %g, kd: %g, Tf: %g}" % (*gains, FILTER)
with open("gains.yaml", "w", encoding="utf-8") as file:
    file.write("# Written by design.py.\n" + text + "\n")
print(text)
