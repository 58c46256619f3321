#!/usr/bin/env python3
"""Checks that the messages quoted in docs/manual/troubleshooting.md are still those of the program.

A quotation is a code span in the first column of a table. `…` stands for what differs from case to case; every piece
between must be part of one text of the sources, or of what tests/sick expects.
"""

import argparse
import pathlib
import re
import sys

LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
# Literals that the compiler joins, with comments and line breaks between them.
NEIGHBOURS = re.compile(r'(?<!\\)"(?:\s|//[^\n]*\n)*"')
ESCAPES = {"\\n": "\n", '\\"': '"', "\\\\": "\\", "\\t": "\t"}
CODE = re.compile(r"`([^`]+)`")


def readLiterals(folders):
    texts = []
    for folder in folders:
        for file in sorted(folder.rglob("*.[ch]pp")):
            source = NEIGHBOURS.sub("", file.read_text(encoding="utf-8"))
            for literal in LITERAL.findall(source):
                text = literal[1:-1]
                for written, meant in ESCAPES.items():
                    text = text.replace(written, meant)
                texts.append(text)
    return texts


def readSick(folder):
    """What tests/sick says, with names and numbers of its models in place."""
    texts = []
    for file in sorted(folder.rglob("*.yaml")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("# says: "):
                texts.append(line[len("# says: "):])
    return texts


def readQuotations(page):
    quotations = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("|") and not line.startswith(("|---", "| message")):
            first = line.split(" | ")[0]
            quotations += [(number, quotation) for quotation in CODE.findall(first)]
    return quotations


def findProblems(root):
    page = root / "docs" / "manual" / "troubleshooting.md"
    texts = readLiterals([root / "src", root / "app"]) + readSick(root / "tests" / "sick")
    problems = []
    for line, quotation in readQuotations(page):
        for piece in quotation.split("…"):
            piece = piece.strip()
            if piece and not any(piece in text for text in texts):
                problems.append(f"{page.name}:{line}: the program never prints '{piece}'")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path, help="the source tree")
    problems = findProblems(parser.parse_args().root.resolve())
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
