"""Designs the PID controller of the arm on its state equations (arm.mat, by flexloop linearize), and writes gains.yaml."""

import numpy as np
import scipy.io
import scipy.signal

CROSSOVER = 8.0  # Hz: where the loop has the gain one
PHASE_MARGIN = 55.0  # degrees, there
INTEGRAL = 8.0  # the integral acts below CROSSOVER / INTEGRAL
FILTER = 1e-3  # s: lag of the derivative

matrices = scipy.io.loadmat("arm.mat")
plant = scipy.signal.StateSpace(*(matrices[name] for name in "ABCD"))


def response(frequencies):
    """phi / motor at frequencies in Hz."""
    return scipy.signal.freqresp(plant, 2 * np.pi * np.atleast_1d(frequencies))[1]


# The controller kp + ki/s + kd s/(FILTER s + 1) must have this value at the crossover, s = i w:
w = 2 * np.pi * CROSSOVER
wanted = np.exp(1j * np.radians(PHASE_MARGIN - 180.0)) / response(CROSSOVER)[0]
# Two real equations for kp and kd, with ki = kp w / INTEGRAL.
ofKp = 1.0 + 1.0 / (1j * INTEGRAL)
ofKd = 1j * w / (1j * w * FILTER + 1.0)
kp, kd = np.linalg.solve([[ofKp.real, ofKd.real], [ofKp.imag, ofKd.imag]], [wanted.real, wanted.imag])
ki = kp * w / INTEGRAL
gains = {"kp": float(f"{kp:.4g}"), "ki": float(f"{ki:.4g}"), "kd": float(f"{kd:.4g}")}

# What the loop looks like with the rounded gains.
frequencies = np.geomspace(0.1, 1000.0, 200001)
s = 2j * np.pi * frequencies
loop = (gains["kp"] + gains["ki"] / s + gains["kd"] * s / (FILTER * s + 1.0)) * response(frequencies)
crossings = np.flatnonzero(np.diff(np.sign(np.abs(loop) - 1.0)))
for at in crossings:
    print(f"gain 1 at {frequencies[at]:.2f} Hz, phase margin {180.0 + np.degrees(np.angle(loop[at])):.1f} deg")
print(f"largest sensitivity {np.max(1.0 / np.abs(1.0 + loop)):.2f}")

with open("gains.yaml", "w", encoding="utf-8") as file:
    file.write("# Written by design.py.\nparameters: {" + ", ".join(f"{name}: {value:g}" for name, value in gains.items())
               + f", Tf: {FILTER:g}" + "}\n")
print("gains.yaml:", ", ".join(f"{name} = {value:g}" for name, value in gains.items()))
