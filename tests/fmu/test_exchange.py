"""Our FMUs for model exchange, integrated by a host: the same motion as a run, exact slopes, events, states, and clear refusals."""
import math
import tempfile
import unittest

from host import ERROR, Refused, export, flexloop, records

# A double pendulum in space, whose second hinge is oblique, with a motor behind a lag.
ARM = """flexloop: 1
parameters: {m: 1.5 kg, c: 0.02}
nodes: {a: [0.4, 0, 0], b: [0.8, 0, 0]}
bodies:
  one: {node: a, mass: = m, inertia: [0.02, 0.03, 0.04]}
  two: {node: b, mass: 1, inertia: [0.01, 0.02, 0.03]}
gravity: [0, 0, -9.81]
joints:
  h1: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}
  h2: {type: hinge, between: [a, b], at: [0.6, 0, 0], axis: [0, 1, 1]}
springs: {d: {type: torsional, between: [ground, a], axis: [0, 1, 0], stiffness: 5, damping: = c}}
sensors:
  t1: {measure: angle, joint: h1}
  t2: {measure: angle, joint: h2}
  shake: {measure: acceleration, node: b, direction: [0, 0, 1]}
  pull: {measure: force, joint: h2, direction: [1, 0, 0]}
blocks:
  u: {type: sine, amplitude: 2, frequency: 3}
  lag: {type: transfer_function, input: u, numerator: [1], denominator: [0.05, 1]}
actuators: {motor: {type: torque, joint: h1, input: lag}}
outputs: [t1, t2, shake, pull, lag]
analysis: {time: {end: 0.5, step: 0.25 ms, rho: 1}}
"""
NAMES = ["t1", "t2", "shake", "pull", "lag"]


def integrate(one, end, step, rows=None, names=NAMES):
    """The method of Heun's sister by Runge and Kutta, of fourth order, with events at the ends of steps."""
    changed, next_time = one.event()
    time = 0.0
    while time < end - 1e-12:
        h = min(step, end - time, next_time - time)
        z = one.states()

        def rate(at, shift, of, z=z):
            one.set_time(at)
            one.set_states([x + shift * d for x, d in zip(z, of)])
            return one.rates()

        one.set_time(time)
        k1 = one.rates()
        k2 = rate(time + h / 2, h / 2, k1)
        k3 = rate(time + h / 2, h / 2, k2)
        k4 = rate(time + h, h, k3)
        time += h
        one.set_time(time)
        one.set_states([x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(z, k1, k2, k3, k4)])
        if one.complete() or time >= next_time:
            changed, next_time = one.event()
        if rows is not None:
            rows.append([time, *one.listed(names)])


