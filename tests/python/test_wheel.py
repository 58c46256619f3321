"""What `pip install` makes: a wheel with everything that the module needs, and an environment in which it works."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

from support import ROOT, Case, model

import flexloop as fl

USE = """
import pathlib, sys
import flexloop as fl
m = fl.load(sys.argv[1])
print(pathlib.Path(fl.__file__).parent)
print(m.modes()[0].eigenvalue)
m.fmu(sys.argv[2], ["motor"], ["x"])
"""


class Wheel(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", cls.folder.name,
                        str(ROOT)], check=True, capture_output=True)
        (cls.wheel,) = cls.path.glob("*.whl")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_content(self):
        names = {name.removeprefix("flexloop/") for name in zipfile.ZipFile(self.wheel).namelist()}
        wanted = {p.name for p in (ROOT / "python/flexloop").iterdir() if p.is_file()} | {"flexloop_fmu.so"}
        (compiled,) = (n for n in names if n.startswith("_flexloop.") and n.endswith(".so"))
        own = {n for n in names if ".dist-info/" not in n}
        self.assertEqual(own, wanted | {compiled})

    def test_environment(self):
        """Installed where nothing of the source is seen, it gives the same numbers and writes FMUs."""
        place = self.path / "v"
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", place], check=True)
        subprocess.run([place / "bin/pip", "install", "--no-index", "--quiet", self.wheel], check=True)
        done = subprocess.run([place / "bin/python", "-I", "-c", USE, model("pid_integral"), self.path / "servo.fmu"],
                              cwd=self.folder.name, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        home, root = done.stdout.splitlines()
        self.assertTrue(home.startswith(str(place)), home)
        self.assertEqual(complex(root), fl.load(model("pid_integral")).modes()[0].eigenvalue)
        self.assertIn("modelDescription.xml", zipfile.ZipFile(self.path / "servo.fmu").namelist())


if __name__ == "__main__":
    unittest.main()
