"""Turns signs round and drops terms in the sources, one at a time, and looks whether a test notices. tests/mutants/README.md."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

import mutate

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDERS = ["mechanics", "control", "solve", "math", "system"]
FILES = re.compile(r"\.[ch]pp$")
# No equations: words, reading of models, processes of boxes.
NO_EQUATIONS = re.compile(r"(_types|_reader|_maker|_makers|_descriptions|register|registry|_samples|sample_models)\.|/box_(call|direct|fault|keeper|library|process|region|runner|server|turns)|expression_(parser|cursor)|/record_check")
KINDS = "unit,conformance,convergence,reference"
# Included almost everywhere: a mutant in one of these has everything compiled anew, so they have a tree of their own.
WIDE = re.compile(r"/math/(rotation_coefficients|so3|se3|taylor|dual|pack)\.|/system/(local|node|gather|assembler)\.hpp|"
                  r"/solve/(scheme|redundancy|equilibrium)\.hpp|/control/block\.hpp")
SLOWEST = 20.0  # seconds that a test may take


def run(command, **options):
    return subprocess.run(command, text=True, capture_output=True, **options)


class Tree:
    """A copy of the sources in which mutants live side by side."""

    def __init__(self, folder, wide=False, only="", kinds=KINDS):
        self.folder = folder
        self.targets = [f"flexloop_{kind}_tests" for kind in kinds.split(",")]
        if kinds == KINDS:
            self.targets.append("flexloop")
        self.wide = wide
        self.only = re.compile(only)
        # What does not compile, from the last time on.
        self.notes = folder.parent / f"{folder.name}.left_out.json"
        self.dropped = {tuple(entry) for entry in json.loads(self.notes.read_text())} if self.notes.exists() else set()
        self.mutants = []

    def sources(self):
        return [f for f in run(["git", "ls-files"], cwd=ROOT).stdout.split() if (ROOT / f).is_file()]

    def is_mutated(self, file):
        parts = pathlib.PurePath(file).parts
        return (len(parts) > 2 and parts[0] == "src" and parts[1] in FOLDERS and FILES.search(file)
                and not NO_EQUATIONS.search(file) and bool(WIDE.search(file)) == self.wide)

    def write(self):
        self.mutants = []
        for file in self.sources():
            target = self.folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            source = (ROOT / file).read_bytes()
            if self.is_mutated(file):
                text, found = mutate.mutate(file, source.decode(), 1 + len(self.mutants), self.dropped)
                chosen = bool(self.only.search(file))
                for mutant in found:
                    mutant.left_out = mutant.left_out or not chosen
                self.mutants += found
                if found and chosen:
                    # No warnings of a header, and the lines that it had.
                    quiet = "#pragma GCC system_header\n" if file.endswith(".hpp") else ""
                    source = f'{quiet}#include "mutant.hpp"\n#line 1 "{target}"\n{text}'.encode()
            if not target.exists() or target.read_bytes() != source:
                target.write_bytes(source)
                shutil.copymode(ROOT / file, target)
        shutil.copyfile(HERE / "mutant.hpp", self.folder / "src" / "mutant.hpp")

    def configure(self):
        # As in the release build, so that all else is in the compiler's cache.
        sources = sorted({m.file for m in self.mutants if m.file.endswith(".cpp") and not m.left_out})
        done = run(["cmake", "--preset", "release", f"-DFLEXLOOP_MUTANTS={';'.join(sources)}"], cwd=self.folder)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)

    def drop(self, messages):
        """Takes out what does not compile; returns how many."""
        before = len(self.dropped)
        for file, line in set(re.findall(r"/(src/[\w/]+\.[ch]pp):(\d+):\d+: error", messages)):
            # A mutant stands in the first line of its statement; what it declares may be missed further down.
            above = [m for m in self.mutants if m.file == file and not m.left_out and m.line <= int(line)]
            nearest = max((m.line for m in above), default=0)
            self.dropped |= {(m.file, m.line, m.after) for m in above if m.line == nearest}
        return len(self.dropped) - before

    def build(self, jobs):
        while True:
            self.write()
            done = run(["ninja", "-k", "0", "-j", str(jobs), "-C", self.folder / "build", *self.targets])
            if done.returncode == 0:
                return
            dropped = self.drop(done.stdout)
            self.notes.write_text(json.dumps(sorted(self.dropped), indent=1))
            print(f"{dropped} mutants do not compile and are left out", flush=True)
            if dropped == 0:
                sys.exit(done.stdout[-4000:])


class Test:
    def __init__(self, entry):
        self.name = entry["name"]
        self.command = entry["command"]
        self.properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
        self.seconds = 0.0
        self.reached = set()

    def run(self, mutant, trace=None, timeout=SLOWEST):
        environment = dict(os.environ, FLEXLOOP_MUTANT=str(mutant))
        for assignment in self.properties.get("ENVIRONMENT", []):
            key, _, value = assignment.partition("=")
            environment[key] = value
        if trace:
            environment["FLEXLOOP_MUTANT_TRACE"] = str(trace)
        begin = time.monotonic()
        try:
            done = subprocess.run(self.command, cwd=self.properties.get("WORKING_DIRECTORY"), env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=timeout)
            passed = done.returncode == 0
        except subprocess.TimeoutExpired:
            passed = False
        self.took = time.monotonic() - begin
        return passed


def list_tests(build, pattern):
    listed = json.loads(run(["ctest", "--show-only=json-v1"], cwd=build).stdout)
    tests = [Test(entry) for entry in listed["tests"] if "command" in entry]
    usable = []
    for test in tests:
        labels = test.properties.get("LABELS", [])
        if {"slow", "viewer", "fuzz", "faults"} & set(labels) or re.search(r"(?i)viewer|fuzz|faults|layering|lint", test.name):
            continue
        if re.search(pattern, test.name) and not test.name.endswith("NOT_BUILT"):
            usable.append(test)
    return usable


def trace(tests, folder, jobs):
    """Which statements each test reaches."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    def look(pair):
        index, test = pair
        file = folder / str(index)
        passed = test.run(-1, file, 5 * SLOWEST)
        test.seconds = test.took
        if passed and file.exists():
            test.reached = {int(word) for word in file.read_text().split()}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(look, enumerate(tests)))


