#!/usr/bin/env python3
"""Checks the layers of src/.

Each folder includes only itself and the folders before it in the list, files do not include each
other in a circle, and no header pulls in a library that is slow to compile or hidden in .cpp files.
What is made once per model is made in one place.
"""

import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

# Headers that exist to include a library once, for sources only.
WRAPPERS = ("base/json.hpp",)

FORBIDDEN_IN_HEADERS = {
    "fmt": re.compile(r"^fmt/"),
    "spdlog": re.compile(r"^spdlog/"),
    "CLI11": re.compile(r"^CLI/"),
    # Its forward declarations cost nothing.
    "nlohmann json": re.compile(r"^nlohmann/(?!json_fwd\.hpp$)"),
    "yaml-cpp": re.compile(r"^yaml-cpp/"),
    "HDF5": re.compile(r"^(hdf5|H5[A-Za-z]*)(\.h|_hl\.h)$|^hdf5/"),
    "an Eigen decomposition": re.compile(
        r"^Eigen/(Dense|Eigen|LU|Eigenvalues|SVD|QR|Cholesky|Sparse|SparseLU|SparseQR"
        r"|SparseCholesky|IterativeLinearSolvers|KLUSupport|UmfPackSupport|CholmodSupport)$|^unsupported/Eigen/"),
}

# A variable or member of the type, not a reference to one.
MADE_ONCE = {
    "Assembler": (re.compile(r"\bAssembler\s+\w+\s*[;({=]|make_unique<[\w:]*Assembler>"),
                  "solve/prepared_machine.hpp"),
}


def readIncludes(path):
    """(line number, quote, target) of every include of a file, comments left out."""
    text = path.read_text(encoding="utf-8")
    # Comments become their own line breaks, so that line numbers stay true.
    text = COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text)
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            found.append((number, match.group(1), match.group(2)))
    return found


def readSources(root):
    """Path relative to root -> includes, for all sources in a fixed order."""
    files = sorted(p for p in root.rglob("*") if p.suffix in (".hpp", ".h", ".cpp"))
    return {p.relative_to(root).as_posix(): readIncludes(p) for p in files}


def findUpwardIncludes(sources, folders):
    rank = {folder: index for index, folder in enumerate(folders)}
    problems = []
    for name, includes in sources.items():
        own = name.split("/")[0]
        if own not in rank:
            problems.append(f"{name}: '{own}' is not a folder of the list ({', '.join(folders)})")
            continue
        for line, quote, target in includes:
            other = target.split("/")[0]
            if quote == '"' and "/" not in target:
                problems.append(f'{name}:{line}: write the folder too: #include "{own}/{target}"')
            elif quote == '"' and target not in sources:
                problems.append(f"{name}:{line}: {target} does not exist under src/")
            elif other in rank and target in sources and rank[other] > rank[own]:
                problems.append(f"{name}:{line}: '{own}' may not include '{other}' ({target}),"
                                " which stands after it in the list of folders")
    return problems


def findForbiddenIncludes(sources):
    problems = []
    for name, includes in sources.items():
        if name.endswith(".cpp") or name in WRAPPERS:
            continue
        for line, _, target in includes:
            for library, pattern in FORBIDDEN_IN_HEADERS.items():
                if pattern.search(target):
                    problems.append(f"{name}:{line}: a header may not include {library} ({target})")
    return problems


def findMadeElsewhere(root):
    problems = []
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".hpp", ".cpp")):
        name = path.relative_to(root).as_posix()
        text = COMMENT.sub(lambda match: "\n" * match.group().count("\n"),
                           path.read_text(encoding="utf-8"))
        for kind, (pattern, home) in MADE_ONCE.items():
            if name == home:
                continue
            for number, line in enumerate(text.splitlines(), start=1):
                if pattern.search(line):
                    problems.append(f"{name}:{number}: {kind} is made in {home} only; borrow it")
    return problems


def findCycles(sources):
    """Include cycles by depth-first search; each cycle is told once."""
    problems = []
    state = {}  # absent: new, "open": on the current path, "done": finished
    path = []

    def visit(name):
        state[name] = "open"
        path.append(name)
        for _, _, target in sources[name]:
            if target not in sources:
                continue
            if state.get(target) == "open":
                cycle = path[path.index(target):] + [target]
                problems.append("include cycle: " + " -> ".join(cycle))
            elif target not in state:
                visit(target)
        path.pop()
        state[name] = "done"

    for name in sources:
        if name not in state:
            visit(name)
    return problems


def findProblems(root, folders):
    sources = readSources(root)
    return (findUpwardIncludes(sources, folders) + findForbiddenIncludes(sources)
            + findCycles(sources) + findMadeElsewhere(root))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folders", required=True, help="comma separated, lowest first")
    parser.add_argument("root", type=pathlib.Path)
    arguments = parser.parse_args()
    problems = findProblems(arguments.root, arguments.folders.split(","))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
