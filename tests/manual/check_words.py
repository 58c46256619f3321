#!/usr/bin/env python3
"""Checks lists in the manual that have a second home in the source: units, functions of expressions, keys at the top level."""

import argparse
import pathlib
import re
import sys

CODE = re.compile(r"`([^`]+)`")


def readSource(root, name, pattern):
    return re.findall(pattern, (root / "src" / name).read_text(encoding="utf-8"))


def findUnknown(kind, page, known, described):
    """What the source knows and the page does not, and the other way round."""
    missing = [f"{page}: the {kind} '{word}' is missing" for word in known if word not in described]
    return missing + [f"{page}: there is no {kind} '{word}'" for word in described if word not in known]


def tableCells(text, heading, column):
    """Code spans in one column of the table below a heading."""
    part = text.partition(f"{heading}\n")[2].partition("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [word for row in rows[1:] for word in CODE.findall(row.split("|")[column])]


def findProblems(root):
    manual = root / "docs" / "manual"
    units = readSource(root, "base/unit_table.cpp", r'NamedUnit\{"([^"]+)"')
    functions = readSource(root, "math/expressions/expression_functions.cpp", r'\{"(\w+)", (?:calc\w+|nullptr), ')
    registered = [file.stem for file in (manual / "reference").glob("*.md") if file.stem != "index"]
    keys = ["flexloop", "title", "include", "parameters", "gravity", "formulation", "assemblies", "outputs", *registered]
    described = {
        "units.md": tableCells((manual / "units.md").read_text(encoding="utf-8"), "## Symbols", 2),
        "expressions.md": [re.sub(r"\(.*", "", word) for word in tableCells(
            (manual / "expressions.md").read_text(encoding="utf-8"), "## Functions", 1)],
        "model_file.md": tableCells((manual / "model_file.md").read_text(encoding="utf-8"), "# The model file", 1),
    }
    return (findUnknown("unit", "units.md", units, described["units.md"])
            + findUnknown("function", "expressions.md", [*functions, "if"], described["expressions.md"])
            + findUnknown("key", "model_file.md", keys, described["model_file.md"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path, help="the source tree")
    problems = findProblems(parser.parse_args().root.resolve())
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
