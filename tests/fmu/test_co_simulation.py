"""Our FMUs for co-simulation, called by a host: the same motion as a run, inputs, states, slopes, parameters and failures."""
import ctypes
import math
import tempfile
import unittest

from host import DISCARD, ERROR, Refused, export, records

CART = """flexloop: 1
parameters: {m: 2 kg, k: 200 N/m, rise: 0.3, two_k: = 2*k}
nodes: {cart: {position: [0.1, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {cart: {node: cart, mass: = m}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: = k, damping: 4}}
sensors:
  p: {measure: position, node: cart, direction: [1, 0, 0]}
  v: {measure: velocity, node: cart, direction: [1, 0, 0]}
  a: {measure: acceleration, node: cart, direction: [1, 0, 0]}
blocks:
  force: {type: step, at: 0.055, to: = rise}
  lag: {type: transfer_function, input: force, numerator: [1], denominator: [0.02, 1]}
  held: {type: hold, input: v, sample: 7 ms}
  seen: {type: sum, inputs: [p, held]}
loads: {push: {node: cart, force: [1, 0, 0], signal: lag}}
outputs: [p, v, a, lag, held, seen]
analysis: {time: {end: 0.4, step: 1 ms}}
"""
NAMES = ["p", "v", "a", "lag", "held", "seen"]


