"""Every analysis gives the numbers of the command line, to the last bit."""
import os
import tempfile
import unittest

import numpy as np
from support import ROOT, Case, ask, call, model

import flexloop as fl


def table(text):
    names, *rows = text.splitlines()
    return names.split(","), np.array([[float(x) for x in row.split(",")] for row in rows])


class SameNumbers(Case):
    def assert_same(self, mine, theirs, where=""):
        """As deep as it goes; numbers must be the same bits."""
        if isinstance(theirs, dict):
            self.assertEqual(list(mine), list(theirs), where)
            for key in theirs:
                self.assert_same(mine[key], theirs[key], f"{where}.{key}")
        elif isinstance(theirs, list):
            self.assertEqual(len(mine), len(theirs), where)
            for i, (a, b) in enumerate(zip(mine, theirs)):
                self.assert_same(a, b, f"{where}[{i}]")
        else:
            self.assertEqual(mine, theirs, where)

    def check_run(self, name, words, **options):
        with tempfile.TemporaryDirectory() as folder:
            text, messages, code = call("run", model(name), *words, "--csv", "-", "--out", folder)
        self.assertEqual(code, 0, messages)
        names, theirs = table(text)
        run = fl.load(model(name)).run(**options)
        self.assertEqual(["time", *run], names)
        np.testing.assert_array_equal(np.column_stack([run.time, *run.values()]), theirs)

    def test_run(self):
        self.check_run("pid_integral", ["--end", "1"], end=1)
        self.check_run("right_angle_beam", ["--end", "0.5"], end=0.5)
        self.check_run("controlled_arm", ["--end", "0.2", "--step", "2ms", "--rho", "0.7"], end=0.2, step="2 ms",
                       rho=0.7)

    def test_run_to_a_folder(self):
        m = fl.load(model("pid_integral"))
        plain = m.run(end=0.5)
        with tempfile.TemporaryDirectory() as folder:
            kept = m.run(end=0.5, out=folder)
            self.assertTrue(os.path.exists(os.path.join(folder, "result.h5")))
        for name in plain:
            np.testing.assert_array_equal(plain[name], kept[name])
        self.assertEqual(plain.steps, kept.steps)

    def test_modes(self):
        for name, words, options in [
            ("pid_integral", [], {}),
            ("controlled_arm", ["--count", "6"], {"count": 6}),
            ("controlled_arm", ["--loop", "open", "--count", "4"], {"loop": "open", "count": 4}),
            ("controlled_arm", ["--loop", "locked", "--method", "undamped"], {"loop": "locked", "method": "undamped"}),
            ("timoshenko_modes", ["--near", "300", "--count", "3"], {"near": 300, "count": 3}),
            ("quarter_car", ["--about", "equilibrium"], {"about": "equilibrium"}),
        ]:
            with self.subTest(name=name, words=words):
                theirs = ask("modes", model(name), *words)
                mine = fl.load(model(name)).modes(**options)
                self.assert_same(mine.to_dict(), theirs)
                for mode, other in zip(mine, theirs["modes"]):
                    self.assertEqual([mode.eigenvalue.real, mode.eigenvalue.imag], other["eigenvalue"])
                    self.assertEqual(mode.frequency_hz, other["frequency_hz"])
                    self.assertEqual(mode.damping_ratio, other["damping_ratio"])
                    self.assertEqual(mode.stable, other["stable"])
                    self.check_shape(mode.shape, other["shape"])

    def check_shape(self, mine, theirs):
        self.assertEqual(list(mine), list(theirs))
        for name, node in theirs["nodes"].items():
            for part, vector in node.items():
                np.testing.assert_array_equal(mine["nodes"][name][part], [complex(*z) for z in vector])
        for part in ("states", "signals"):
            self.assertEqual(mine[part], {name: complex(*z) for name, z in theirs[part].items()})

    def test_modes_with_reports(self):
        m = fl.load(model("controlled_arm"))
        self.assert_same(m.modes(compare=True).to_dict(), ask("modes", model("controlled_arm"), "--compare"))
        n = fl.load(model("pid_integral"))
        self.assert_same(n.modes(sensitivity=True, of=["springs.wall.stiffness"]).to_dict(),
                         ask("modes", model("pid_integral"), "--sensitivity", "10", "--of", "springs.wall.stiffness"))
        self.assert_same(n.modes(find_stability_limit="ki").to_dict(),
                         ask("modes", model("pid_integral"), "--find-stability-limit", "ki"))
        self.assert_same(n.modes(every=1.0).to_dict(), ask("modes", model("pid_integral"), "--every", "1"))

    def test_equilibrium(self):
        for name in ("quarter_car", "princeton_beam"):
            self.assert_same(fl.load(model(name)).equilibrium().to_dict(), ask("equilibrium", model(name)))

    def test_frf(self):
        m = fl.load(model("controlled_arm"))
        source, target = "motor1", "theta1"
        theirs = ask("frf", model("controlled_arm"), "--from", source, "--to", target, "--frequencies", "0.3,0.9,7")
        mine = m.frf([source], [target], [0.3, 0.9, 7])
        self.assert_same(mine.to_dict(), theirs)
        np.testing.assert_array_equal(mine[target].real, theirs["responses"][0]["re"])
        np.testing.assert_array_equal(mine[target, source].imag, theirs["responses"][0]["im"])
        cut = m.frf(cut=source, range=(0.1, 50), points=30)
        self.assert_same(cut.to_dict(), ask("frf", model("controlled_arm"), "--cut", source, "--range", "0.1:50",
                                            "--points", "30"))
        self.assertEqual(cut.margins.highest_sensitivity, cut.to_dict()["margins"]["highest_sensitivity"])
        self.assertIsNone(mine.margins)

    def test_linearize(self):
        theirs = ask("linearize", model("pid_integral"), "--from", "motor", "--to", "x", "pid")
        mine = fl.load(model("pid_integral")).linearize(["motor"], ["x", "pid"])
        for key in "ABCD":
            np.testing.assert_array_equal(getattr(mine, key), np.array(theirs[key]))
        self.assertEqual([mine.states, mine.inputs, mine.outputs],
                         [theirs["states"], theirs["inputs"], theirs["outputs"]])

    def test_identify(self):
        mine = fl.load(model("pid_integral")).identify("pid")
        self.assert_same(mine.to_dict(), ask("identify", model("pid_integral"), "--block", "pid"))
        self.assertEqual(mine.gains[0].kp, -4.0)

    def test_sweep(self):
        m = fl.load(model("pid_integral"))
        for analysis, words, options in [
            ("modes", ["--count", "3"], {"count": 3}),
            ("equilibrium", [], {}),
            ("run", ["--set", "analysis.time.end=0.1"], {}),
            ("linearize", ["--from", "motor", "--to", "x"], {"inputs": ["motor"], "outputs": ["x"]}),
            ("frf", ["--from", "motor", "--to", "x", "--frequencies", "1,2"],
             {"inputs": "motor", "outputs": "x", "frequencies": [1, 2]}),
        ]:
            with self.subTest(analysis=analysis):
                if analysis == "run":
                    m.set("analysis.time.end", 0.1)
                theirs = ask("sweep", model("pid_integral"), "-p", "ki=0:320:5", "--do", analysis, *words)
                self.assert_same(m.sweep({"ki": (0, 320, 5)}, do=analysis, **options).to_dict(), theirs)

    def test_sweep_of_two(self):
        theirs = ask("sweep", model("pid_integral"), "-p", "ki=10:160:3", "--set", "springs.wall.damping=1:9:3", "--log")
        mine = fl.load(model("pid_integral")).sweep(
            {"ki": (10, 160, 3), "springs.wall.damping": (1, 9, 3)}, log=True)
        self.assert_same(mine.to_dict(), theirs)

    def test_check_and_scheme(self):
        for name in ("pid_integral", "controlled_arm"):
            self.assert_same(fl.load(model(name)).check().to_dict(), ask("check", model(name)))
        self.assert_same(fl.scheme(rho=0.8).to_dict(), ask("scheme", "--rho", "0.8"))

    def test_spectrum(self):
        run = fl.load(model("three_mass_chain")).run()
        with tempfile.TemporaryDirectory() as folder:
            call("run", model("three_mass_chain"), "--out", folder, "--csv", folder + "/run.csv")
            theirs = ask("spectrum", folder + "/run.csv")
            mine = fl.spectrum(folder + "/run.csv").to_dict()
            self.assert_same(mine, theirs)
            own = run.spectrum().to_dict()
        for report in (own, theirs):
            report.pop("record", None)
            report.pop("file", None)
        self.assert_same(own, theirs)

    def test_overrides(self):
        m = fl.load(model("pid_integral"), parameters={"ki": 40})
        m.set("springs.wall.stiffness", "20 N/m")
        m.set("nodes.mass.velocity", [0.5, 0, 0])
        theirs = ask("modes", model("pid_integral"), "-p", "ki=40", "--set", "springs.wall.stiffness=20 N/m", "--set",
                     "nodes.mass.velocity=[0.5,0,0]")
        self.assert_same(m.modes().to_dict(), theirs)
        self.assertEqual([m.get("ki"), m.get("springs.wall.stiffness")], [40.0, 20.0])

    def test_parts(self):
        meshes = sorted((ROOT / "tests").rglob("*.msh")) + sorted((ROOT / "tests").rglob("*.inp"))
        small = min(meshes, key=lambda path: path.stat().st_size if path.stat().st_size > 400 else 1 << 30)
        words = ["--E", "210GPa", "--nu", "0.3", "--rho", "7850", "--count", "3"]
        text, messages, code = call("part", small, *words)
        options = {"E": "210GPa", "nu": 0.3, "rho": 7850, "count": 3}
        if code != 0:
            with self.assertRaises(fl.Error) as caught:
                fl.part(small, **options)
            self.assertEqual(str(caught.exception), messages.strip())
        else:
            self.assert_same(fl.part(small, **options).to_dict(), ask("part", small, *words))


if __name__ == "__main__":
    unittest.main()
