#!/usr/bin/env python3
"""Does what a page of the manual tells its reader to do, and compares what the page states with what comes out.

* A block ```yaml whose first line is `# FILE` is an excerpt of that file of the examples.
* In a block ```console, lines after `$ ` are commands; they run one after the other in a copy of the examples. What stands
  below a command is what it prints; `…` stands for any number of lines. Words must be the same, numbers agree within one unit
  of their last digit. `…` at the end of a line stands for its rest.
* A bold number in the text, **16.2 Hz**, was printed by a command before it, or is one of these in mm or percent, rounded.

`--update` writes what was printed into the page instead.
"""

import argparse
import difflib
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"(?<![\w.])[-−+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]*\w)")
BOLD = re.compile(r"\*\*([-−]?\d+(?:\.\d+)?)(?:\s[^*]*)?\*\*")
ROUNDING = 1e-12  # residuals of the last digits are those of the computer
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def toNumber(text):
    return float(text.replace("−", "-"))


def lastDigit(text):
    """The unit of the last digit that is written; whole numbers are counts, which are exact."""
    if text.lstrip("-−+").isdigit():
        return 0.0
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals)


def isSame(stated, printed):
    """Whether a line of the page says what was printed; `…` at its end stands for the rest of the line."""
    if stated.endswith(" …"):
        words = len(stated.split()) - 1
        stated, printed = stated.removesuffix(" …"), " ".join(printed.split()[:words])
    if NUMBER.sub("#", stated).split() != NUMBER.sub("#", printed).split():
        return False
    pairs = zip(NUMBER.findall(stated), NUMBER.findall(printed))
    return all(abs(toNumber(a) - toNumber(b)) <= 1.001 * max(lastDigit(a), lastDigit(b), ROUNDING) for a, b in pairs)


def splitCommands(block):
    """[(command, stated lines)] of a console block."""
    commands = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
    return commands


def run(command, folder, program):
    path = f"{program.parent}{os.pathsep}/usr/bin{os.pathsep}{os.environ['PATH']}"
    # Threads that wait for each other make small matrices slow on a busy computer.
    settings = {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **settings}, check=False, timeout=300)
    return done.returncode, done.stdout.rstrip("\n").splitlines()


def findMissing(stated, printed):
    """The first stated line that was not printed at its place; None if all were."""
    place, mayskip = 0, False
    for line in stated:
        if line.strip() == "…":
            mayskip = True
            continue
        while mayskip and place < len(printed) and not isSame(line, printed[place]):
            place += 1
        if place >= len(printed) or not isSame(line, printed[place]):
            return line
        place, mayskip = place + 1, False
    return None if mayskip or place == len(printed) else "(more was printed)"


def renew(stated, printed):
    """The stated lines as they would have to be; which ones are shown stays as it was."""
    if not any(line.strip() == "…" for line in stated):
        return printed
    lines = []
    for line in stated:
        near = difflib.get_close_matches(line, printed, 1, 0.3) if line.strip() != "…" else []
        lines.append(near[0] if near else line)
    return lines


class Page:
    def __init__(self, file, examples, program, update):
        self.text = file.read_text(encoding="utf-8")
        self.examples, self.program, self.update = examples, program, update
        self.numbers, self.problems, self.renewed = [], [], self.text

    def check(self):
        with tempfile.TemporaryDirectory() as directory:
            self.folder = pathlib.Path(directory) / "tutorial"
            shutil.copytree(self.examples, self.folder, ignore=shutil.ignore_patterns("out"))
            place, count = 0, 0
            for match in FENCE.finditer(self.text):
                self.checkProse(self.text[place:match.start()])
                place = match.end()
                if match.group(1) == "yaml":
                    self.checkExcerpt(match.group(2))
                elif match.group(1) == "console":
                    count += self.checkConsole(match.group(2))
            self.checkProse(self.text[place:])
        if count == 0:
            self.problems.append("the page has no commands")

    def checkExcerpt(self, block):
        first, _, excerpt = block.partition("\n")
        file = self.examples / first.removeprefix("# ").strip()
        if not first.startswith("# ") or not file.is_file():
            self.problems.append(f"'{first}' names no file of {self.examples.name}")
        elif excerpt not in file.read_text(encoding="utf-8"):
            self.problems.append(f"the excerpt of {file.name} that begins with '{excerpt.splitlines()[0]}' is not in it")

    def checkConsole(self, block):
        made = ""
        for command, stated in splitCommands(block):
            code, printed = run(command, self.folder, self.program)
            self.numbers += [toNumber(text) for line in printed for text in NUMBER.findall(line)]
            made += "".join(f"{line}\n" for line in [f"$ {command}", *renew(stated, printed)])
            missing = findMissing(stated, printed)
            if code != 0:
                self.problems.append(f"'{command}' ends with {code}:\n" + "\n".join(printed[-5:]))
            elif missing and not self.update:
                self.problems.append(f"'{command}' does not print\n  {missing}\nbut\n  " + "\n  ".join(printed))
        self.renewed = self.renewed.replace(block, made, 1)
        return len(splitCommands(block))

    def checkProse(self, text):
        for stated in BOLD.findall(text):
            unit = lastDigit(stated) or 1.0
            wanted = toNumber(stated)
            values = [factor * number for number in self.numbers for factor in (1.0, 1e3, 100.0)]
            if not any(math.isclose(abs(value), abs(wanted), rel_tol=1e-12, abs_tol=0.5001 * unit) for value in values):
                self.problems.append(f"**{stated}** was not printed by a command before it")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--update", action="store_true", help="writes what was printed into the page")
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("examples", type=pathlib.Path, help="folder of the files that the page works with")
    arguments = parser.parse_args()
    page = Page(arguments.page, arguments.examples.resolve(), arguments.program.resolve(), arguments.update)
    page.check()
    if arguments.update:
        arguments.page.write_text(page.renewed, encoding="utf-8")
    for problem in page.problems:
        print(f"{arguments.page.name}: {problem}")
    return 1 if page.problems else 0


if __name__ == "__main__":
    sys.exit(main())
