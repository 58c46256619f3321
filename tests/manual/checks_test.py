#!/usr/bin/env python3
"""Proves that the checks of the manual can fail: each must find a broken example and pass a sound one."""

import pathlib
import stat
import tempfile
import unittest

import check_links
import check_messages
import check_words
import run_tutorial


class InFolder(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name).resolve()

    def tearDown(self):
        self.directory.cleanup()

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def expectOne(self, problems, *words):
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])


class CheckLinksTest(InFolder):
    def find(self, text, suffix="md"):
        self.write("docs/other.md", "# Other page\n\n## What's `new`?\n\n## Same\n\n## Same\n")
        self.write("docs/other.html", '<h2 id="here">x</h2>')
        pages = [self.write(f"docs/page.{suffix}", text), self.root / f"docs/other.{suffix}"]
        return check_links.findBrokenLinks(pages, self.root)

    def testSoundLinksPass(self):
        self.assertEqual([], self.find("# A\n[a](other.md) [b](other.md#whats-new) [c](#a) [d](other.md#same-1)"
                                       " [e](https://nowhere.invalid/x)\n`[f](none.md)`\n```\n[g](none.md)\n```\n"))
        self.assertEqual([], self.find('<p id="x"></p><a href="other.html#here">a</a><a href="#x">b</a>', "html"))

    def testAMissingFileIsFound(self):
        self.expectOne(self.find("[a](none.md)"), "docs/page.md", "no such file")
        self.expectOne(self.find('<img alt="" src="none.png">', "html"), "none.png", "no such file")

    def testAMissingHeadingIsFound(self):
        self.expectOne(self.find("[a](other.md#old)"), "no such heading")
        self.expectOne(self.find('<a href="other.html#there">a</a>', "html"), "no such heading")


class CheckMessagesTest(InFolder):
    def find(self, quotation):
        self.write("docs/manual/troubleshooting.md", f"| message | cause |\n|---|---|\n| `{quotation}` | `never this` |\n")
        self.write("src/a/b.cpp", 'fail("the joint " + name + " cannot be "\n     "closed: \\"" + why);\n')
        self.write("app/main.cpp", "")
        self.write("tests/sick/a.yaml", "# says: nodes.A: unknown key 'x'\nflexloop: 1\n")
        return check_messages.findProblems(self.root)

    def testMessagesOfTheSourceAndOfSickModelsPass(self):
        self.assertEqual([], self.find("the joint … cannot be closed: …"))
        self.assertEqual([], self.find("unknown key …"))

    def testAMessageThatIsGoneIsFound(self):
        self.expectOne(self.find("the joint … cannot be opened"), "troubleshooting.md:3", "cannot be opened")


class CheckWordsTest(InFolder):
    def find(self, units="`m`", functions="`sin(x)`, `if(c, a, b)`", key="`nodes`"):
        self.write("src/base/unit_table.cpp", 'NamedUnit{"m", {1}}\n')
        self.write("src/math/expressions/expression_functions.cpp", '{"sin", calcSin, nullptr}\n')
        self.write("docs/manual/reference/nodes.md", "")
        self.write("docs/manual/units.md", f"## Symbols\n\n| quantity | symbols |\n|---|---|\n| length | {units} |\n")
        self.write("docs/manual/expressions.md", f"## Functions\n\n| function | |\n|---|---|\n| {functions} | |\n")
        top = ["flexloop", "title", "include", "parameters", "gravity", "formulation", "assemblies", "outputs"]
        rows = "".join(f"| `{word}` | |\n" for word in top) + f"| {key} | |\n"
        self.write("docs/manual/model_file.md", f"# The model file\n\n| key | |\n|---|---|\n{rows}")
        return check_words.findProblems(self.root)

    def testSoundPagesPass(self):
        self.assertEqual([], self.find())

    def testWhatIsMissingOrUnknownIsFound(self):
        self.expectOne(self.find(units="`m`, `yd`"), "no unit 'yd'")
        self.expectOne(self.find(functions="`if(c, a, b)`"), "function 'sin' is missing")
        self.expectOne(self.find(key="`parts`, `nodes`"), "no key 'parts'")


class RunTutorialTest(InFolder):
    def find(self, page):
        self.write("examples/arm.yaml", "flexloop: 1\nnodes: {A: [0, 0, 0]}\n")
        program = self.write("bin/flexloop", "#!/bin/sh\nif [ $1 = fail ]; then exit 3; fi\n"
                             "echo 'mode   16.234 Hz'\necho second\necho 'sag -0.00123 m'\n")
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
        tutorial = run_tutorial.Page(self.write("page.md", page), self.root / "examples", program, False)
        tutorial.check()
        return tutorial.problems

    def testATruePagePasses(self):
        self.assertEqual([], self.find(
            "```yaml\n# arm.yaml\nnodes: {A: [0, 0, 0]}\n```\n"
            "```console\n$ flexloop modes\nmode 16.23 Hz\n…\nsag -0.00123 m\n```\nIt has **16.2 Hz** and sags by **1.2 mm**.\n"))

    def testAnotherNumberIsFound(self):
        self.expectOne(self.find("```console\n$ flexloop x\nmode 16.21 Hz\n…\n```\n"), "does not print", "16.21")

    def testAnotherWordIsFound(self):
        self.expectOne(self.find("```console\n$ flexloop x\nmodes 16.234 Hz\n…\n```\n"), "does not print")

    def testALineThatIsLeftOutWithoutDotsIsFound(self):
        self.expectOne(self.find("```console\n$ flexloop x\nmode 16.234 Hz\nsecond\n```\n"), "more was printed")

    def testAWrongNumberInTheTextIsFound(self):
        self.expectOne(self.find("```console\n$ flexloop x\n…\n```\nIt has **16.3 Hz**.\n"), "16.3")

    def testACommandThatFailsIsFound(self):
        self.expectOne(self.find("```console\n$ flexloop fail\n…\n```\n"), "ends with 3")

    def testAnExcerptThatIsNotInTheFileIsFound(self):
        self.expectOne(self.find("```yaml\n# arm.yaml\nnodes: {B: [0, 0, 0]}\n```\n```console\n$ flexloop x\n…\n```\n"),
                       "excerpt of arm.yaml")

    def testAPageWithoutCommandsIsFound(self):
        self.expectOne(self.find("Nothing.\n"), "no commands")


if __name__ == "__main__":
    unittest.main()
