#!/usr/bin/env python3
"""Checks the numbers of equations and sections of docs/theory, and everything that cites them.

Equations of page N are numbered (N.1), (N.2), … in the order in which they stand, each once. `(N.M)` in a page or in a
comment cites an equation, `section N.M` a section; both must exist, and so must a page that is named by its file.
"""

import argparse
import pathlib
import re
import sys

TAG = re.compile(r"\\tag\{([^}]*)\}")
# In plain text an equation is an indented line that begins with its number.
AT_LINE_START = re.compile(r"^ {4,}\((\d+\.\d+[a-z]?)\) ")
HEADING = re.compile(r"^#+\s+(\d+\.\d+)\b")
NUMBER = r"(\d{1,2})\.(\d{1,2}[a-z]?)"
EQUATION = re.compile(rf"(?<!\w)\({NUMBER}\)")
SECTIONS = re.compile(rf"\b[Ss]ections?\s+((?:{NUMBER}|,|and|to|or|\s)+)")
BARE = re.compile(rf"\b(?:[Tt]heory(?:/\d\d[a-z_]*(?:\.md)?)?|chapter \d+),?\s+{NUMBER}")
FILE = re.compile(r"theory/(\d\d[a-z0-9_]*(?:\.[a-z0-9]+)?)")
LINE_COMMENT = re.compile(r"^\s*(?://|#|\*|/\*)|//")

SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".py", ".md", ".mjs", ".txt", ".yaml"}


def readTheory(folder):
    """Page number -> (file, [(line, equation number)], {section numbers})."""
    pages = {}
    for file in sorted(folder.glob("[0-9][0-9]_*.md")):
        equations, sections = [], set()
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            heading = HEADING.match(line)
            if heading:
                sections.add(heading.group(1))
            equations += [(number, equation) for equation in TAG.findall(line) + AT_LINE_START.findall(line)]
        pages[int(file.name[:2])] = (file, equations, sections)
    return pages


def findWrongOrder(pages):
    problems = []
    for page, (file, equations, _) in pages.items():
        for place, (line, equation) in enumerate(equations, start=1):
            if equation != f"{page}.{place}":
                problems.append(f"{file.name}:{line}: equation ({equation}) should be ({page}.{place})")
    return problems


def readComments(file):
    """(line number, text) of what may cite: all of a page, comments of a source, joined where a sentence goes on."""
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    isPage = file.suffix == ".md"
    texts = []
    for number, line in enumerate(lines, start=1):
        comment = None if isPage else LINE_COMMENT.search(line)
        if isPage or comment:
            text = line if isPage else re.sub(r"^\s*(//|#|\*)\s?", "", line[comment.start():])
            texts.append((number, text))
    # `section` at the end of a line and its number in the next one belong together.
    joined = []
    for (number, text), after in zip(texts, texts[1:] + [(0, "")]):
        tail = after[1].strip() if after[0] == number + 1 and re.search(r"([Ss]ections?|and|to|,)\s*$", text) else ""
        joined.append((number, f"{text} {tail}" if tail else text))
    return joined


def findBadCitations(pages, root, files):
    equations = {equation for _, found, _ in pages.values() for _, equation in found}
    sections = {section for _, _, found in pages.values() for section in found}
    names = {file.name for file, _, _ in pages.values()}
    problems = []
    for file in files:
        for line, text in readComments(file):
            where = f"{file.relative_to(root)}:{line}"
            for page, number in EQUATION.findall(text):
                if int(page) in pages and f"{page}.{number}" not in equations:
                    problems.append(f"{where}: there is no equation ({page}.{number})")
            # Models cite sections of their sources.
            for match in SECTIONS.finditer(text) if where.split("/")[0] != "models" else ():
                for page, number in re.findall(NUMBER, match.group(1)):
                    if int(page) in pages and f"{page}.{number}" not in sections:
                        problems.append(f"{where}: there is no section {page}.{number}")
            for match in BARE.finditer(text):
                problems.append(f"{where}: '{match.group(0)}': write 'section {match.group(1)}.{match.group(2)}' or"
                                f" '({match.group(1)}.{match.group(2)})', whichever is meant")
            for name in FILE.findall(text):
                if name.rstrip(".") not in names and not any(known.startswith(name + "_") for known in names):
                    problems.append(f"{where}: there is no page docs/theory/{name}")
    return problems


def listFiles(root):
    files = [root / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    for folder in ("app", "bench", "docs", "examples", "include", "models", "src", "tests"):
        files += sorted(p for p in (root / folder).rglob("*") if p.suffix in SUFFIXES)
    # Its tests break rules on purpose, and it names them.
    own = root / "tests" / "theory"
    return [file for file in files if file.is_file() and own not in file.parents]


def findProblems(root):
    pages = readTheory(root / "docs" / "theory")
    return findWrongOrder(pages) + findBadCitations(pages, root, listFiles(root))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path, help="the source tree")
    problems = findProblems(parser.parse_args().root.resolve())
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
