"""Code in C as a black box, by the page docs/manual/black_boxes.md to the letter: its description, what `flexloop wrap` prints, the command
of the compiler and the line for the model."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = SOURCE = None


class Wrap(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        page = (SOURCE / "docs/manual/black_boxes.md").read_text()
        self.section = page[page.index("## Code with an interface of its own"):]
        self.section = self.section[:self.section.index("\n## ")] if "\n## " in self.section[3:] else self.section

    def tearDown(self):
        self.folder.cleanup()

    def run_(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.path, capture_output=True, text=True)

    def testThePage(self):
        first, second = re.findall(r"```yaml\n(.*?)```", self.section, re.S)
        (self.path / "servo.yaml").write_text(first)
        wanted = re.search(r"```\n\$ flexloop wrap servo.yaml\n(.*?)```", self.section, re.S).group(1)
        done = self.run_("wrap", "servo.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, wanted)
        code = SOURCE / "tests/fixtures/wrapped"
        for name in ("servo.h", "servo.c"):
            shutil.copy(code / name, self.path)
        command, block = re.search(r"^  (cc .*)$", wanted, re.M).group(1), re.search(r"^  servo: .*$", wanted, re.M).group()
        subprocess.run(command.replace("SOURCES", "servo.c"), shell=True, cwd=self.path, check=True)
        (self.path / "model.yaml").write_text("flexloop: 1\nblocks:\n  position: {type: constant, value: 0.1}\n"
                                              "  speed: {type: constant, value: 0}\n  enable: {type: constant, value: 1}\n" + block +
                                              "\noutputs: [servo.force]\nanalysis: {time: {end: 20 ms, step: 10 ms}}\n")
        done = self.run_("run", "model.yaml", "--csv", "-", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        forces = [float(line.split(",")[1]) for line in done.stdout.strip().split("\n")[1:]]
        for force, expected in zip(forces, (-0.45, -0.5, -0.55)):
            self.assertAlmostEqual(force, expected, delta=1e-7)
        self.assertEqual(self.continued("model.yaml", 0.01), forces)
        (self.path / "second.yaml").write_text(second)
        self.assertEqual(self.run_("wrap", "second.yaml", "-o", "-").returncode, 0)

    def forces(self, *words):
        done = self.run_("run", *words, "--csv", "-", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [float(line.split(",")[1]) for line in done.stdout.strip().split("\n")[1:]]

    def continued(self, model, at):
        """All forces, of a run that another process continues: there its memory has other addresses."""
        done = self.run_("run", model, "--end", str(at), "--checkpoint", str(at), "--out", "first", "--csv", "first.csv", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        first = [float(line.split(",")[1]) for line in (self.path / "first.csv").read_text().strip().split("\n")[1:]]
        return first[:-1] + self.forces(model, "--from", "first/checkpoint.h5")[-(len(self.forces(model)) - len(first) + 1):]

    def build(self, name, description, code, more="\n"):
        (self.path / f"{name}.yaml").write_text(description)
        (self.path / f"{name}.c").write_text(code)
        self.assertEqual(self.run_("wrap", f"{name}.yaml", "-o", f"{name}_wrapper.c").returncode, 0)
        subprocess.run(f"cc -O2 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden -Wl,-z,now -I. -o lib{name}.so "
                       f"{name}_wrapper.c {name}.c -lm", shell=True, cwd=self.path, check=True)
        (self.path / "m.yaml").write_text("flexloop: 1\nblocks:\n  e: {type: sine, amplitude: 1, omega: 50}\n  box: {type: library, path: "
                                          f"./lib{name}.so, inputs: [e], outputs: [force], sample: 10 ms}}\noutputs: [box]\n"
                                          "analysis: {time: {end: 0.1, step: 10 ms}}\n")

    def testARunIsContinuedInAnotherProcess(self):
        code = SOURCE / "tests/fixtures/wrapped"
        shutil.copy(code / "reusable.h", self.path)
        for name in ("plain", "reusable"):  # memory on its heap, and pointers to its structures
            description = (code / f"{name}.yaml").read_text().replace("sample: 2 ms", "sample: 10 ms")
            self.build(name, description, (code / f"{name}.c").read_text())
            self.assertEqual(self.continued("m.yaml", 0.05), self.forces("m.yaml"))

    def testAddressesOfOthersAreNotContinued(self):
        description = "declare: double law(double);\nstep: y = law(u)\ninputs: {u: u}\noutputs: {force: y}\n"
        description = description.replace("double law(double);", "double law(double); static double u, y;")
        # What the loader has put there is put there again; what the code remembers of others means nothing elsewhere.
        for start, code in (("", 0), ("  if (where == 0) where = stderr;\n", 3)):
            self.build("far", description, "#include <math.h>\n#include <stdio.h>\ndouble law(double u) {\n  static double sum;\n"
                       "  static double (*volatile f)(double) = sin;\n  static FILE* volatile where;\n" + start +
                       "  return f(sum += u) + (where == stdin);\n}\n")
            self.forces("m.yaml", "--checkpoint", "0.05", "--out", "first")
            done = self.run_("run", "m.yaml", "--from", "first/checkpoint.h5", "--quiet")
            self.assertEqual(done.returncode, code, done.stderr)
            if code:
                self.assertIn("the code remembers addresses outside of it", done.stderr)
        self.build("far", description, "double law(double u) {\n  static double sum;\n  return sum += 2 * u;\n}\n")
        done = self.run_("run", "m.yaml", "--from", "first/checkpoint.h5", "--quiet")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("of another build of the code", done.stderr)

    def testMistakes(self):
        (self.path / "wrong.yaml").write_text("step: f\noutput: {y: y}\n")
        done = self.run_("wrap", "wrong.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("wrong.yaml:2:1: error: unknown key 'output'", done.stderr)
        self.assertIn("did you mean 'outputs'?", done.stderr)
        self.assertFalse((self.path / "wrong_wrapper.c").exists())
        self.assertEqual(self.run_("wrap", "none.yaml").returncode, 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    given, rest = parser.parse_known_args()
    PROGRAM, SOURCE = given.program, given.source
    unittest.main(argv=[sys.argv[0], *rest])
