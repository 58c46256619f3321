"""Long work: Ctrl-C, progress, threads, memory and time."""
import concurrent.futures
import contextlib
import gc
import io
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
from support import PROGRAM, Case, model

import flexloop as fl


def interrupt_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def memory():
    """[bytes] in use."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class Work(Case):
    def test_interrupt_returns_what_is_there(self):
        m = fl.load(model("pid_integral"))
        timer = interrupt_after(0.5)
        start = time.monotonic()
        run = m.run(end=1e5)
        timer.join()
        self.assertTrue(run.stopped)
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual(len(run.time), len(run["x"]))
        self.assertGreater(len(run.time), 1)
        self.assertLess(run.time[-1], 1e5)
        np.testing.assert_array_equal(m.run(end=0.01)["x"][:5], run["x"][:5])

    def test_interrupt_of_a_sweep(self):
        m = fl.load(model("pid_integral"))
        timer = interrupt_after(0.5)
        sweep = m.sweep({"ki": (1, 2, 100000)})
        timer.join()
        self.assertTrue(sweep.stopped)
        self.assertTrue(0 < sum(point.ok for point in sweep.points) < 100000)

    def test_interrupt_of_a_run_to_a_folder(self):
        m = fl.load(model("pid_integral"))
        timer = interrupt_after(0.5)
        with tempfile.TemporaryDirectory() as folder:
            run = m.run(end=1e5, out=folder)
            timer.join()
            self.assertTrue(run.stopped)
        np.testing.assert_array_equal(m.run(end=0.01)["x"][:5], run["x"][:5])

    def test_interrupt_of_modes(self):
        """Two hundred modes of a beam of 3,000 elements take some seconds."""
        m = fl.loads("""flexloop: 1
materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850}}
sections: {strip: {type: rectangle, width: 20 mm, height: 1 mm}}
nodes: {root: {position: [0, 0, 0], free: []}, tip: [10, 0, 0]}
beams: {b: {from: root, to: tip, elements: 3000, section: strip, material: steel, y_axis: [0, 1, 0]}}
analysis: {time: {end: 1, step: 1 ms}}
""")
        timer = interrupt_after(0.3)
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            m.modes(count=200)
        timer.join()
        self.assertLess(time.monotonic() - start, 60)

    def test_progress(self):
        m = fl.load(model("pid_integral"))
        times = []
        run = m.run(end=1e4, progress=lambda t: times.append(t) or len(times) < 3)
        self.assertTrue(run.stopped)
        self.assertEqual(len(times), 3)
        self.assertEqual(times, sorted(times))
        with self.assertRaises(ZeroDivisionError):
            m.run(end=1e4, progress=lambda t: 1 / 0)

    def test_bar(self):
        class Screen(io.StringIO):
            def write(self, text):
                is_first = "%" in text and "%" not in self.getvalue()
                super().write(text)
                if is_first:
                    os.kill(os.getpid(), signal.SIGINT)  # also while the bar is drawn, Ctrl-C keeps the result
                return len(text)

        with contextlib.redirect_stderr(Screen()) as bar:
            run = fl.load(model("pid_integral")).run(end=1e4, progress=True)
        self.assertIn("%", bar.getvalue())
        self.assertTrue(run.stopped)

    def test_threads_give_the_same_bits(self):
        names = ["pid_integral", "controlled_arm", "quarter_car", "three_mass_chain"] * 4

        def work(name):
            m = fl.load(model(name))
            m.set("analysis.time.end", 0.05)
            run = m.run()
            return m.modes(count=5).eigenvalue.tobytes(), b"".join(v.tobytes() for v in run.values())

        alone = list(map(work, names))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            together = list(pool.map(work, names))
        self.assertEqual(alone, together)

    def test_one_model_in_several_threads(self):
        m = fl.load(model("controlled_arm"))
        alone = m.modes(count=5).eigenvalue
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for other in pool.map(lambda _: m.modes(count=5).eigenvalue, range(12)):
                np.testing.assert_array_equal(alone, other)

    def test_threads_compute_side_by_side(self):
        """A run that ends when another thread has computed something: with one and the same model, and with another."""
        for is_shared in (True, False):
            m = fl.load(model("pid_integral"))
            m.set("analysis.time.end", 1e5)
            other = m if is_shared else fl.load(model("pid_integral"))
            done, latest = threading.Event(), time.monotonic() + 60

            def compute(other=other, done=done):
                other.modes()
                done.set()

            thread = threading.Thread(target=compute)

            def progress(_, done=done, latest=latest, thread=thread):
                if thread.ident is None:
                    thread.start()
                return not done.is_set() and time.monotonic() < latest

            run = m.run(progress=progress)
            was_done = done.is_set()
            thread.join()
            self.assertTrue(run.stopped)
            self.assertTrue(was_done, f"shared: {is_shared}")

    def test_blocks_of_many_sizes_in_several_threads(self):
        """Threads that shared the workspace of the blocks would change its size under each other."""
        m = fl.Model("lags of many sizes")
        m.nodes["cart"] = dict(position=[0, 0, 0], free=["x"], velocity=[1, 0, 0])
        m.bodies["m1"] = dict(node="cart", mass=2)
        m.springs.linear("k1", between=["ground", "cart"], direction=[1, 0, 0], stiffness=100, damping=1)
        m.sensors.displacement("x", node="cart", direction=[1, 0, 0])
        for n in range(1, 25):
            m.blocks[f"b{n}"] = dict(type="state_space", inputs=["x"], A=(-n * np.eye(n)).tolist(),
                                     B=np.ones((n, 1)).tolist(), C=np.ones((1, n)).tolist(), D=[[1]])
        m.actuators.force("motor", node="cart", direction=[1, 0, 0], input="b1")
        m.nodes["bob"] = [0.5, 0, 0]
        m.bodies["bob"] = dict(node="bob", mass=1)
        m.joints.hinge("pin", between=["cart", "bob"], at=[0, 0, 0], axis=[0, 1, 0])
        m.sensors.force("pull", joint="pin")  # sensors of forces have workspaces too
        m.outputs = ["x", "motor", "pull"]
        m.analysis["time"] = dict(end=0.02, step=1e-3)

        def work(_):
            return b"".join(v.tobytes() for v in m.run().values())

        alone = work(0)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.assertEqual(set(pool.map(work, range(100))), {alone})

    def test_other_threads_go_on(self):
        """The interpreter's lock is free while a run computes."""
        counts, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counts[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        run = fl.load(model("pid_integral")).run(end=1e3, progress=lambda t: counts[0] < 10)
        done.set()
        thread.join()
        self.assertTrue(run.stopped)

    def test_modes_take_no_longer_than_the_program(self):
        """A call costs less than the program, which has to start and to read the model first."""
        m = fl.load(model("pid_integral"))
        m.modes()
        count = 1000
        start = time.process_time()
        for _ in range(count):
            m.modes()
        mine = (time.process_time() - start) / count
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        for _ in range(10):
            subprocess.run([PROGRAM, "modes", model("pid_integral"), "--quiet"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        theirs = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 10
        print(f"modes: {1e3 * mine:.3f} ms of processor time, by the program {1e3 * theirs:.3f} ms", file=sys.stderr)
        self.assertLess(mine, theirs)
        self.assertLess(mine, 2e-3)  # [s]; 0.3 ms is usual

    def test_nothing_leaks(self):
        m = fl.load(model("pid_integral"))

        def use(count):
            for i in range(count):
                m.set("ki", 1.0 + i % 7)
                if i % 20 == 0:
                    m.modes()[0].shape
                    m.linearize(["motor"], ["x"]).A
                    m.run(end=0.005)["x"]
                    m.equilibrium()
                    with contextlib.suppress(fl.ModelError):
                        m.set("kii", 1)

        use(500)
        before = memory()
        use(10000)
        self.assertLess(memory() - before, 4 << 20)  # a model kept would be 10000 times tens of kilobytes

    def test_failed_numerics(self):
        m = fl.loads("""flexloop: 1
nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {m1: {node: cart, mass: 1}}
sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}
blocks: {f: {type: expression, inputs: {x: x}, value: "= sqrt(0.05 - x)"}}
actuators: {push: {type: force, node: cart, direction: [1, 0, 0], input: f}}
analysis: {time: {end: 1, step: 1 ms}}
""")
        with self.assertRaises(fl.NumericsError) as caught:
            m.run()
        self.assertGreater(len(caught.exception.result.time), 10)
        self.assertIn("error: ", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
