"""Parameter-dependent models and controllers from Python: the numbers of the command line."""
import json
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

import numpy as np
from support import Case, call

import flexloop as fl

MODEL = """flexloop: 1
parameters: {p: 1, c: 0.5}
nodes: {a: {position: [0, 0, 0], free: [x]}, b: {position: [1, 0, 0], free: [x]}}
bodies: {a: {node: a, mass: 1}, b: {node: b, mass: 2}}
springs:
  g: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: = 100*p, damping: = c}
  m: {type: linear, between: [a, b], direction: [1, 0, 0], stiffness: 50, damping: 0.2}
sensors:
  xa: {measure: displacement, node: a, direction: [1, 0, 0]}
  vb: {measure: velocity, node: b, direction: [1, 0, 0]}
blocks: {f: {type: constant, value: 0}}
loads: {push: {node: a, force: [1, 0, 0], signal: f}}
outputs: [xa]
analysis: {time: {end: 0.1, step: 1 ms}}
"""


class Design(Case):
    def setUp(self):
        super().setUp()
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = pathlib.Path(self.place.name)
        (self.folder / "model.yaml").write_text(MODEL)
        self.model = fl.load(self.folder / "model.yaml")

    def ask(self, command, *words):
        text, messages, code = call(command, self.folder / "model.yaml", *words, "--json", "-", "--quiet")
        self.assertEqual(code, 0, messages)
        return json.loads(text)

    def test_models_that_depend_on_a_parameter(self):
        file = self.folder / "mine.lpv"
        self.model.set("c", 2.0)
        made = self.model.lpv({"p": (0.5, 2, 4)}, "f", ["xa", "vb"], order=4, file=file)
        theirs = self.ask("lpv", "-p", "p=0.5:2:4", "-p", "c=2", "--from", "f", "--to", "xa", "vb", "--order", "4", "-o",
                          self.folder / "theirs.lpv")
        self.assertEqual(made.to_dict(), theirs)
        self.assertEqual(file.read_bytes(), (self.folder / "theirs.lpv").read_bytes())
        # The springs at p = 1: K = [150 −50; −50 50], C = [2.2 −0.2; −0.2 0.2], M = diag(1, 2).
        A = np.block([[np.zeros((2, 2)), np.eye(2)],
                      [np.array([[-150, 50], [25, -25]]), np.array([[-2.2, 0.2], [0.1, -0.1]])]])
        np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(np.array(fl.lpv(file, 1.0).A))),
                                   np.sort_complex(np.linalg.eigvals(A)), rtol=1e-9)
        with self.assertRaisesRegex(fl.ModelError, "the model covers p from 0.5 to 2"):
            fl.lpv(file, at=[9])

    def test_parameter_dependent_models_for_other_packages(self):
        """What python-control is called with, at one value and at all points; the package itself is not among Debian's."""
        file = self.folder / "mine.lpv"
        self.model.lpv({"p": (0.5, 2, 4)}, "f", ["xa", "vb"], order=4, file=file)
        known = fl.lpv(file)
        self.assertEqual(known.parameters, ["p"])
        np.testing.assert_array_equal(known.points[0], [0.5, 1, 1.5, 2])
        given = []
        stand_in = types.SimpleNamespace(ss=lambda *matrices, **names: given.append((matrices, names)) or len(given))
        with mock.patch.dict(sys.modules, {"control": stand_in}):
            self.assertEqual(known.at(1.25).to_control(), 1)
            points = known.to_control()
        self.assertEqual([values for values, _ in points], [(0.5,), (1.0,), (1.5,), (2.0,)])
        self.assertEqual([system for _, system in points], [2, 3, 4, 5])
        matrices, names = given[0]
        self.assertEqual([matrix.shape for matrix in matrices], [(4, 4), (4, 1), (2, 4), (2, 1)])
        self.assertEqual(names, {"inputs": ["f"], "outputs": ["xa", "vb"]})
        system = known.at(1.25).to_scipy()
        K = np.array([[175, -50], [-25, 25]])  # M⁻¹ K at p = 1.25
        C = np.array([[0.7, -0.2], [-0.1, 0.1]])
        s = 3j
        response = np.linalg.solve(s**2 * np.eye(2) + s * C + K, [1, 0]) * [1, s]
        found = system.C @ np.linalg.solve(s * np.eye(4) - system.A, system.B) + system.D
        np.testing.assert_allclose(found[:, 0], response, rtol=1e-3)

    def test_controllers(self):
        made = self.model.design("lqg", "f", ["xa", "vb"], R=0.01, V=[1e-4, 1e-3], file=self.folder / "mine.yaml")
        theirs = self.ask("design", "--method", "lqg", "--from", "f", "--to", "xa", "vb", "--R", "0.01", "--V", "1e-4,1e-3",
                          "-o", self.folder / "theirs.yaml")
        self.assertEqual(made.to_dict(), theirs)
        self.assertEqual((self.folder / "mine.yaml").read_text(), (self.folder / "theirs.yaml").read_text())
        over = self.model.design("lqg", "f", "xa", R=0.01, V=1e-4, ranges={"p": (0.5, 2, 3)}, file=self.folder / "k.lpv")
        self.assertEqual(len(over.points), 3)
        with self.assertRaisesRegex(fl.ModelError, "there is no 'lqx'"):
            self.model.design("lqx", "f", "xa")

    def test_functions_of_python_that_fail_are_named_so(self):
        def fails(t, x, u):
            raise ValueError("mine")

        self.model.blocks["c"] = fl.block(fails, inputs=["xa"])
        with self.assertRaises(fl.NumericsError) as caught:
            self.model.run()
        self.assertIn("a function of the block 'c' failed at t = 0 s: ValueError: mine", str(caught.exception))
        self.assertNotIn("C++", str(caught.exception))
        with self.assertRaisesRegex(fl.ModelError, "the functions of the block 'c' are in Python"):
            self.model.fmu(self.folder / "x.fmu", [], ["xa"])


if __name__ == "__main__":
    unittest.main()
