"""Where integral gain makes a servo unstable, and how damping moves that limit."""
import pathlib

import flexloop as fl

MODELS = pathlib.Path(__file__).parents[2] / "models"
m = fl.load(MODELS / "pid_integral" / "model.yaml")

# s³ + (8 + 2) s² + (12 + 4) s + ki is stable up to ki = 160.
sweep = m.sweep({"ki": (10, 330, 17)})
stable = [point.parameters.ki for point in sweep.points if point.stable]
print(f"stable up to ki = {max(stable):g} of the grid")
assert max(stable) == 150

limit = m.modes(find_stability_limit="ki=1:320").stability_limits[0]
print(f"the limit is ki = {limit.value:.6f}, at {limit.frequency_hz:.6f} Hz: {limit.mode}")
assert abs(limit.value - 160) < 1e-6

# The same over the damping of the wall: Routh says ki = 16 (c + 2).
sweep = m.sweep({"springs.wall.damping": (1, 9, 5), "ki": (25, 205, 10)})
for c in (1, 3, 5, 7, 9):
    row = [p.parameters.ki for p in sweep.points if p.parameters["springs.wall.damping"] == c and p.stable]
    print(f"damping {c}: stable up to ki = {max(row):g} of the grid, exactly {16 * (c + 2)}")
    assert max(row) <= 16 * (c + 2) < max(row) + 20
