"""The scripts of examples/python, whose asserts are the test."""
import subprocess
import sys
import unittest

from support import ROOT, Case

SCRIPTS = sorted((ROOT / "examples/python").glob("*.py"))


class Examples(Case):
    def test_there_are_ten(self):
        self.assertEqual(len(SCRIPTS), 10)
        page = (ROOT / "examples/python/README.md").read_text(encoding="utf-8")
        for script in SCRIPTS:
            self.assertIn(script.name, page)


def add(script):
    def test(self):
        done = subprocess.run([sys.executable, "-W", "error:::__main__", str(script)], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        self.assertTrue(done.stdout)

    setattr(Examples, f"test_{script.stem}", test)


for path in SCRIPTS:
    add(path)

if __name__ == "__main__":
    unittest.main()
