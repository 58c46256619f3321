"""The program as the faults see it, and what its results are compared with."""

import os
import pathlib
import subprocess


class Failure(Exception):
    """What was not survived."""


def expect(condition, what):
    if not condition:
        raise Failure(what)


def sameStart(part, whole, what):
    """Records of a run that was cut off: the first of the whole, bit by bit."""
    expect(whole.startswith(part), f"{what}: other records than those of the whole run")


def sameTail(part, whole, what):
    """Records from a checkpoint on: the last of the whole, bit by bit."""
    header, _, rows = part.partition("\n")
    expect(whole.startswith(header + "\n") and rows and whole.endswith("\n" + rows),
           f"{what}: not the bits of the run without an interruption")


class Simulator:
    def __init__(self, program, shim, folder):
        self.program = str(pathlib.Path(program).resolve())
        self.shim = str(pathlib.Path(shim).resolve())
        self.folder = pathlib.Path(folder)

    def environment(self, faults):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FAULT")}
        if faults:
            environment |= {"LD_PRELOAD": self.shim} | {k: str(v) for k, v in faults.items()}
        return environment

    def start(self, *words, faults=None, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.folder} | options
        return subprocess.Popen([self.program, *map(str, words)], text=True,
                                env=self.environment(faults), **options)

    def run(self, *words, faults=None, patience=60, **options):
        process = self.start(*words, faults=faults, **options)
        try:
            process.out, process.errors = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failure(f"{' '.join(map(str, words))}: no end within {patience} s") from None
        return process

    def succeed(self, *words, **options):
        process = self.run(*words, **options)
        expect(process.returncode == 0,
               f"{' '.join(map(str, words))}: exit {process.returncode}: {process.errors}")
        return process

    def records(self, result):
        """All records as text with every digit; a result that no command reads is a failure."""
        target = self.folder / "records.csv"
        self.succeed("export", result, "-o", target, "--quiet")
        return target.read_text()

    def partOf(self, folder, whole, what):
        """Reads what a run that was cut off has left in a folder; the number of its records, -1 for none."""
        found = [name for name in ("result.h5", "result.h5.partial")
                 if (self.folder / folder / name).exists()]
        if not found:
            return -1
        part = self.records(folder)
        sameStart(part, whole, what)
        self.succeed("plot", folder, "-o", "plot.svg", "--quiet")
        return part.count("\n") - 1
