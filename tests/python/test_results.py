"""Results: arrays without copies, conversions, displays."""
import concurrent.futures
import copy
import gc
import os
import pathlib
import pickle
import sys
import tempfile
import types
import unittest
import xml.dom.minidom
from html.parser import HTMLParser
from unittest import mock

import numpy as np
from support import Case, model

import flexloop as fl


class Checker(HTMLParser):
    """Whether every element is closed."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        pass


class Results(Case):
    def setUp(self):
        super().setUp()
        self.model = fl.load(model("pid_integral"))

    def test_arrays_share_the_memory_of_the_result(self):
        run = self.model.run(end=0.1)
        first, second = run["x"], run["x"]
        self.assertTrue(np.shares_memory(first, second))
        self.assertFalse(first.flags.owndata)
        with self.assertRaises(ValueError):
            first[0] = 1.0
        before = first.copy()
        del run, second
        gc.collect()
        np.testing.assert_array_equal(first, before)
        equations = self.model.linearize(["motor"], ["x"])
        self.assertTrue(np.shares_memory(equations.A, equations.A))
        self.assertFalse(equations.A.flags.writeable)
        response = self.model.frf(["motor"], ["x"], [1, 2])
        self.assertTrue(np.shares_memory(response.H, response["x"]))

    def test_run(self):
        run = self.model.run(end=0.1)
        self.assertEqual(list(run), ["x", "x.rate", "pid"])
        self.assertEqual(run.time[-1], 0.1)
        self.assertFalse(run.stopped)
        self.assertIn("steps", run.text)
        with self.assertRaisesRegex(KeyError, "recorded: x"):
            run["y"]

    def test_modes(self):
        modes = self.model.modes()
        self.assertEqual(modes[-1].eigenvalue, modes.eigenvalue[-1])
        self.assertEqual(len(modes[:1]), 1)
        with self.assertRaises(IndexError):
            modes[9]
        self.assertTrue(modes.stable)
        self.assertIsInstance(modes[0].name, str)

    def test_scipy(self):
        system = self.model.linearize(["motor"], ["x"]).to_scipy()
        modes = self.model.modes().eigenvalue
        poles = np.sort_complex(np.linalg.eigvals(system.A))
        expected = np.sort_complex(np.concatenate([modes, np.conj(modes[modes.imag > 0])]))
        np.testing.assert_allclose(poles, expected, rtol=1e-10)

    def test_missing_packages_are_named(self):
        equations, run = self.model.linearize(["motor"], ["x"]), self.model.run(end=0.01)
        for module, action in [("control", equations.to_control), ("pandas", run.to_pandas), ("xarray", run.to_xarray)]:
            with mock.patch.dict(sys.modules, {module: None}), self.assertRaisesRegex(ImportError, f"pip install {module}"):
                action()

    def test_control(self):
        """What python-control is called with; the package itself is not among Debian's."""
        given = {}
        stand_in = types.SimpleNamespace(ss=lambda *matrices, **names: given.update(matrices=matrices, **names))
        with mock.patch.dict(sys.modules, {"control": stand_in}):
            self.model.linearize(["motor"], ["x", "x.rate"]).to_control()
        self.assertEqual(given["outputs"], ["x", "x_rate"])
        self.assertEqual(given["matrices"][0].shape, (3, 3))

    def test_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        run = self.model.run(end=0.01)
        frame = run.to_pandas()
        np.testing.assert_array_equal(frame["x"].to_numpy(), run["x"])
        np.testing.assert_array_equal(frame.index.to_numpy(), run.time)
        self.assertEqual(len(self.model.modes().to_pandas()), 2)

    def test_xarray(self):
        try:
            import xarray  # noqa: F401
        except ImportError:
            self.skipTest("xarray is not installed")
        run = self.model.run(end=0.01)
        data = run.to_xarray()
        np.testing.assert_array_equal(data["x"].values, run["x"])
        self.assertEqual(data["x"].attrs["units"], run.units["x"])

    def test_displays(self):
        shown = [self.model, self.model.run(end=0.1), self.model.modes(), self.model.frf(["motor"], ["x"]),
                 self.model.frf(["motor"], ["x"], [1]), self.model.linearize(["motor"], ["x"]),
                 self.model.equilibrium(), self.model.check(), self.model.identify("pid").gains[0]]
        for thing in shown:
            with self.subTest(thing=type(thing).__name__):
                html = thing._repr_html_()
                checker = Checker()
                checker.feed(html)
                self.assertEqual(checker.open, [])
                start = html.find("<svg")
                if start >= 0:
                    xml.dom.minidom.parseString(html[start:html.find("</svg>") + 6])
                self.assertTrue(repr(thing))
                self.assertNotIn("nan", html)

    def test_text_of_strangers_is_no_html(self):
        m = fl.Model("<script>")
        m.nodes["a"] = dict(position=[0, 0, 0], free=["x"])
        m.bodies["b"] = dict(node="a", mass=1)
        self.assertNotIn("<script>", m._repr_html_())

    def test_view(self):
        for thing in (self.model.run(end=0.05), self.model):
            page = thing.view(show=False)
            try:
                self.assertGreater(os.path.getsize(page), 10000)
                with mock.patch("webbrowser.open") as opened:
                    other = thing.view(inline=False)
                    os.remove(other)
                opened.assert_called_once()
            except fl.Error as error:
                self.skipTest(str(error))
            finally:
                os.remove(page)


