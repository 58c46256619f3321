"""Hosts whose time does not begin at zero: initial values hold where they start, and sources have gone on until then."""
import math
import tempfile
import unittest

from host import Refused, export

MODEL = """flexloop: 1
parameters: {k: 200}
nodes: {c: {position: [0.1, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {c: {node: c, mass: 2}}
springs: {k: {type: linear, between: [ground, c], direction: [1, 0, 0], stiffness: = k, damping: 4}}
sensors: {x: {measure: position, node: c, direction: [1, 0, 0]}}
blocks:
  s: {type: step, at: 1.055, to: 3}
  w: {type: sine, amplitude: 2, frequency: 3}
  u: {type: sum, inputs: [s, w]}
loads: {p: {node: c, force: [1, 0, 0], signal: u}}
outputs: [x, x.rate, u]
analysis: {time: {end: 0.4, step: 1 ms}}
"""
SAMPLED = MODEL.replace("loads:", """  late: {type: transport_delay, input: u, delay: 37.1 ms, initial: 0.7}
  held: {type: hold, input: x, sample: 7 ms}
loads:""").replace("x.rate, u]", "x.rate, u, late, held]")
START, JUMP = 1.0305, 1.055


def force(t, isAfter):
    return 2 * math.sin(6 * math.pi * t) + (3 if isAfter else 0)


def integrate(end, count=400):
    """The equation of the cart itself, by Runge and Kutta."""
    x, v = 0.1, 1.0
    for begin, stop, isAfter in ((START, JUMP, False), (JUMP, end, True)):
        h = (stop - begin) / count

        def f(t, x, v):
            return v, (force(t, isAfter) - 200 * (x - 0.1) - 4 * v) / 2

        for k in range(count):
            t = begin + k * h
            a = f(t, x, v)
            b = f(t + h / 2, x + h / 2 * a[0], v + h / 2 * a[1])
            c = f(t + h / 2, x + h / 2 * b[0], v + h / 2 * b[1])
            d = f(t + h, x + h * c[0], v + h * c[1])
            x += h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
            v += h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
    return x, v


class StartTime(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    @staticmethod
    def begin(fmu, start=START):
        one = fmu.instance()
        one.initialize(start)
        one.call("ExitInitializationMode")
        return one

    def steps(self, one, first, last):
        for k in range(first, last):
            one.step(START + k * 1e-3, 1e-3)
        return START + last * 1e-3

    def test_co_simulation(self):
        names = ["x", "x.rate", "u", "late", "held"]
        for version in (2, 3):
            one = self.begin(export(self.place.name, SAMPLED, ["u"], names, version))
            self.assertEqual(one.get("x", "x.rate", "late", "held", "time"), [0.1, 1.0, 0.7, 0.0, START])
            self.assertAlmostEqual(one.get("u"), force(START, False), places=12)
            t = self.steps(one, 0, 36)
            self.assertEqual(one.get("late"), 0.7)  # the past of the start is over 37.1 ms after it
            kept = one.save()
            t = self.steps(one, 36, 200)
            x, v = integrate(t)
            self.assertAlmostEqual(one.get("x"), x, delta=2e-6)
            self.assertAlmostEqual(one.get("x.rate"), v, delta=5e-5)
            self.assertAlmostEqual(one.get("late"), force(t - 0.0371, True), delta=1e-6)
            # The clock of 7 ms is that of zero: its last instant was at 1.225 s.
            self.assertAlmostEqual(one.get("held"), integrate(1.225)[0], delta=2e-6)
            first = one.get(*names)
            one.restore(kept)
            self.steps(one, 36, 200)
            self.assertEqual(one.get(*names), first)
            one.restore(kept)
            one.assign({"k": 200.02})
            self.steps(one, 36, 200)
            self.assertNotEqual(one.get("x"), first[0])
            self.assertAlmostEqual(one.get("x"), first[0], delta=1e-4)
            one.free()

    def test_model_exchange(self):
        for version in (2, 3):
            one = self.begin(export(self.place.name, MODEL, [], ["x", "u"], version, "me"))
            self.assertAlmostEqual(one.event()[1], JUMP, places=12)
            for name, isAfter in (("before", False), ("after", True)):
                one.set_time(START if not isAfter else JUMP)
                if isAfter:
                    one.event()
                self.assertAlmostEqual(one.get("u"), force(one.time, isAfter), places=12, msg=name)
                rates = dict(zip(one.fmu.states, one.rates()))
                exact = (force(one.time, isAfter) - 4) / 2
                self.assertIn(round(exact, 9), [round(r, 9) for r in rates.values()])
            one.free()

    def test_events_of_a_host_that_counts_the_seconds_of_many_years(self):
        """Instants that are 5 ms apart, where a time has hardly more than seven digits behind the point."""
        train = MODEL.replace("s: {type: step, at: 1.055, to: 3}", "s: {type: pulse, width: 5 ms, period: 10 ms}")
        one = self.begin(export(self.place.name, train, [], ["u"], 2, "me"), 1.7e9 + 0.001)
        times = [one.event()[1]]
        for _ in range(4):
            one.set_time(times[-1])
            times.append(one.event()[1])
        for before, after in zip(times, times[1:]):
            self.assertAlmostEqual(after - before, 5e-3, delta=1e-6)
        self.assertLess(times[0] - 1.7e9, 0.0051)
        one.set_time(1e300)  # where no instant can be told from the next one
        one.event()
        one.free()

    def test_what_cannot_start_late_is_refused(self):
        one = export(self.place.name, MODEL, [], ["x"]).instance()
        one.initialize(-1.0)
        with self.assertRaises(Refused) as caught:
            one.call("ExitInitializationMode")
        self.assertIn("cannot start at -1 s", caught.exception.message)
        one.free()
        rest = MODEL.replace("step: 1 ms}", "step: 1 ms, start: equilibrium}").replace(", velocity: [1, 0, 0]", "")
        one = export(self.place.name, rest, [], ["x"]).instance()
        one.initialize(2.0)
        with self.assertRaises(Refused) as caught:
            one.call("ExitInitializationMode")
        self.assertIn("its rest is that of time zero", caught.exception.message)
        one.free()


if __name__ == "__main__":
    unittest.main()
