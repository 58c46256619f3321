"""Blocks in Python beside the same blocks of the registry."""
import concurrent.futures
import gc
import os
import signal
import unittest

import numpy as np
from support import Case

import flexloop as fl


def cart(**blocks):
    m = fl.Model("cart")
    m.nodes["cart"] = dict(position=[0, 0, 0], free=["x"], velocity=[1, 0, 0])
    m.bodies["m1"] = dict(node="cart", mass=2)
    m.springs.linear("k1", between=["ground", "cart"], direction=[1, 0, 0], stiffness=100, damping=1)
    m.sensors.displacement("x", node="cart", direction=[1, 0, 0])
    for name, block in blocks.items():
        m.blocks[name] = block
    m.actuators.force("motor", node="cart", direction=[1, 0, 0], input=list(blocks)[-1])
    m.outputs = ["x", "motor"]
    m.analysis["time"] = dict(end=1, step=1e-3)
    return m


LAG = dict(type="state_space", inputs=["x"], A=[[-20]], B=[[1]], C=[[-400]], D=[[-30]])


def lag(**further):
    return fl.block(lambda t, x, u: -400 * x - 30 * u, derivative=lambda t, x, u: -20 * x + u, states=[0.0],
                    inputs=["x"], **further)


class Blocks(Case):
    def test_continuous(self):
        mine, theirs = cart(c=lag()), cart(c=LAG)
        a, b = mine.run(), theirs.run()
        np.testing.assert_allclose(a["x"], b["x"], rtol=0, atol=1e-10)
        np.testing.assert_allclose(mine.modes().eigenvalue, theirs.modes().eigenvalue, rtol=1e-8)

    def test_jacobian(self):
        called = []

        def jacobian(t, x, u):
            called.append(t)
            return [[-20.0]], [[1.0]], [[-400.0]], [[-30.0]]

        mine = cart(c=lag(jacobian=jacobian))
        np.testing.assert_allclose(mine.modes().eigenvalue, cart(c=LAG).modes().eigenvalue, rtol=1e-12)
        self.assertTrue(called)

    def test_without_states(self):
        mine = cart(c=fl.block(lambda t, x, u: -50 * u, inputs="x"))
        theirs = cart(c=dict(type="gain", input="x", gain=-50))
        np.testing.assert_allclose(mine.modes().eigenvalue, theirs.modes().eigenvalue, rtol=1e-9)
        np.testing.assert_allclose(mine.run()["x"], theirs.run()["x"], rtol=0, atol=1e-11)

    def test_sampled(self):
        period = 0.01

        def update(t, x, u):
            return x + period * u

        mine = cart(c=fl.block(lambda t, x, u: -40 * u - 30 * x, update=update, states=1, inputs=["x"], sample=period))
        run = mine.run()
        # The same recursion on what was recorded.
        memory, expected = 0.0, []
        for k in range(100):
            u = run["x"][np.searchsorted(run.time, k * period - 1e-9)]
            expected.append(-40 * u - 30 * memory)
            memory += period * u
        between = [run["motor"][np.searchsorted(run.time, (k + 0.5) * period)] for k in range(100)]
        np.testing.assert_allclose(between, expected, rtol=1e-9, atol=1e-12)
        modes = mine.modes()
        self.assertGreater(len(modes), 0)
        gains = mine.identify("c").gains[0]
        # The integral is that up to the sample before: Σ_{j<k} T u_j = Σ_{j≤k} T u_j − T u_k.
        self.assertAlmostEqual(gains.kp, -40 + 30 * period, places=6)
        self.assertAlmostEqual(gains.ki, -30, places=6)

    def test_several_outputs_and_inputs(self):
        both = fl.block(lambda t, x, u: [u[0] + u[1], u[0] - u[1]], inputs=["x", "x.rate"], outputs=["sum", "difference"])
        m = cart(b=both, c=dict(type="sum", inputs=["-b.sum", "-b.difference"]))
        run = m.run()
        np.testing.assert_allclose(run["motor"], -2 * run["x"], rtol=1e-10, atol=1e-13)

    def test_mistakes_of_the_user(self):
        def wrong(t, x, u):
            raise RuntimeError("no gain today")

        with self.assertRaises(fl.Error) as caught:
            cart(c=fl.block(wrong, inputs="x")).run()
        self.assertIsInstance(caught.exception.__cause__, RuntimeError)
        self.assertIn("no gain today", str(caught.exception))
        with self.assertRaises(fl.Error) as caught:
            cart(c=fl.block(lambda t, x, u: [1, 2], inputs="x")).run()
        self.assertIn("gives 2 numbers where 1 are expected", str(caught.exception))
        with self.assertRaises(fl.Error):
            cart(c=fl.block(lambda t, x, u: float("nan"), inputs="x")).run()
        for options in (dict(states=1), dict(states=1, sample=1), dict(update=wrong), dict(jacobian=wrong, sample=1)):
            with self.assertRaises(TypeError):
                fl.block(wrong, inputs="x", **options)

    def test_in_a_file(self):
        m = cart(c=LAG)
        loaded = fl.loads(m.to_yaml())
        loaded.blocks["c2"] = fl.block(lambda t, x, u: 0 * u, inputs="x")
        loaded.set("actuators.motor.input", "c2")
        self.assertEqual(loaded.run(end=0.01)["motor"].max(), 0.0)

    def test_functions_live_as_long_as_they_are_needed(self):
        m = cart(c=lag())
        run = m.run(end=0.01)
        del m
        gc.collect()
        self.assertEqual(len(run.time), 11)

    def test_threads(self):
        alone = cart(c=lag()).run()["x"]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for other in pool.map(lambda _: cart(c=lag()).run()["x"], range(8)):
                np.testing.assert_array_equal(alone, other)

    def test_interrupt(self):
        """Wherever it arrives, also in a function of the user: the run ends with what is there."""
        def output(t, x, u):
            if t > 0.5 and not told:
                told.append(t)
                os.kill(os.getpid(), signal.SIGINT)
            return -50 * u

        told = []
        m = cart(c=fl.block(output, inputs="x"))
        run = m.run(end=1e3)
        self.assertTrue(run.stopped)
        self.assertGreaterEqual(run.time[-1], 0.49)
        self.assertFalse(m.run(end=0.01).stopped)

    def test_sweep(self):
        m = cart(c=lag())
        self.assertEqual(len(m.sweep({"springs.k1.stiffness": (50, 150, 3)}, count=2).points), 3)


class WrongAnswers(Case):
    def test_what_a_function_gives_is_checked(self):
        for function, kind, text in ((lambda t, x, u: None, TypeError, "output gives nothing"),
                                     (lambda t, x, u: [1, 2, 3], ValueError, "output gives 3 numbers where 1 are expected"),
                                     (lambda t, x, u: "fast", ValueError, "could not convert string to float")):
            m = cart(law=fl.block(function, inputs=["x"]))
            with self.assertRaisesRegex(fl.NumericsError, "a function of the block 'law' failed") as caught:
                m.run()
            self.assertIsInstance(caught.exception.__cause__, kind)
            self.assertIn(text, str(caught.exception))
            self.assertNotIn("C++", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
