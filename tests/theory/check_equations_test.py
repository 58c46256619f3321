#!/usr/bin/env python3
"""Proves that check_equations.py can fail: it must find each broken example and pass a sound one."""

import pathlib
import tempfile
import unittest

import check_equations

PAGE = "# 1. One\n\n$$ a = b \\tag{1.1} $$\n\n## 1.1 Part\n\n    (1.2)   c = d\n\nBy (1.1) and section 1.1.\n"


def findProblemsIn(files):
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return check_equations.findProblems(root)


class CheckEquationsTest(unittest.TestCase):
    def expectOneProblem(self, files, *words):
        problems = findProblemsIn({"docs/theory/01_one.md": PAGE} | files)
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])

    def testSoundPagesPass(self):
        self.assertEqual([], findProblemsIn({
            "docs/theory/01_one.md": PAGE,
            "src/a/b.hpp": "// c = d                (1.2)\n// (docs/theory/01_one.md, section\n// 1.1)\n",
            "src/a/b.cpp": "double x = sqrt(1.96);  // sqrt(1.96)\nint y = f(1.7);\n",
            "models/m/README.md": "Source: a thesis, section 1.9.\n",
        }))

    def testNumbersOutOfOrderAreFound(self):
        swapped = PAGE.replace("1.2", "1.9")
        self.expectOneProblem({"docs/theory/01_one.md": swapped}, "01_one.md:7", "(1.9) should be (1.2)")

    def testANumberThatIsUsedTwiceIsFound(self):
        self.expectOneProblem({"docs/theory/01_one.md": PAGE.replace("(1.2)", "(1.1)")}, "(1.1) should be (1.2)")

    def testACitationOfNoEquationIsFound(self):
        self.expectOneProblem({"src/a/b.cpp": "int a;\n// By (1.3).\n"}, "src/a/b.cpp:2", "no equation (1.3)")
        self.expectOneProblem({"docs/STATUS.md": "See (1.4).\n"}, "no equation (1.4)")

    def testACitationOfNoSectionIsFound(self):
        self.expectOneProblem({"src/a/b.hpp": "// (docs/theory/01_one.md, sections 1.1 and 1.7)\n"}, "no section 1.7")
        self.expectOneProblem({"src/a/b.hpp": "// As in section\n// 1.8.\n"}, "no section 1.8")

    def testACitationOfNoPageIsFound(self):
        self.expectOneProblem({"src/a/b.hpp": "// docs/theory/02_two.md\n"}, "no page docs/theory/02_two.md")

    def testACitationThatMayMeanBothIsFound(self):
        self.expectOneProblem({"src/a/b.hpp": "// (docs/theory/01_one.md, 1.1)\n"}, "whichever is meant")
        self.expectOneProblem({"docs/STATUS.md": "(theory, 1.1)\n"}, "whichever is meant")


if __name__ == "__main__":
    unittest.main()
