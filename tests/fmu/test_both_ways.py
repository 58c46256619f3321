"""Our FMUs imported into ourselves: the same trajectories and modes; and the arm under a controller of another program."""
import json
import math
import pathlib
import tempfile
import unittest

from host import Refused, export, flexloop, records

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
        model = ROOT / "models/controlled_arm/model.yaml"
        filtered = ["--set", "blocks.servo1.filter=10 ms", "--set", "blocks.servo2.filter=10 ms"]
        alone = records(self.folder, model, "--step", "0.05 ms", "--end", "0.06", *filtered)
        # Both PID controllers are taken out; what they gave are inputs.
        given = ["--set", "blocks.servo1={type: constant, value: 0}", "--set", "blocks.servo2={type: constant, value: 0}",
                 "--set", "analysis.time.step=1 ms"]
        names = ["theta1", "theta2"]
        fmu = export(self.folder, model, ["servo1", "servo2"], names, more=given)
        errors = []
        for h in (0.1e-3, 0.05e-3, 0.025e-3):
            rows = self.turn(fmu, names, h)
            # Over the whole motion, at the instants that all of them have.
            errors.append([max(abs(row[k] - alone[name][4 * i]) for i, row in enumerate(rows))
                           for k, name in enumerate(names)])
        for first, second, third in zip(*errors):
            # The controller is late by half a step on the mean: at least of first order.
            self.assertGreater(first / second, 1.8)
            self.assertGreater(second / third, 1.8)
            self.assertLess(third, 5e-4)
        # As late as ten milliseconds, it no longer holds the arm.
        try:
            self.assertGreater(max(abs(x) for row in self.turn(fmu, names, 10e-3) for x in row), 1.0)
        except Refused:
            pass

    @staticmethod
    def turn(fmu, names, h):
        """Both angles every 0.2 ms, or at all steps that are longer."""
        one = fmu.instance().start()
        total, slow1, slow2 = 0.0, 0.0, 0.0
        every = max(1, round(0.2e-3 / h))
        rows = []
        try:
            for k in range(round(0.06 / h)):
                t1, t2 = one.get(*names)
                if k % every == 0:
                    rows.append((t1, t2))
                w1, w2 = (t1 - slow1) / 0.01, (t2 - slow2) / 0.01
                slow1, slow2 = slow1 + h * w1, slow2 + h * w2
                e1 = 0.15 * (1 - math.cos(10 * k * h)) - t1
                e2 = 0.10 * (1 - math.cos(15 * k * h)) - t2
                one.set(servo1=0.1 * e1 + 0.2 * total - 0.004 * w1, servo2=0.05 * e2 - 0.001 * w2)
                total += h * e1
                one.step(k * h, h)
            return rows
        finally:
            one.free()


if __name__ == "__main__":
    unittest.main()
