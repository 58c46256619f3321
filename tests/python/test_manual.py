"""The code of docs/manual/python.md, from top to bottom."""
import os
import re
import tempfile
import unittest

from support import ROOT, Case

import flexloop as fl


class Manual(Case):
    def test_code_of_the_page(self):
        page = (ROOT / "docs/manual/python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
        self.assertGreaterEqual(len(blocks), 3)
        names = {}
        before = os.getcwd()
        # It writes files, and not into the source.
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "models", os.path.join(folder, "models"))
            os.chdir(folder)
            try:
                for block in blocks:
                    exec(compile(block, "python.md", "exec"), names)
            finally:
                os.chdir(before)
        self.assertIsInstance(names["m"], fl.Model)
        self.assertEqual(names["r"].time[-1], 2.0)

    def test_help_is_the_manual(self):
        import contextlib
        import io

        with contextlib.redirect_stdout(io.StringIO()) as told:
            fl.help("joints.hinge")
        self.assertIn("hinge", told.getvalue())


if __name__ == "__main__":
    unittest.main()
