"""Arm and servo together: the thickness of the links and the gain that make the hand quick for its weight."""
import pathlib

import numpy as np

import flexloop as fl

MODELS = pathlib.Path(__file__).parents[2] / "models"
m = fl.load(MODELS / "two_joint_arm" / "model.yaml", parameters={"n": 4})

best = None
for height in np.linspace(0.3e-3, 1.5e-3, 7):
    for kp in (0.03, 0.1, 0.3, 1.0):
        m.set({"sections.strip.height": height, "kp": kp})
        weight = m.check().mass
        servo = m.modes(count=1)[0].frequency_hz  # with the servo: how quick it is
        bending = m.modes(count=1, loop="locked")[0].frequency_hz  # with held joints: what the links alone can do
        merit = servo / weight if servo < 0.6 * bending else 0.0  # the servo must stay below the links
        if best is None or merit > best[0]:
            best = (merit, height, kp, weight, servo, bending)

_, height, kp, weight, servo, bending = best
print(f"links of {1e3 * height:.2f} mm, kp = {kp:g} N m: servo mode {servo:.3g} Hz, links {bending:.3g} Hz, "
      f"{1e3 * weight:.3g} g")
assert servo < 0.6 * bending
