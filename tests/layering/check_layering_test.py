#!/usr/bin/env python3
"""Proves that check_layering.py can fail: it must find each broken example and pass a sound one."""

import pathlib
import tempfile
import unittest

import check_layering

FOLDERS = ["base", "math", "system"]


def findProblemsIn(files):
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return check_layering.findProblems(root, FOLDERS)


class CheckLayeringTest(unittest.TestCase):
    def expectOneProblem(self, files, *words):
        problems = findProblemsIn(files)
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])

    def testSoundSourcesPass(self):
        self.assertEqual([], findProblemsIn({
            "base/a.hpp": "#include <vector>\n#include <Eigen/Core>\n#include <Eigen/SparseCore>\n",
            "base/a.cpp": '#include "base/a.hpp"\n#include <fmt/core.h>\n#include <Eigen/LU>\n',
            "system/b.hpp": '#include "base/a.hpp"\n#include <Eigen/Geometry>\n',
        }))

    def testUpwardIncludeIsFound(self):
        self.expectOneProblem({
            "base/a.hpp": '#pragma once\n#include "system/b.hpp"\n',
            "system/b.hpp": "",
        }, "base/a.hpp:2", "may not include 'system'")

    def testUpwardIncludeOfASourceFileIsFound(self):
        self.expectOneProblem({"math/a.cpp": '#include "system/b.hpp"\n', "system/b.hpp": ""},
                              "math/a.cpp:1")

    def testUnknownFolderIsFound(self):
        self.expectOneProblem({"other/a.hpp": ""}, "other")

    def testIncludeWithoutFolderIsFound(self):
        self.expectOneProblem({"base/a.hpp": '#include "b.hpp"\n', "base/b.hpp": ""},
                              '#include "base/b.hpp"')

    def testMissingFileIsFound(self):
        self.expectOneProblem({"base/a.hpp": '#include "base/b.hpp"\n'}, "does not exist")

    def testWhatIsMadeOnceIsMadeInOnePlace(self):
        self.expectOneProblem({"math/a.cpp": "void f() {\n  system::Assembler assembler(s);\n}\n"},
                              "math/a.cpp:2", "Assembler")
        self.assertEqual([], findProblemsIn({
            "math/a.cpp": "void f(system::Assembler& assembler);\n// an Assembler once;\n"}))

    def testCycleIsFound(self):
        self.expectOneProblem({
            "math/a.hpp": '#include "math/b.hpp"\n',
            "math/b.hpp": '#include "math/c.hpp"\n',
            "math/c.hpp": '#include "math/a.hpp"\n',
        }, "math/a.hpp -> math/b.hpp -> math/c.hpp -> math/a.hpp")

    def testForbiddenHeadersAreFound(self):
        for target in ("fmt/core.h", "spdlog/spdlog.h", "CLI/CLI.hpp", "nlohmann/json.hpp",
                       "yaml-cpp/yaml.h", "hdf5.h", "H5Cpp.h", "Eigen/Dense", "Eigen/LU",
                       "Eigen/Eigenvalues", "Eigen/SVD", "Eigen/QR", "Eigen/Cholesky"):
            with self.subTest(target):
                self.expectOneProblem({"base/a.hpp": f"#include <{target}>\n"}, target)

    def testCommentedIncludeIsIgnored(self):
        self.assertEqual([], findProblemsIn({
            "base/a.hpp": '// #include <fmt/core.h>\n/*\n#include "system/b.hpp"\n*/\n'}))


if __name__ == "__main__":
    unittest.main()