class Exchange(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.fmus = [export(cls.place.name, ARM, ["u"], NAMES, version, "me") for version in (2, 3)]

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_the_motion_is_that_of_a_run(self):
        # The run is of second order: with half the step it is four times as near.
        ends = []
        for step in ("0.5 ms", "0.25 ms"):
            table = records(self.place.name, ARM, "--step", step)
            ends.append({name: table[name][-1] for name in NAMES})
        for fmu in self.fmus:
            self.assertEqual(len(fmu.states), 2 * 2 + 1)
            one = fmu.instance().start()
            integrate(one, 0.5, 5e-3)
            for name, value in zip(NAMES, one.get(*NAMES)):
                far, near = (end[name] - value for end in ends)
                size = abs(value) + 1.0
                self.assertLess(abs(near), 5e-5 * size, name)
                if abs(far) > 1e-6 * size:
                    self.assertAlmostEqual(far / near, 4.0, delta=0.4, msg=name)
            one.free()

    def test_slopes_are_those_of_the_equations(self):
        for fmu in self.fmus:
            one = fmu.instance().start()
            integrate(one, 0.2, 5e-3)
            z = one.states()
            outputs = [fmu.references[name] for name in NAMES]
            unknowns = fmu.derivatives + outputs
            knowns = fmu.states + [fmu.references["u.input" if "u.input" in fmu.references else "u"]]
            for k, known in enumerate(knowns):
                slopes = one.slopes(unknowns, [known], [1.0])
                h = 1e-5
                ends = []
                for sign in (1.0, -1.0):
                    if k < len(z):
                        one.set_states([x + sign * h * (i == k) for i, x in enumerate(z)])
                    else:
                        one.set(u=sign * h)
                    ends.append(one.rates() + one.get(*NAMES))
                one.set_states(z)
                one.set(u=0.0)
                for i, (a, b) in enumerate(zip(*ends)):
                    exact = (a - b) / (2 * h)
                    self.assertAlmostEqual(slopes[i], exact, delta=2e-6 * max(1.0, abs(exact)), msg=(k, i))
            one.free()

    def test_coordinates_depend_on_motions_alone(self):
        wanted = {"time", "motion 1", "motion 2", "velocity 1", "velocity 2"}
        for fmu in self.fmus:
            self.assertEqual(fmu.motion_dependencies(), {"der(motion 1)": wanted, "der(motion 2)": wanted})
            self.assertEqual(fmu.dependencies("lag"), wanted | {"lag state"})

    def test_far_motions_need_another_base(self):
        # A pendulum that turns over many times: the energy stays what it is.
        model = """flexloop: 1
nodes: {a: [0.5, 0, 0]}
bodies: {one: {node: a, mass: 2, inertia: [0.1, 0.1, 0.1]}}
gravity: [0, 0, -9.81]
joints: {h: {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], start_rate: 15}}
sensors: {t: {measure: angle, joint: h}}
outputs: [t, t.rate]
analysis: {time: {end: 3, step: 1 ms}}
"""
        alone = records(self.place.name, model, "--step", "0.2 ms")
        one = export(self.place.name, model, [], ["t", "t.rate"], 3, "me").instance().start()
        integrate(one, 3.0, 5e-3, names=["t"])
        angle, rate = one.get("t", "t.rate")
        energy = 0.5 * (0.1 + 2 * 0.25) * rate ** 2 - 2 * 9.81 * 0.5 * math.sin(angle)
        self.assertGreater(abs(angle), 4 * math.pi)
        self.assertAlmostEqual(energy, 0.5 * 0.6 * 15 ** 2, delta=1e-3)
        self.assertAlmostEqual(angle, alone["t"][-1], delta=1e-3)
        one.free()

    def test_loops_and_redundant_joints_have_minimal_states(self):
        # A parallel crank of four hinges in space: three of its equations follow from the others.
        model = """flexloop: 1
nodes: {left: [0, 0, 0.25], right: [1, 0, 0.25], bar: [0.5, 0, 0.5]}
bodies:
  left: {node: left, mass: 1, inertia: [0.01, 0.01, 0.01]}
  right: {node: right, mass: 1, inertia: [0.01, 0.01, 0.01]}
  bar: {node: bar, mass: 2, inertia: [0.1, 0.1, 0.1]}
gravity: [0, 0, -9.81]
joints:
  h1: {type: hinge, between: [ground, left], at: [0, 0, 0], axis: [0, 1, 0]}
  h2: {type: hinge, between: [ground, right], at: [1, 0, 0], axis: [0, 1, 0]}
  h3: {type: hinge, between: [left, bar], at: [0, 0, 0.5], axis: [0, 1, 0]}
  h4: {type: hinge, between: [right, bar], at: [1, 0, 0.5], axis: [0, 1, 0]}
sensors: {t: {measure: angle, joint: h1}}
blocks: {u: {type: constant, value: 0.3}}
actuators: {motor: {type: torque, joint: h1, input: u}}
outputs: [t, t.rate]
analysis: {time: {end: 0.6, step: 0.5 ms}}
"""
        alone = records(self.place.name, model, "--step", "0.2 ms")
        fmu = export(self.place.name, model, ["u"], ["t", "t.rate"], 2, "me")
        self.assertEqual(len(fmu.states), 2)
        one = fmu.instance().start()
        integrate(one, 0.6, 5e-3, names=["t"])
        self.assertAlmostEqual(one.get("t"), alone["t"][-1], delta=2e-5)
        # Iθ'' = torque + (2·1·0.25 + 2·0.5) g sin θ, with I = 2 (0.01 + 0.25²) + 2·0.5²
        kept = one.get("t")
        slope = one.slopes(fmu.derivatives, [fmu.references["u"]], [1.0])
        inertia = 2 * (0.01 + 0.0625) + 0.5
        self.assertNotEqual(kept, 0.0)
        acceleration = max(slope, key=abs)
        # The velocity that has been chosen may be that of another body than the crank.
        rates = dict(zip(fmu.states, one.rates()))
        self.assertIn(round(abs(acceleration) * inertia, 6), (1.0, 0.25, 0.5), rates)
        one.free()

    def test_events_of_sources_and_branches(self):
        # A relay that pushes a cart to and fro, and a source that begins within a step.
        model = """flexloop: 1
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 2}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 50}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}
blocks:
  go: {type: step, at: 0.1234, to: 4}
  stop: {type: switch, control: p, threshold: 0.05, hysteresis: 0.01, above: -1, below: 0.5}
  force: {type: sum, inputs: [go, stop]}
loads: {push: {node: cart, force: [1, 0, 0], signal: force}}
outputs: [p, stop]
analysis: {time: {end: 0.8, step: 0.5 ms}}
"""
        alone = records(self.place.name, model, "--step", "0.1 ms")
        for version in (2, 3):
            fmu = export(self.place.name, model, [], ["p", "stop"], version, "me")
            self.assertGreater(fmu.indicators, 0)
            one = fmu.instance().start()
            self.assertAlmostEqual(one.event()[1], 0.1234)
            time, next_time = 0.0, one.event()[1]
            # Steps end where an indicator is negative: halved until they are short.
            while time < 0.8 - 1e-12:
                h = min(2e-3, 0.8 - time, next_time - time)
                kept = one.save()
                while True:
                    self.step(one, time, h)
                    if h < 1e-9 or min(one.numbers("GetEventIndicators", fmu.indicators)) >= 0.0:
                        break
                    one.restore(kept)
                    h /= 2
                one.forget(kept)
                time += h
                if one.complete() or time >= next_time or h < 1e-9:
                    next_time = one.event()[1]
            self.assertAlmostEqual(one.get("p"), alone["p"][-1], delta=1e-6)
            one.free()

    @staticmethod
    def step(one, time, h):
        z = one.states()
        one.set_time(time)
        k1 = one.rates()
        one.set_time(time + h / 2)
        one.set_states([x + h / 2 * d for x, d in zip(z, k1)])
        k2 = one.rates()
        one.set_states([x + h / 2 * d for x, d in zip(z, k2)])
        k3 = one.rates()
        one.set_time(time + h)
        one.set_states([x + h * d for x, d in zip(z, k3)])
        k4 = one.rates()
        one.set_states([x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(z, k1, k2, k3, k4)])

    def test_nominal_values_are_of_the_size_of_the_machine(self):
        # Hosts take their absolute tolerances from them: one of a metre would hide all that a resonator of 0.1 mm does.
        model = """flexloop: 1
nodes: {a: {position: [0.1 mm, 0, 0], free: [x]}, b: {position: [0.1 mm, 0, 0], free: [rz]}}
bodies: {a: {node: a, mass: 1e-9}, b: {node: b, mass: 1e-9, inertia: [1e-18, 1e-18, 1e-18]}}
springs: {k: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: 40}}
sensors: {x: {measure: displacement, node: a, direction: [1, 0, 0]}}
outputs: [x]
"""
        for version in (2, 3):
            fmu = export(self.place.name, model, [], ["x"], version, "me")
            one = fmu.instance().start()
            nominals = one.numbers("GetNominalsOfContinuousStates", len(fmu.states))
            self.assertEqual(sorted(nominals), [1e-4, 1e-4, 1.0, 1.0])
            one.free()

    def test_states_come_back(self):
        for fmu in self.fmus:
            one, other = fmu.instance().start(), fmu.instance().start()
            integrate(one, 0.1, 5e-3)
            data = one.serialize(one.save())
            other.restore(other.deserialize(data))
            self.assertEqual(other.states(), one.states())
            for a, b in zip(other.rates(), one.rates()):
                self.assertAlmostEqual(a, b, delta=1e-9 * (1 + abs(b)))
            for k in range(0, len(data), len(data) // 150):
                changed = data[:k] + bytes([data[k] ^ 0x55]) + data[k + 1:]
                try:  # refused, or other numbers; the host goes on
                    other.restore(other.deserialize(changed))
                    other.rates()
                except Refused:
                    pass
            other.restore(other.deserialize(data))
            self.assertEqual(other.states(), one.states())
            one.free()
            other.free()

    def test_what_has_no_such_equations_is_refused_with_the_reason(self):
        cart = """flexloop: 1
nodes: {cart: {position: [0, 0, 0], free: [x]}, loose: {position: [1, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
springs: {k: {type: linear, between: [cart, loose], direction: [1, 0, 0], stiffness: 3, damping: 1},
          l: {type: linear, between: [ground, loose], direction: [1, 0, 0], stiffness: 3, damping: 1}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}
"""
        cases = {"": "no mass resists the motion of loose x",
                 "held: {type: hold, input: p, sample: 1 ms}": "'held' is sampled",
                 "late: {type: transport_delay, input: p, delay: 3 ms}": "is delayed"}
        for block, words in cases.items():
            model = cart if block == "" else cart.replace("mass: 1}}", "mass: 1}, loose: {node: loose, mass: 1}}")
            if block:
                model += f"blocks:\n  {block}\n"
            path = f"{self.place.name}/refused.yaml"
            with open(path, "w", encoding="utf-8") as file:
                file.write(model)
            done = flexloop("fmu", path, "--kind", "me", "--to", "p", "-o", path + ".fmu", ok=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertIn("--kind cs", done.stderr)

    def test_calls_of_the_other_kind_are_refused(self):
        one = self.fmus[0].instance().start()
        with self.assertRaises(Refused) as caught:
            one.step(0.0, 1e-3)
        self.assertEqual(caught.exception.status, ERROR)
        one.free()


if __name__ == "__main__":
    unittest.main()