class Judge:
    def __init__(self, tests, budget):
        self.tests = tests
        self.budget = budget
        self.kills = collections.Counter()  # by file and test

    def rank(self, mutant, test):
        """What reaches little is about little: such tests notice first, and those before them that have noticed others of the file."""
        return test.seconds * len(test.reached) / (1.0 + 10.0 * self.kills[mutant.file, test.name])

    def judge(self, mutant):
        """The name of the test that notices, 'unreached', or 'survived'; and how many tests were run."""
        able = [t for t in self.tests if mutant.number in t.reached]
        if not able:
            return "unreached", 0
        spent, count = 0.0, 0
        for test in sorted(able, key=lambda t: self.rank(mutant, t)):
            if count > 0 and spent + test.seconds > self.budget:
                continue
            count += 1
            spent += test.seconds
            if not test.run(mutant.number, timeout=max(5.0, 10.0 * test.seconds)):
                self.kills[mutant.file, test.name] += 1
                return test.name, count
        return "survived", count


def read_harmless():
    """Mutants that change no result, with the reason: `file: statement` lines of harmless.txt."""
    lines = (HERE / "harmless.txt").read_text().splitlines()
    return {line.partition("  #")[0].strip() for line in lines if line and not line.startswith("#")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build-mutants")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--count", type=int, default=300, help="mutants that are tried, at random; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wide", action="store_true", help="mutants in headers that almost everything includes")
    parser.add_argument("--only", default="", help="a pattern: mutants in files with such a name alone, compiled at once")
    parser.add_argument("--tests", default="", help="a pattern: only tests with such a name")
    parser.add_argument("--kinds", default=KINDS, help="of tests, that are built and run")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of tests for one mutant")
    arguments = parser.parse_args()

    tree = Tree(arguments.folder / ("tree_wide" if arguments.wide else "tree"), arguments.wide, arguments.only, arguments.kinds)
    tree.write()
    tree.configure()
    tree.build(arguments.jobs)
    tests = list_tests(tree.folder / "build", arguments.tests)
    chosen = [m for m in tree.mutants if not m.left_out]
    print(f"{len(chosen)} of {len(tree.mutants)} mutants ({len(tree.dropped)} do not compile), {len(tests)} tests", flush=True)
    trace(tests, arguments.folder / "reached", arguments.jobs)

    harmless = read_harmless()
    named = [m for m in chosen if f"{m.file}: {m.after}" in harmless]
    chosen = [m for m in chosen if m not in named]
    if arguments.count:
        random.Random(arguments.seed).shuffle(chosen)
        chosen = chosen[:arguments.count]
    report(chosen, Judge(tests, arguments.budget), arguments, len(named))


def report(chosen, judge, arguments, harmless):
    results = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for mutant, (result, count) in zip(chosen, pool.map(judge.judge, chosen)):
            results.append(dict(vars(mutant), result=result, tests=count))
            (arguments.folder / "mutants.json").write_text(json.dumps(results, indent=1))
            if result in ("survived", "unreached"):
                after = f"{count} tests" if count else "no test comes there"
                print(f"{result}: {mutant.file}:{mutant.line} ({after})\n  {mutant.before}\n  {mutant.after}", flush=True)
    kinds = collections.Counter(r["result"] if r["result"] in ("survived", "unreached") else "caught" for r in results)
    print(f"{len(results)} mutants tried: {kinds['caught']} caught, {kinds['survived']} survived, {kinds['unreached']} that no test reaches; "
          f"{harmless} more are named in harmless.txt")
    sys.exit(0 if kinds["caught"] == len(results) else 1)


if __name__ == "__main__":
    main()
