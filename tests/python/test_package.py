"""What the module consists of."""
import pathlib
import re
import subprocess
import unittest

from support import ROOT, Case

import flexloop as fl
from flexloop import _flexloop


class Package(Case):
    def test_every_file_of_the_source_is_there(self):
        built = pathlib.Path(fl.__file__).parent
        names = {p.name for p in (ROOT / "python/flexloop").iterdir() if p.is_file()}
        self.assertLessEqual(names, {p.name for p in built.iterdir()})
        self.assertIn("py.typed", names)

    def test_stub_names_what_is_compiled(self):
        stub = (ROOT / "python/flexloop/_flexloop.pyi").read_text(encoding="utf-8")
        told = set(re.findall(r"^(?:class|def) (\w+)", stub, re.MULTILINE)) | {"version"}
        self.assertEqual(told, {name for name in dir(_flexloop) if not name.startswith("__")})
        for name in ("Model", "Run", "Modes", "Response", "StateSpace"):
            body = re.search(rf"^class {name}:\n((?:    .*\n)+)", stub, re.MULTILINE).group(1)
            members = {m for m in dir(getattr(_flexloop, name)) if not m.startswith("__")}
            self.assertEqual(set(re.findall(r"def (\w+)", body)) - {"__len__"}, members)

    def test_nothing_of_the_inside_is_seen(self):
        """Symbols of the libraries inside would meet those of other modules."""
        text = subprocess.run(["nm", "-D", "--defined-only", _flexloop.__file__], capture_output=True, text=True,
                              check=True).stdout
        names = {line.split()[-1] for line in text.splitlines()}
        strange = {n for n in names if not n.startswith(("block_", "PyInit_", "_ZTI", "_ZTS"))}
        strange = {n for n in strange if not n.startswith(("_ZNSt", "_ZNKSt", "_ZSt", "_ZTV", "_ZGV", "_ZZNSt"))}
        self.assertEqual(strange, set())


if __name__ == "__main__":
    unittest.main()