class Copies(Case):
    """Results go to other processes, and outlive what they come from."""

    def results(self):
        m = fl.load(model("pid_integral"))
        return {"run": m.run(end=0.1), "modes": m.modes(), "mode": m.modes()[0], "frf": m.frf(cut="motor", points=5),
                "equations": m.linearize(["motor"], ["x"]), "equilibrium": m.equilibrium(), "check": m.check(),
                "sweep": m.sweep({"ki": (1, 3, 3)})}

    def test_copies_say_the_same(self):
        for name, found in self.results().items():
            for other in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found), copy.copy(found)):
                with self.subTest(name=name):
                    self.assertEqual(repr(other), repr(found))
                    if hasattr(found, "to_dict"):
                        self.assertEqual(other.to_dict(), found.to_dict())
                    if hasattr(found, "_repr_html_"):
                        self.assertEqual(other._repr_html_(), found._repr_html_())

    def test_copies_have_the_numbers(self):
        found = self.results()
        other = pickle.loads(pickle.dumps(found))
        np.testing.assert_array_equal(other["run"]["x"], found["run"]["x"])
        np.testing.assert_array_equal(other["run"].to_pandas().to_numpy(), found["run"].to_pandas().to_numpy())
        self.assertEqual(other["run"].units, found["run"].units)
        self.assertEqual(other["run"].text, found["run"].text)
        np.testing.assert_array_equal(other["modes"].eigenvalue, found["modes"].eigenvalue)
        self.assertEqual([mode.stable for mode in other["modes"]], [mode.stable for mode in found["modes"]])
        self.assertEqual(str(other["mode"].shape), str(found["mode"].shape))
        np.testing.assert_array_equal(other["frf"].H, found["frf"].H)
        self.assertEqual(other["frf"].margins.to_dict(), found["frf"].margins.to_dict())
        np.testing.assert_array_equal(other["equations"].A, found["equations"].A)
        with self.assertRaisesRegex(TypeError, "needs its folder"):
            other["run"].view(show=False)

    def test_work_in_other_processes(self):
        models = []
        for ki in (10, 20):
            models.append(fl.load(model("pid_integral"), parameters={"ki": ki}))
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            for m, run in zip(models, pool.map(fl.Model.run, models)):
                np.testing.assert_array_equal(run["x"], m.run()["x"])


class Recordings(Case):
    def test_runs_and_records_of_others(self):
        m = fl.load(model("pid_integral"))
        with tempfile.TemporaryDirectory() as folder:
            run = m.run(end=0.1, out=folder)
            run.to_csv(f"{folder}/run.csv")
            for file in ("result.h5", "run.csv"):
                kept = fl.read_record(f"{folder}/{file}", rename={"x": "place"})
                np.testing.assert_array_equal(kept["place"], run["x"])
                np.testing.assert_array_equal(kept.time, run.time)
                self.assertFalse(kept["place"].flags.writeable)
                self.assertEqual(kept.to_pandas()["place"].iloc[-1], run["x"][-1])
                self.assertEqual(len(kept.to_xarray()["place"]), len(run.time))
                self.assertEqual(repr(pickle.loads(pickle.dumps(kept))), repr(kept))
            path = pathlib.Path(folder, "other.csv")
            path.write_text("Time [ms];speed (rpm)\n0;60\n500;120\n1000;60\n", encoding="utf-8")
            other = fl.read_record(path)
            np.testing.assert_allclose(other.time, [0, 0.5, 1])
            np.testing.assert_allclose(other["speed"], [2 * np.pi, 4 * np.pi, 2 * np.pi])
            self.assertEqual(other.units, {"speed": "rad/s"})
            with self.assertRaisesRegex(KeyError, "there is no 'y' in .*; it has speed"):
                fl.read_record(path, rename={"y": "z"})
            with self.assertRaisesRegex(fl.ModelError, "none.csv"):
                fl.read_record(path.with_name("none.csv"))


if __name__ == "__main__":
    unittest.main()