class CoSimulation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.fmus = [export(cls.place.name, CART, ["force"], NAMES, version) for version in (2, 3)]
        cls.run_alone = records(cls.place.name, CART)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_steps_of_the_model_are_those_of_a_run(self):
        for fmu in self.fmus:
            one = fmu.instance().start()
            for row in one.run(0.4, 1e-3, NAMES)[::20]:
                at = round(row[0] / 1e-3)
                for name, value in zip(NAMES, row[1:]):
                    self.assertAlmostEqual(value, self.run_alone[name][at], delta=2e-9, msg=(name, row[0]))
            one.free()

    def test_any_communication_step_gives_the_same_motion(self):
        # Steps are cut at communication points: what differs is the error of the scheme, of second order.
        for fmu in self.fmus:
            for step, bound in ((8e-3, 1e-8), (1e-3 / 3.0, 2e-5), (2.3e-3, 2e-5)):
                one = fmu.instance().start()
                count = int(0.35 / step)
                rows = one.run(count * step, step, ["p"])
                exact = self.interpolate("p", rows[-1][0])
                self.assertAlmostEqual(rows[-1][1], exact, delta=bound, msg=step)
                one.free()

    def interpolate(self, name, time):
        values, at = self.run_alone[name], time / 1e-3
        k = min(int(at), len(values) - 2)
        slope = self.run_alone["v"]
        # Cubic by values and velocities.
        s = at - k
        h = 1e-3
        return ((1 + 2 * s) * (1 - s) ** 2 * values[k] + s * (1 - s) ** 2 * h * slope[k]
                + s * s * (3 - 2 * s) * values[k + 1] + s * s * (s - 1) * h * slope[k + 1])

    def test_communication_points_leave_no_trace_in_a_motion(self):
        # Instants of the controller lie between those of the host: nothing jumps where the host only looks.
        model = """flexloop: 1
materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}
sections: {strip: {type: rectangle, width: 20 mm, height: 3 mm}}
nodes: {a: [0, 0, 0], b: [0.5, 0, 0]}
beams: {arm: {from: a, to: b, elements: 2, section: strip, material: alu, y_axis: [0, 1, 0], damping: 1e-4}}
bodies: {hub: {node: a, mass: 0.1, inertia: [0.01, 0.01, 0.01]}, load: {node: b, mass: 0.2, inertia: [1e-4, 1e-4, 1e-4]}}
gravity: [0, 0, -9.81]
joints: {h: {type: hinge, between: [ground, a], axis: [0, 1, 0]}}
sensors: {t: {measure: angle, joint: h}}
blocks:
  want: {type: step, at: 10.5 ms, to: 0.4}
  servo: {type: discrete_pid, input: t, reference: want, kp: 20, kd: 2, sample: 2.5 ms}
actuators: {motor: {type: torque, joint: h, input: servo}}
outputs: [t, t.rate, servo]
analysis: {time: {end: 0.2, step: 1 ms}}
"""
        alone = records(self.place.name, model)
        at = [round(t, 9) for t in alone["time"]]
        for version in (2, 3):
            one = export(self.place.name, model, [], ["t", "t.rate", "servo"], version).instance().start()
            for row in one.run(0.2, 1e-3, ["t", "t.rate", "servo"])[1:]:
                k = at.index(round(row[0], 9))
                for name, value in zip(("t", "t.rate", "servo"), row[1:]):
                    size = max(map(abs, alone[name]))
                    self.assertAlmostEqual(value, alone[name][k], delta=1e-6 * size, msg=(name, row[0]))
            one.free()

    def test_what_sticks_breaks_away_with_an_input(self):
        # Coulomb's cart: it slips from where the force of the sine and that of the input are 3 N together.
        model = """flexloop: 1
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
joints: {rail: {type: slider, between: [ground, cart], axis: [1, 0, 0], friction: {force: 3}}}
sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}
blocks: {u: {type: sine, amplitude: 6, frequency: 1.3}}
actuators: {motor: {type: force, node: cart, direction: [1, 0, 0], input: u}}
outputs: [x, x.rate]
analysis: {time: {end: 2, step: 1 ms}}
"""
        w = 2 * math.pi * 1.3
        for push in (0.0, 0.3, -0.2):
            one = export(self.place.name, model, ["u"], ["x", "x.rate"]).instance().start()
            one.assign({"u": push})
            for k in range(120):
                one.step(k * 1.3e-3, 1.3e-3)
            begin, end = math.asin((3 - push) / 6) / w, 120 * 1.3e-3
            speed = 6 / w * (math.cos(w * begin) - math.cos(w * end)) - (3 - push) * (end - begin)
            self.assertAlmostEqual(one.get("x.rate"), speed, delta=2e-5 * speed)
            one.free()

    def test_an_input_is_added_to_its_signal(self):
        # Held from 0.1 s on: as a second source whose jump is there.
        model = CART.replace("{type: step, at: 0.055, to: = rise}", "{type: sum, inputs: [one, two]}\n"
                             "  one: {type: step, at: 0.055, to: = rise}\n  two: {type: step, at: 0.1, to: 0.5}")
        alone = records(self.place.name, model)
        for fmu in self.fmus:
            one = fmu.instance().start()
            for k in range(400):
                one.assign({"force": 0.5 if k >= 100 else 0.0})
                one.step(k * 1e-3, 1e-3)
                if k % 40 == 39:
                    for name in ("p", "v", "lag"):
                        self.assertAlmostEqual(one.get(name), alone[name][k + 1], delta=2e-9, msg=(name, k))
            one.free()

    def test_inputs_at_the_start_act_on_the_start(self):
        for fmu in self.fmus:
            one = fmu.instance()
            one.initialize()
            self.assertAlmostEqual(one.get("a"), -2.0, places=9)  # -d/m v, with the spring at rest
            two = fmu.instance().start()
            self.assertEqual(two.get("p"), 0.1)
            one.free()
            two.free()

    def test_states_come_back(self):
        for fmu in self.fmus:
            one, other = fmu.instance().start(), fmu.instance().start()
            one.run(0.1, 1e-3, NAMES)
            kept = one.save()
            data = one.serialize(kept)

            def rest(of):
                rows = []
                for k in range(100, 200):
                    of.assign({"force": 0.1 * math.sin(k)})
                    of.step(k * 1e-3, 1e-3)
                    rows.append(of.get(*NAMES))
                return rows

            first = rest(one)
            one.restore(kept)
            self.assertEqual(rest(one), first)
            other.restore(other.deserialize(data))
            self.assertEqual(other.get(*NAMES), self.at(one, kept))
            self.assertEqual(rest(other), first)
            one.forget(kept)
            one.free()
            other.free()

    @staticmethod
    def at(one, kept):
        one.restore(kept)
        return one.get(*NAMES)

    def test_bytes_of_others_are_no_state(self):
        for fmu in self.fmus:
            one = fmu.instance().start()
            kept = one.save()
            data = one.serialize(kept)
            for wrong in (b"", b"nothing", data[:-9], data + b"x", data.replace(fmu.token[1:9].encode(), b"00000000"),
                          b"9" + data[1:]):
                with self.assertRaises(Refused) as caught:
                    one.restore(one.deserialize(wrong))
                self.assertEqual(caught.exception.status, ERROR)
            one.step(0.0, 1e-3)
            one.free()

    def test_a_reset_and_instances_side_by_side_give_the_same_bits(self):
        for fmu in self.fmus:
            one, two = fmu.instance().start(), fmu.instance().start()
            first = one.run(0.1, 2e-3, NAMES)
            one.call("Reset")
            one.start()
            again = [[0.0, *one.get(*NAMES)]]
            beside = [[0.0, *two.get(*NAMES)]]
            for k in range(50):
                for which, rows in ((one, again), (two, beside)):
                    which.step(k * 2e-3, 2e-3)
                    rows.append([(k + 1) * 2e-3, *which.get(*NAMES)])
            self.assertEqual(again, first)
            self.assertEqual(beside, first)
            one.free()
            two.free()

    def test_structure_and_slopes(self):
        for fmu in self.fmus:
            for name in NAMES:
                # The force acts on positions and through the lag only.
                self.assertEqual(fmu.dependencies(name), set(), name)
            direct = export(self.place.name, CART, ["lag", "p"], ["a", "v", "p.rate", "seen"], fmu.version)
            self.assertEqual(direct.dependencies("a"), {"lag"})
            self.assertEqual(direct.dependencies("v"), set())
            self.assertEqual(direct.dependencies("seen"), {"p"})
            one = direct.instance().start()
            slopes = one.slopes([direct.references[n] for n in ("a", "v", "seen")],
                                [direct.references[n] for n in ("lag", "p")], [3.0, 5.0])
            for found, exact in zip(slopes, (3.0 / 2.0, 0.0, 5.0)):
                self.assertAlmostEqual(found, exact, places=12)
            with self.assertRaises(Refused):
                one.slopes([direct.references["m"]], [direct.references["lag"]], [1.0])
            one.free()

    def test_units_and_parameters(self):
        for fmu in self.fmus:
            def typed(name, fmu=fmu):
                variable = fmu.variables[name]
                return variable if fmu.version == 3 else variable[0]
            self.assertEqual([typed(n).get("unit") for n in ("p", "v", "a", "m")], ["m", "m/s", "m/s^2", "kg"])
            variability = {n: fmu.variables[n].get("variability") for n in ("m", "k", "rise", "two_k")}
            self.assertEqual(variability, {"m": "fixed", "k": "tunable", "rise": "tunable", "two_k": "fixed"})
            self.assertEqual(fmu.names("calculatedParameter"), ["two_k"])
            one = fmu.instance()
            one.initialize()
            one.set(m=4.0, k=100.0)
            self.assertEqual(one.get("m", "k", "two_k"), [4.0, 100.0, 200.0])
            one.call("ExitInitializationMode")
            alone = records(self.place.name, CART, "-p", "m=4", "-p", "k=100", "--end", "0.1")
            self.assertAlmostEqual(one.run(0.1, 1e-3, ["p"])[-1][1], alone["p"][-1], delta=2e-9)
            with self.assertRaises(Refused) as caught:
                one.set(m=5.0)
            self.assertIn("'m' is fixed after the initialisation", caught.exception.message)
            with self.assertRaises(Refused):
                one.set(two_k=5.0)
            one.free()

    def test_a_tunable_parameter_acts_from_its_instant_on(self):
        # Twice the stiffness at the instant: what follows is the free oscillation with it, until the force begins.
        for fmu in self.fmus:
            one = fmu.instance().start()
            one.run(0.03, 0.5e-3, NAMES)
            p, v = one.get("p", "v")
            x = p - 0.1
            one.set(k=400.0)
            decay, turning = 1.0, math.sqrt(400.0 / 2.0 - 1.0)
            for k in range(60, 108):
                one.step(k * 0.5e-3, 0.5e-3)
                t = (k - 59) * 0.5e-3
                exact = math.exp(-decay * t) * (x * math.cos(turning * t) + (v + decay * x) / turning * math.sin(turning * t))
                self.assertAlmostEqual(one.get("p"), 0.1 + exact, delta=1e-6)
            one.free()

    def test_what_a_host_does_wrong_is_said(self):
        for fmu in self.fmus:
            self.assertIsNone(fmu.instance(token="{00000000}").handle.value)
            strange = fmu.instance(token="{00000000}")
            self.assertIn("modelDescription.xml belongs to another FMU", strange.log[-1])
            lost = fmu.instance(resources=fmu.path / "binaries")
            self.assertIsNone(lost.handle.value)
            self.assertIn("flexloop.json", lost.log[-1])
            one = fmu.instance()
            with self.assertRaises(Refused):
                one.step(0.0, 1e-3)
            one.start()
            for time, length, words in ((0.5, 1e-3, "the instance is at t = 0 s"), (0.0, -1.0, "positive")):
                with self.assertRaises(Refused) as caught:
                    one.step(time, length)
                self.assertIn(words, caught.exception.message)
            with self.assertRaises(Refused):
                one.set(force=math.nan)
            with self.assertRaises(Refused):
                one.get_numbers((ctypes.c_uint32 * 1)(4711), (ctypes.c_double * 1)())
            with self.assertRaises(Refused):
                one.set_time(1.0)
            one.step(0.0, 1e-3)
            one.call("Terminate")
            with self.assertRaises(Refused):
                one.step(1e-3, 1e-3)
            one.free()


