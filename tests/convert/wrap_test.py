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
        # In another process its memory has other addresses.
        done = self.run_("run", "model.yaml", "--checkpoint", "0.01", "--out", "first", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_("run", "model.yaml", "--from", "first/checkpoint.h5")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cannot be continued from a checkpoint", done.stderr)
        (self.path / "second.yaml").write_text(second)
        self.assertEqual(self.run_("wrap", "second.yaml", "-o", "-").returncode, 0)

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
