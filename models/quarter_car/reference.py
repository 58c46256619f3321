"""The same quarter car as ordinary differential equations, solved by Radau IIA of scipy: writes reference.csv."""
import numpy as np
from scipy.integrate import solve_ivp

AP, AD = 1.01788e-3, 3.80133e-4
AR = AP - AD
VR, VC, BULK, PG, VG = 1.25e-4, 1.6e-4, 1e9, 6e5, 1.5e-4
CB, CV, KP, KB, AIR = 2.6e-8, 2.4e-10, 2e-6, 3.2e-6, 101325.0
MB, MW, KT, CT, KS = 375.0, 40.0, 280835.0, 500.0, 22900.0


def root(p):
    return p / np.sqrt(abs(p) + 2e4)


def check(k, leak, p):
    return k * root(p) * (leak + (1 - leak) * (1 + p / np.hypot(p, 2e4)) / 2)


def road(t):
    inside = 0.1 < t < 0.3
    phase = 10 * np.pi * (t - 0.1)
    return (0.025 * (1 - np.cos(phase)), 0.25 * np.pi * np.sin(phase)) if inside else (0.0, 0.0)


def rates(t, s):
    zb, vb, zw, vw, pr, pc, i, est = s
    l, v = zb - zw, vb - vw
    res = PG * (VG / (VG + AD * l)) ** 1.4
    opening = 1e5 + 4.4e6 * (min(max(i, 0.3), 1.6) - 0.3) / 1.3
    valve = CB * root(pr - res) + CV * max(0.0, pr - res - opening)
    piston, base = check(KP, 1e-3, pc - pr), check(KB, 1e-4, res - pc)
    force = (pr - AIR) * AR - (pc - AIR) * AP + (PG - AIR) * AD + 20 * np.tanh(v / 0.01)
    zr, vr = road(t)
    ab = (-KS * l - force) / MB
    aw = (KS * l + force + KT * (zr - zw) + CT * (vr - vw)) / MW
    command = 0.3 + 0.65 * min(1.0, abs(est) / 0.3) * (1 + np.tanh(est * v / 1e-3))
    return [vb, ab, vw, aw, BULK / (VR - AR * l) * (AR * v + piston - valve),
            BULK / (VC + AP * l) * (-AP * v - piston + base), (command - i) / 0.01, ab - est]


state, times, rows = [0, 0, 0, 0, 6e5, 6e5, 0.3, 0], np.linspace(0, 2, 201), []
for first, last in ((0, 0.1), (0.1, 0.3), (0.3, 2)):
    at = times[(times >= first) & (times < last if last < 2 else times <= last)]
    run = solve_ivp(rates, (first, last), state, method="Radau", rtol=1e-9, atol=1e-11, t_eval=np.unique(np.append(at, last)),
                    max_step=2e-3)
    state = run.y[:, -1]
    rows += [(t, run.y[0, k], run.y[2, k], run.y[7, k]) for k, t in enumerate(at)]
np.savetxt("reference.csv", rows, delimiter=",", header="time,body,wheel,speed", comments="", fmt="%.12g")
