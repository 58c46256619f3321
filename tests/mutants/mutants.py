"""Turns signs round and drops terms in the sources, one at a time, and looks whether a test notices. tests/mutants/README.md."""

import argparse
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
SLOWEST = 20.0  # seconds that a test may take


def run(command, **options):
    return subprocess.run(command, text=True, capture_output=True, **options)


class Tree:
    """A copy of the sources in which mutants live side by side."""

    def __init__(self, folder):
        self.folder = folder
        self.dropped = set()
        self.mutants = []

    def sources(self):
        return [f for f in run(["git", "ls-files"], cwd=ROOT).stdout.split() if (ROOT / f).is_file()]

    def is_mutated(self, file):
        parts = pathlib.PurePath(file).parts
        return (len(parts) > 2 and parts[0] == "src" and parts[1] in FOLDERS and FILES.search(file)
                and not NO_EQUATIONS.search(file))

    def write(self):
        self.mutants = []
        for file in self.sources():
            target = self.folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            source = (ROOT / file).read_bytes()
            if self.is_mutated(file):
                text, found = mutate.mutate(file, source.decode(), 1 + len(self.mutants), self.dropped)
                self.mutants += found
                source = text.encode()
            if not target.exists() or target.read_bytes() != source:
                target.write_bytes(source)
                shutil.copymode(ROOT / file, target)

    def configure(self):
        flags = f"-O1 -w -include {HERE / 'mutant.hpp'}"
        done = run(["cmake", "-S", self.folder, "-B", self.folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Mutants",
                    f"-DCMAKE_CXX_FLAGS_MUTANTS={flags}", "-DFLEXLOOP_NATIVE=ON"])
        if done.returncode:
            sys.exit(done.stdout + done.stderr)

    def drop(self, messages):
        """Takes out what does not compile; returns how many."""
        places = set()
        for file, line in re.findall(r"/(src/[\w/]+\.[ch]pp):(\d+):\d+: error", messages):
            places.add((file, int(line)))
        before = len(self.dropped)
        for m in self.mutants:
            last = m.line + 8
            if any(file == m.file and m.line <= line < last for file, line in places):
                self.dropped.add((m.file, m.line, m.after))
        return len(self.dropped) - before

    def build(self, jobs):
        while True:
            self.write()
            done = run(["ninja", "-k", "0", "-j", str(jobs), "-C", self.folder / "build"])
            if done.returncode == 0:
                return
            dropped = self.drop(done.stdout)
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


def list_tests(build):
    listed = json.loads(run(["ctest", "--show-only=json-v1"], cwd=build).stdout)
    tests = [Test(entry) for entry in listed["tests"] if "command" in entry]
    usable = []
    for test in tests:
        labels = test.properties.get("LABELS", [])
        if {"slow", "viewer", "fuzz", "faults"} & set(labels) or re.search(r"(?i)viewer|fuzz|faults|layering|lint", test.name):
            continue
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


def judge(mutant, tests, budget):
    """The name of the test that notices, 'unreached', or 'survived'."""
    # What reaches little is about little: such tests notice first.
    able = sorted((t for t in tests if mutant.number in t.reached), key=lambda t: t.seconds * len(t.reached))
    if not able:
        return "unreached"
    spent = 0.0
    for test in able:
        if not test.run(mutant.number, timeout=max(5.0, 10.0 * test.seconds)):
            return test.name
        spent += test.seconds
        if spent > budget:
            break
    return "survived"


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
    parser.add_argument("--only", default="", help="part of the file name")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of tests for one mutant")
    arguments = parser.parse_args()

    tree = Tree(arguments.folder / "tree")
    tree.write()
    tree.configure()
    tree.build(arguments.jobs)
    tests = list_tests(tree.folder / "build")
    print(f"{len(tree.mutants)} mutants, {len(tests)} tests", flush=True)
    trace(tests, arguments.folder / "reached", arguments.jobs)

    harmless = read_harmless()
    chosen = [m for m in tree.mutants if arguments.only in m.file and f"{m.file}: {m.after}" not in harmless]
    if arguments.count:
        random.Random(arguments.seed).shuffle(chosen)
        chosen = chosen[:arguments.count]
    results = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for mutant, result in zip(chosen, pool.map(lambda m: judge(m, tests, arguments.budget), chosen)):
            results.append((mutant, result))
            if result in ("survived", "unreached"):
                print(f"{result}: {mutant.file}:{mutant.line}\n  {mutant.before}\n  {mutant.after}", flush=True)
    caught = sum(result not in ("survived", "unreached") for _, result in results)
    (arguments.folder / "mutants.json").write_text(json.dumps(
        [dict(vars(mutant), result=result) for mutant, result in results], indent=1))
    print(f"{caught} of {len(results)} mutants are caught")
    sys.exit(0 if caught == len(results) else 1)


if __name__ == "__main__":
    main()