class Failures(unittest.TestCase):
    MODEL = """flexloop: 1
blocks:
  u: {type: constant, value: 1}
  x: {type: integrator, input: u, initial: -0.5}
  y: {type: expression, value: "= sqrt(0.2 - x)", inputs: {x: x}}
outputs: [y]
analysis: {time: {end: 2, step: 10 ms}}
"""

    def test_a_step_that_fails_is_discarded_and_can_be_taken_back(self):
        with tempfile.TemporaryDirectory() as place:
            for version in (2, 3):
                fmu = export(place, self.MODEL, ["u"], ["y", "x"], version)
                one = fmu.instance().start()
                one.run(0.6, 0.1, ["y"])
                kept = one.save()
                with self.assertRaises(Refused) as caught:
                    one.step(0.6, 0.2)  # the root ends at t = 0.7
                self.assertEqual(caught.exception.status, DISCARD)
                self.assertIn("has no value", caught.exception.message)
                self.assertGreater(one.last_time(), 0.6)
                self.assertLess(one.last_time(), 0.7001)
                with self.assertRaises(Refused):
                    one.step(0.8, 0.1)
                one.restore(kept)
                one.set(u=-2.0)
                one.step(0.6, 0.2)
                self.assertAlmostEqual(one.get("x"), 0.1 - 0.2, places=9)
                one.free()


if __name__ == "__main__":
    unittest.main()
