"""Our FMUs imported into ourselves: the same trajectories and modes; and the arm under a controller of another program."""
import json
import pathlib
import tempfile
import unittest

import arm_master
from host import export, flexloop, records

ROOT = pathlib.Path(__file__).resolve().parents[2]

PLANT = """flexloop: 1
nodes: {cart: {position: [0.02, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 2}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 200, damping: 3}}
sensors:
  p: {measure: position, node: cart, direction: [1, 0, 0]}
  v: {measure: velocity, node: cart, direction: [1, 0, 0]}
blocks:
  force: {type: constant, value: 0}
loads: {push: {node: cart, force: [1, 0, 0], signal: force}}
outputs: [p, v]
analysis: {time: {end: 0.5, step: 1 ms}}
"""
CONTROLLER = """
  e: {type: sum, inputs: [0.05, -y]}
  want: {type: transfer_function, input: e, numerator: [300, 2000], denominator: [0.01, 1]}
"""
LOOP = PLANT.replace("force: {type: constant, value: 0}",
                     "y: {type: gain, input: p, gain: 1}" + CONTROLLER + "  force: {type: gain, input: want, gain: 1}")


def host(file, more):
    return f"""flexloop: 1
blocks:
  plant: {{type: fmu, path: {file}, inputs: {{force: want}}{more}}}
  y: {{type: gain, input: plant.p, gain: 1}}{CONTROLLER}
outputs: [plant.p, plant.v]
analysis: {{time: {{end: 0.5, step: 1 ms}}}}
"""


class BothWays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name)
        (cls.folder / "plant.yaml").write_text(PLANT)
        for version in (2, 3):
            for kind in ("cs", "me"):
                flexloop("fmu", cls.folder / "plant.yaml", "--version", version, "--kind", kind, "--from", "force",
                         "--to", "p", "v", "-o", cls.folder / f"plant{version}{kind}.fmu")

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_tyre_files_travel_along(self):
        car = ROOT / "models" / "car" / "model.yaml"
        alone = records(self.place.name, car, "--end", "0.05")
        one = export(self.place.name, car, [], ["x", "yaw"]).instance().start()
        one.run(0.05, 1e-2, ["x", "yaw"])
        self.assertAlmostEqual(one.get("x"), alone["x"][-1], delta=1e-9 * alone["x"][-1])
        one.free()

    def modes(self, model, *words):
        path = self.folder / "modes.yaml"
        path.write_text(model)
        done = flexloop("modes", path, "--json", "-", "--quiet", "--about", "initial", *words)
        found = [complex(*m["eigenvalue"]) for m in json.loads(done.stdout)["modes"]]
        return sorted(found, key=lambda root: (abs(root.imag), root.real))

    def test_model_exchange_is_the_same_equations(self):
        alone = records(self.folder, LOOP)
        roots = self.modes(LOOP)
        for version in (2, 3):
            model = host(self.folder / f"plant{version}me.fmu", "")
            run = records(self.folder, model)
            for name in ("p", "v"):
                for a, b in zip(run["plant." + name], alone[name]):
                    # Both are of second order in the step, but of first-order equations here.
                    self.assertAlmostEqual(a, b, delta=2e-4 * (1.0 if name == "p" else 30.0))
            for root, exact in zip(self.modes(model), roots):
                self.assertLess(abs(root - exact), 1e-7 * abs(exact), (version, root, exact))

    def test_co_simulation_comes_to_the_same_with_its_step(self):
        alone = records(self.folder, LOOP, "--step", "0.25 ms")
        for version in (2, 3):
            errors = []
            for sample in ("1 ms", "0.5 ms"):
                run = records(self.folder, host(self.folder / f"plant{version}cs.fmu",
                                                f", sample: {sample}, feedthrough: false"), "--step", "0.25 ms")
                errors.append(max(abs(a - b) for a, b in zip(run["plant.p"], alone["p"])))
            self.assertAlmostEqual(errors[0] / errors[1], 2.0, delta=0.15)
            self.assertLess(errors[1], 1e-3)

    def test_modes_of_co_simulation(self):
        # (37.2): hold and step delay the loop by 3 h / 2, which damps less: of first order in h.
        exact = self.modes(LOOP)[-1]
        for version in (2, 3):
            errors = []
            for sample in ("0.5 ms", "0.25 ms"):
                roots = self.modes(host(self.folder / f"plant{version}cs.fmu",
                                        f", sample: {sample}, feedthrough: false"))
                errors.append(min(abs(root - exact) for root in roots))
            self.assertAlmostEqual(errors[0] / errors[1], 2.0, delta=0.2)

    def test_the_arm_under_a_controller_of_another_program(self):
        alone = arm_master.alone(self.folder, 0.06)
        fmu = arm_master.make(self.folder)
        errors = []
        for h in (0.1e-3, 0.05e-3, 0.025e-3):
            rows = arm_master.turn(fmu, h, 0.06, every=0.2e-3)
            self.assertEqual(len(rows), 300)
            # Over the whole motion, at the instants that all of them have.
            errors.append([max(abs(row[1 + k] - alone[name][4 * i]) for i, row in enumerate(rows))
                           for k, name in enumerate(arm_master.NAMES)])
        for first, second, third in zip(*errors):
            # The controller is late by half a step on the mean: of first order.
            self.assertAlmostEqual(first / second, 2.0, delta=0.05)
            self.assertAlmostEqual(second / third, 2.0, delta=0.05)
            self.assertLess(third, 1e-4)
        # Every millisecond is too late: the arm is out of hand at once. Solved at once, steps of a millisecond do.
        late = arm_master.turn(fmu, 1e-3, 0.06)
        self.assertTrue(len(late) < 60 or max(abs(x) for row in late for x in row[1:]) > 1.0)
        coarse = arm_master.alone(self.folder, 0.06, "1 ms")
        for name in arm_master.NAMES:
            self.assertLess(abs(coarse[name][-1] - alone[name][-1]), 2e-3)


if __name__ == "__main__":
    unittest.main()
