"""Models: read, built in code, changed, and refused."""
import copy
import multiprocessing
import pickle
import tempfile
import unittest
import warnings

import numpy as np
from support import Case, call, model

import flexloop as fl

TEXT = """flexloop: 1
parameters: {k: 100, m: 2}
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {m1: {node: cart, mass: = m}}
springs: {k1: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: = k, damping: 1}}
sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}
"""


def build():
    m = fl.Model("cart")
    m.parameters["k"] = 100
    m.parameters["m"] = 2
    m.nodes["cart"] = dict(position=np.zeros(3), free=["x"])
    m.bodies["m1"] = dict(node="cart", mass="= m")
    m.springs.linear("k1", between=["ground", "cart"], direction=[1, 0, 0], stiffness="= k", damping=1)
    m.sensors.displacement("x", node="cart", direction=[1, 0, 0])
    return m


def root_of(task):
    m, k = task
    m.set("k", k)
    return m.modes()[0].eigenvalue


class Models(Case):
    def test_built_in_code_is_the_same_model(self):
        mine, theirs = build(), fl.loads(TEXT)
        self.assertEqual(mine.modes()[0].eigenvalue, theirs.modes()[0].eigenvalue)
        root = (-1 + 1j * np.sqrt(4 * 100 * 2 - 1)) / 4  # 2 s² + s + 100 = 0
        np.testing.assert_allclose(mine.modes()[0].eigenvalue, root, rtol=1e-14)
        again = fl.loads(mine.to_yaml())
        self.assertEqual(again.modes()[0].eigenvalue, mine.modes()[0].eigenvalue)

    def test_sections(self):
        m = build()
        self.assertEqual(list(m.springs), ["k1"])
        self.assertEqual(m.springs["k1"]["stiffness"], "= k")
        del m.sensors["x"]
        self.assertEqual(len(m.sensors), 0)
        loaded = fl.loads(TEXT)
        self.assertEqual(loaded.springs["k1"]["stiffness"], 100.0)
        self.assertEqual(dict(loaded.parameters), {"k": 100.0, "m": 2.0})
        with self.assertRaises(KeyError):
            loaded.springs["k2"]
        with self.assertRaisesRegex(AttributeError, "did you mean 'hinge'"):
            m.joints.hing
        with self.assertRaisesRegex(AttributeError, "its sections are"):
            m.spring = {}

    def test_things_are_added_to_a_file(self):
        m = fl.loads(TEXT)
        m.nodes["other"] = [0, 1, 0]
        m.bodies["m2"] = dict(node="other", mass=1, inertia=[1, 1, 1])
        self.assertEqual(m.check().mass, 3.0)

    def test_docstrings_come_from_the_registry(self):
        self.assertIn("axis", fl.Model().joints.hinge.__doc__)
        self.assertIn("required", fl.Model().springs.linear.__doc__)

    def test_set(self):
        m = fl.loads(TEXT, parameters={"k": 50})
        self.assertEqual(m.get("k"), 50.0)
        m.set("springs.k1.damping", "3 N*s/m")
        m.set({"k": 25, "bodies.m1.mass": 1})
        m.set(m=7)
        self.assertEqual([m.get("springs.k1.damping"), m.get("k"), m.get("bodies.m1.mass")], [3.0, 25.0, 1.0])
        other = m.copy()
        other.set("k", 1)
        self.assertEqual([m.get("k"), other.get("k")], [25.0, 1.0])

    def test_set_in_code(self):
        m = build()
        m.set("springs.k1.stiffness", 8)
        self.assertEqual(m.springs["k1"]["stiffness"], 8)
        m.set({"m": 1, "bodies.m1.com": [0, 0, 0]})
        self.assertEqual(m.parameters["m"], 1)
        self.assertAlmostEqual(abs(m.modes()[0].eigenvalue), np.sqrt(8), places=12)
        with self.assertRaisesRegex(fl.ModelError, r'm\.springs\["k1"\]: error: springs.k1: unknown key'):
            m.set("springs.k1.stifness", 8)
        self.assertEqual(m.check().mass, 1.0)
        with self.assertRaisesRegex(fl.ModelError, "there is no 'k7' in springs"):
            m.set("springs.k7.stiffness", 8)

    def test_get(self):
        m = fl.loads(TEXT)
        self.assertEqual(m.get("springs.k1.direction"), [1.0, 0.0, 0.0])
        self.assertEqual(m.get("springs.k1.between"), ["ground", "cart"])
        with self.assertRaises(fl.ModelError):
            m.get("springs.k1.nothing")
        with self.assertRaisesRegex(fl.ModelError, "there is no parameter 'kk'"):
            m.get("kk")

    def test_models_go_to_other_processes(self):
        for m in (build(), fl.loads(TEXT, parameters={"k": 7}), fl.load(model("pid_integral"), parameters={"ki": 9})):
            other = pickle.loads(pickle.dumps(m))
            np.testing.assert_array_equal(other.modes().eigenvalue, m.modes().eigenvalue)
            self.assertEqual(copy.deepcopy(m).names, m.names)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            roots = pool.map(root_of, [(build(), k) for k in (50, 100)])
        self.assertEqual(roots[1], build().modes()[0].eigenvalue)

    def test_a_mistake_leaves_the_model_as_it_was(self):
        m = fl.loads(TEXT)
        with self.assertRaises(fl.ModelError):
            m.set({"k": 1, "springs.k1.stiffnes": 2})
        self.assertEqual(m.get("k"), 100.0)

    def test_numbers_arrive_as_they_are(self):
        m = fl.loads(TEXT)
        for value in (1 / 3, 5e-324, 1.7976931348623157e308, 1e-5, 123456789012345680.0, np.float64(0.1), np.float32(0.5)):
            m.set("k", value)
            self.assertEqual(m.get("k"), float(value))

    def test_messages_are_those_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, bad in enumerate([
                TEXT.replace("mass: = m", "masss: = m"), TEXT.replace("flexloop: 1", "flexloop: 2"),
                TEXT.replace("direction: [1, 0, 0]", "direction: [0, 0, 0]"), TEXT.replace("node: cart", "node: kart"),
                TEXT.replace("100", "5 kg"), TEXT.replace("k1:", "k1"), "", "flexloop: 1\nnodes: [", "\x00",
            ]):
                file = f"{folder}/bad{number}.yaml"
                with open(file, "w", encoding="utf-8") as target:
                    target.write(bad)
                _, messages, code = call("modes", file)
                with self.subTest(bad=bad), self.assertRaises(fl.ModelError) as caught:
                    fl.load(file).modes()
                self.assertEqual(str(caught.exception), messages.strip())
                self.assertEqual(code, 2)
        for words, action in [
            (["--count", "0"], lambda m: m.modes(count=0)), (["--loop", "half"], lambda m: m.modes(loop="half")),
            (["--set", "springs.wal.stiffness=1"], lambda m: m.set("springs.wal.stiffness", 1)),
            (["-p", "kii=1"], lambda m: m.set("kii", 1)), (["--at", "7"], lambda m: m.modes(at=7.0)),
        ]:
            _, messages, _ = call("modes", model("pid_integral"), *words)
            with self.subTest(words=words), self.assertRaises(fl.ModelError) as caught:
                action(fl.load(model("pid_integral")))
            self.assertEqual(str(caught.exception), messages.strip())

    def test_missing_file(self):
        _, messages, _ = call("modes", "/nowhere/model.yaml")
        with self.assertRaises(fl.ModelError) as caught:
            fl.load("/nowhere/model.yaml")
        self.assertEqual(str(caught.exception), messages.strip())

    def test_messages_about_code_name_the_call(self):
        m = build()
        m.bodies["m2"] = dict(node="cart", masss=1)
        with self.assertRaises(fl.ModelError) as caught:
            m.modes()
        self.assertIn('m.bodies["m2"]: error: bodies.m2: unknown key \'masss\'', str(caught.exception))
        self.assertIn("did you mean 'mass'?", caught.exception.hint)
        del m.bodies["m2"]
        m.modes()

    def test_massless_motion_is_named(self):
        m = build()
        m.nodes["loose"] = [0, 0, 0]
        m.springs.linear("k2", between=["ground", "loose"], direction=[1, 0, 0], stiffness=1)
        with self.assertRaises(fl.ModelError) as caught:
            m.modes()
        self.assertIn("loose", str(caught.exception))
        self.assertNotIn("model built in Python", str(caught.exception))

    def test_unknown_options(self):
        with self.assertRaisesRegex(TypeError, "did you mean 'jobs'"):
            build().sweep({"k": (1, 2, 2)}, job=2)
        with self.assertRaisesRegex(ValueError, "from, to, count"):
            build().sweep({"k": [1, 2, 4]})

    def test_ranges(self):
        m = build()
        one = m.sweep({"k": (50, 150, 5)}).to_dict()
        for other in (m.sweep("k", 50, 150, 5), m.sweep("k=50:150:5"), m.sweep(["k=50:150:5"]),
                      m.sweep({"k": np.linspace(50, 150, 5)}), m.sweep("k", np.linspace(50, 150, 5))):
            self.assertEqual(other.to_dict(), one)
        roots = [point.modes[0].eigenvalue for point in m.sweep("k", np.geomspace(1, 100, 3), log=True).points]
        np.testing.assert_allclose([abs(s) for s in roots], np.sqrt(np.geomspace(1, 100, 3) / 2), rtol=1e-12)

    def test_values_that_no_model_has(self):
        with self.assertRaises(TypeError):
            fl.loads(TEXT).set("k", object())
        with self.assertRaises(fl.ModelError):
            fl.loads(TEXT).set("k", float("nan"))

    def test_warnings(self):
        text = TEXT + "analysis: {time: {end: 1, step: 0.7}}\n"
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            run = fl.loads(text).run()
        self.assertEqual(len(told), len(run.warnings))
        self.assertTrue(all(w.category is fl.ModelWarning and w.filename == __file__ for w in told))


class WrongValues(Case):
    def test_options_of_the_wrong_type(self):
        m = fl.load(model("pid_integral"))
        for call, text in ((lambda: m.modes(count="3"), "count cannot be '3'"), (lambda: m.modes(count=2.5), "count cannot be 2.5"),
                           (lambda: m.modes(near="low"), "near cannot be 'low'"),
                           (lambda: m.frf(["motor"], ["x"], points="many"), "points cannot be 'many'"),
                           (lambda: m.frf([3], ["x"], [1]), r"from cannot be \[3\]")):
            with self.assertRaisesRegex(TypeError, text):
                call()
        with self.assertRaisesRegex(ValueError, "there are no frequencies"):
            m.frf(["motor"], ["x"], [])
        self.assertEqual(len(m.modes(count=np.int64(2))), 2)


if __name__ == "__main__":
    unittest.main()
