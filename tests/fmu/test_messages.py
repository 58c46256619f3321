"""What cannot become an FMU is refused with one message, and nothing is written."""
import json
import pathlib
import tempfile
import unittest

from host import Fmu, flexloop

PLANT = """flexloop: 1
nodes: {cart: {position: [0, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 1}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}, place: {measure: position, node: cart}}
blocks:
  force: {type: constant, value: 0}
loads: {push: {node: cart, force: [1, 0, 0], signal: force}}
"""
TIME = "analysis: {time: {end: 1, step: 10 ms}}\n"


class Messages(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        (self.folder / "plant.yaml").write_text(PLANT + TIME)

    def tearDown(self):
        self.place.cleanup()

    def expect(self, code, message, *words, model="plant.yaml"):
        target = self.folder / "made.fmu"
        given = words if "-o" in words else (*words, "-o", target)
        done = flexloop("fmu", self.folder / model, *given, ok=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertFalse(target.exists())

    def test_wrong_options(self):
        self.expect(2, "no output is given", "--from", "force")
        self.expect(2, "there is no signal named 'farce'", "--from", "farce", "--to", "p")
        self.expect(2, "has several components", "--to", "place")
        self.expect(2, "'p' is given twice", "--to", "p", "p")
        self.expect(2, "--version", "--to", "p", "--version", "1")
        self.expect(2, "--kind", "--to", "p", "--kind", "both")
        self.expect(2, "its name must end in '.fmu'", "--to", "p", "-o", self.folder / "made.zip")
        self.expect(2, "has the signal 'force'", "--from", "push", "--to", "p")

    def test_a_model_without_a_step(self):
        (self.folder / "still.yaml").write_text(PLANT)
        self.expect(2, "the model has no 'analysis: time'", "--to", "p", model="still.yaml")
        flexloop("fmu", self.folder / "still.yaml", "--to", "p", "--kind", "me", "-o", self.folder / "still.fmu")

    def test_stiff_equations(self):
        # A mass on a spring has ±iω, ω = √(k/m), whatever the units; 10 ms are far beyond what explicit methods can do for 1e5 1/s.
        spring = "springs: {{k: {{type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: {}}}}}\n"
        for mass, stiffness, rate in ((1, 1e10, 1e5), (1e-9, 10, 1e5), (1, 25, 5)):
            (self.folder / "spring.yaml").write_text(
                PLANT.replace("mass: 1}", f"mass: {mass}}}") + spring.format(stiffness) + TIME)
            done = flexloop("fmu", self.folder / "spring.yaml", "--to", "p", "--kind", "me", "-o", self.folder / "s.fmu",
                            "--json", self.folder / "s.json")
            found = json.loads((self.folder / "s.json").read_text())["fastest_rate"]
            self.assertAlmostEqual(found / rate, 1.0, delta=0.05)
            self.assertEqual("the equations are stiff: their fastest root is 1e+05 1/s" in done.stderr, rate > 1000)

    def test_a_file_outside_of_the_folder_of_the_model(self):
        deep = self.folder / "deep"
        deep.mkdir()
        (self.folder / "gripper.lpv").write_text("")
        (deep / "model.yaml").write_text(PLANT.replace(
            "blocks:", "blocks:\n  box: {type: fmu, path: ../other.fmu, inputs: {u: p}}") + TIME)
        self.expect(2, "other.fmu", "--to", "p", model="deep/model.yaml")

    def test_includes_and_tables_travel(self):
        (self.folder / "parts").mkdir()
        (self.folder / "parts/wind.csv").write_text("t,f\n0,1\n1,3\n")
        (self.folder / "parts/more.yaml").write_text(
            "flexloop: 1\nblocks:\n  wind: {type: table, file: wind.csv, columns: [t, f]}\n")
        text = PLANT.replace("flexloop: 1", "flexloop: 1\ninclude: parts/more.yaml") + TIME
        (self.folder / "whole.yaml").write_text(text)
        made = self.folder / "whole.fmu"
        flexloop("fmu", self.folder / "whole.yaml", "--to", "wind", "-o", made)
        fmu = Fmu(made)
        for file in ("whole.yaml", "parts/more.yaml", "parts/wind.csv"):
            (self.folder / file).unlink()
        one = fmu.instance().start()
        one.step(0.0, 0.5)
        self.assertAlmostEqual(one.get("wind"), 2.0, places=12)
        one.free()

    def test_the_same_model_gives_the_same_bytes(self):
        for name in ("a.fmu", "b.fmu"):
            flexloop("fmu", self.folder / "plant.yaml", "--from", "force", "--to", "p", "-o", self.folder / name)
        self.assertEqual((self.folder / "a.fmu").read_bytes(), (self.folder / "b.fmu").read_bytes())


if __name__ == "__main__":
    unittest.main()
