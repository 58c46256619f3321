#!/usr/bin/env python3
"""Faults on purpose: whatever ends a run, nothing that was finished is touched, what was recorded stays readable, and a
run that continues from a checkpoint gives the same bits as one that was never ended.

    faults.py --program build/flexloop --shim build/libflexloop_fault_shim.so [--quick] [--kills N] [--seed N] [NAME…]

Prints a line for each kind of fault; ends with 1 if one of them was not survived.
"""

import argparse
import json
import os
import pathlib
import pwd
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from outputs import OutputFaults
from simulator import Failure, Simulator, expect, sameTail

# A pendulum that is held up by a sampled controller behind a delay.
MODEL = """flexloop: 1
include: weight.yaml
title: Pendulum that is held up
gravity: [0, 0, -9.81]
nodes: {arm: [0, 0, 0.5]}
joints:
  hinge: {type: hinge, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
sensors:
  angle: {measure: angle, joint: hinge}
blocks:
  wanted: {type: expression, value: "= 0.3*sin(5*t)"}
  seen: {type: transport_delay, input: angle, delay: 3 ms}
  servo: {type: discrete_pid, input: seen, reference: wanted, sample: 5 ms, kp: 40, ki: 20, kd: 4}
actuators:
  motor: {type: torque, joint: hinge, input: servo}
outputs: [angle, servo]
analysis:
  time: {end: 4, step: 0.5 ms}
"""
WEIGHT = "flexloop: 1\nbodies: {arm: {node: arm, mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
OTHER_WEIGHT = "flexloop: 1\nbodies: {arm: {node: arm, mass: 3, inertia: [0.3, 0.3, 0.3]}}\n"
BALL = """flexloop: 1
nodes: {ball: {position: [0, 0, 0], velocity: [0, 0, 1], free: [z]}}
bodies: {ball: {node: ball, mass: 1}}
sensors: {z: {measure: position, node: ball, direction: [0, 0, 1]}}
analysis: {time: {end: 1, step: 1e-6}}
"""
CHECKPOINTS = [f"{0.25 * i:g}" for i in range(1, 16)]
SAVED = 4  # exit code of a run that was stopped or has met a full disk


class Faults:
    def __init__(self, simulator, options):
        self.simulator, self.quick, self.kills = simulator, options.quick, options.kills
        self.random = random.Random(options.seed)
        self.folder = simulator.folder
        (self.folder / "model.yaml").write_text(MODEL)
        (self.folder / "weight.yaml").write_text(WEIGHT)
        (self.folder / "ball.yaml").write_text(BALL)
        begin = time.monotonic()
        self.simulator.succeed(*self.words("whole"))
        self.duration = time.monotonic() - begin
        self.whole = self.simulator.records("whole")

    def words(self, out, *more, checkpoints=True):
        words = ["run", "model.yaml", "--out", out, *more]
        for checkpoint in CHECKPOINTS if checkpoints else []:
            words += ["--checkpoint", checkpoint]
        return words

    def choose(self, cases, few):
        """All of them, or a few that are spread over them."""
        return cases[self.random.randrange(2)::len(cases) // few] if self.quick else cases

    def cleanFolder(self, name):
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return name

    def finishedFolder(self, name):
        """With a result that must not be touched."""
        self.cleanFolder(name)
        shutil.copytree(self.folder / "whole", self.folder / name)
        return name

    def expectUntouched(self, name, what):
        before = (self.folder / "whole" / "result.h5").read_bytes()
        expect((self.folder / name / "result.h5").read_bytes() == before,
               f"{what}: the finished result was touched")

    def expectContinues(self, name, what):
        """From the checkpoint that a run has left, to the same end; what it had recorded is kept."""
        checkpoint = self.folder / name / "checkpoint.h5"
        if not checkpoint.exists():
            return False
        had = self.simulator.partOf(name, self.whole, what)
        self.simulator.succeed("run", "model.yaml", "--from", checkpoint, "--out", name)
        sameTail(self.simulator.records(name), self.whole, what)
        if had > 0:
            self.simulator.partOf(f"{name}/result.part-1.h5", self.whole, what)
            expect((self.folder / name / "result.part-1.h5").exists(), f"{what}: records are gone")
        return True

    def killAtRandomMoments(self):
        tries, continued, most = (4 if self.quick else self.kills), 0, 0
        for i in range(tries):
            name = self.finishedFolder("killed") if i % 2 else self.cleanFolder("killed")
            (self.folder / name / "checkpoint.h5").unlink(missing_ok=True)
            process = self.simulator.start(*self.words(name))
            time.sleep(self.random.uniform(0, 1.1 * self.duration))
            process.kill()
            process.communicate()
            what = f"kill {i}"
            if process.returncode == 0:
                continue
            if i % 2:
                self.expectUntouched(name, what)
                (self.folder / name / "result.h5").unlink()
            most = max(most, self.simulator.partOf(name, self.whole, what))
            continued += self.expectContinues(name, what)
        return f"{tries} kills, {continued} continued with the same bits; up to {most} records rescued"

    def countCalls(self):
        count = self.folder / "count"
        self.simulator.succeed(*self.words(self.cleanFolder("counted"), checkpoints=False),
                               faults={"FAULT_COUNT": count})
        return int(count.read_text())

    def killAtEveryWrite(self):
        calls = self.countCalls()
        chosen = self.choose(range(1, calls + 1), 5)
        for call in chosen:
            for fault in ("kill", "torn"):
                name, what = self.cleanFolder("killed"), f"{fault} at call {call}"
                self.simulator.run(*self.words(name, checkpoints=False),
                                   faults={"FAULT": fault, "FAULT_AT": call})
                self.simulator.partOf(name, self.whole, what)
        return f"{len(chosen)} of {calls} calls, each before it and in the middle"

    def expectExplained(self, process, what):
        expect(process.returncode == SAVED, f"{what}: exit {process.returncode}: {process.errors}")
        expect("error: " in process.errors, f"{what}: no message")

    def fillTheDisk(self):
        calls = self.countCalls()
        chosen = self.choose(range(1, calls + 1), 4)
        for call in chosen:
            name, what = self.finishedFolder("full"), f"disk full at call {call}"
            process = self.simulator.run(*self.words(name, checkpoints=False),
                                         faults={"FAULT": "full", "FAULT_AT": call})
            if process.returncode != 0:  # the name of the owner in the lock may be missing
                self.expectExplained(process, what)
                self.expectUntouched(name, what)
            (self.folder / name / "result.h5").unlink()
            self.simulator.partOf(name, self.whole, what)
        size = (self.folder / "whole" / "result.h5").stat().st_size
        sizes = self.choose([0, 1, 100, 4096, *range(10_000, size, size // 60)], 4)
        for limit in sizes:
            name, what = self.cleanFolder("full"), f"files of {limit} bytes at most"
            process = self.simulator.run(
                *self.words(name), preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_FSIZE, (limit, limit)))
            self.expectExplained(process, what)
            self.simulator.partOf(name, self.whole, what)
        return f"{len(chosen)} of {calls} calls, {len(sizes)} sizes"

    def refuseWriting(self):
        places = ["/proc/results", "/dev/null/results"]
        for place in places:
            self.expectExplained(self.simulator.run("run", "model.yaml", "--out", place), place)
        if os.geteuid() != 0:
            user = {}
        else:  # to whom nothing is forbidden
            user = {"user": pwd.getpwnam("nobody").pw_uid, "group": pwd.getpwnam("nobody").pw_gid}
        self.finishedFolder("closed")
        os.chmod(self.folder, 0o755)
        os.chmod(self.folder / "closed", 0o555)
        process = self.simulator.run("run", "model.yaml", "--out", "closed", **user)
        os.chmod(self.folder / "closed", 0o755)
        self.expectExplained(process, "a folder that may not be written")
        self.expectUntouched("closed", "a folder that may not be written")
        return f"{len(places) + 1} places"

    def runWithMemory(self, size, *words):
        return self.simulator.run(*words, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (size, size)))

    def takeMemory(self):
        step = 128 << 10
        least = next(size for size in range(16 << 20, 1 << 30, (8 if self.quick else 1) * step)  # that the program is loaded with
                     if self.runWithMemory(size, "--version").returncode == 0)
        sizes = self.choose(range(least + step, least + (20 << 20), step), 5)
        codes = {}
        for size in sizes:
            name, what = self.cleanFolder("poor"), f"{size} bytes of memory"
            process = self.runWithMemory(size, *self.words(name))
            if process.returncode != 0:
                self.expectExplained(process, what)
            self.simulator.partOf(name, self.whole, what)
            codes[process.returncode] = codes.get(process.returncode, 0) + 1
        return f"{len(sizes)} sizes, exit codes {codes}"

    def stopBySignals(self):
        signals = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU]
        for number in signals:
            name, what = "stopped", number.name
            process = self.startLongRun(name)
            time.sleep(0.3)
            process.send_signal(number)
            if number != signal.SIGINT:
                process.send_signal(number)  # they come in pairs
            _, errors = process.communicate(timeout=30)
            expect(process.returncode == SAVED, f"{what}: exit {process.returncode}: {errors}")
            stopped = float(errors.split("stopped at t = ")[1].split(" s")[0])
            last = self.simulator.records(name).rstrip().rsplit("\n", 1)[1].split(",")[0]
            expect(abs(float(last) - stopped) < 1e-4, f"{what}: records end at {last} of {stopped} s")
        return ", ".join(s.name for s in signals)

    def runTwiceAtOnce(self):
        tries, refused = (2 if self.quick else 15), 0
        for i in range(tries):
            name = self.cleanFolder("both")
            pair = [self.simulator.start(*self.words(name, checkpoints=False)) for _ in range(2)]
            ends = [process.communicate(timeout=60) for process in pair]
            codes = sorted(process.returncode for process in pair)
            expect(codes in ([0, 0], [0, SAVED]), f"two at once: exit codes {codes}: {ends}")
            refused += codes[1] != 0
            for process, (_, errors) in zip(pair, ends):
                if process.returncode != 0:
                    expect("in use" in errors and "process" in errors, f"two at once: {errors}")
            expect(self.simulator.records(name) == self.whole, "two at once: other records")
        return f"{tries} pairs, {refused} times the second was refused"

    def moveTheClock(self):
        name = self.cleanFolder("clock")
        self.simulator.succeed(*self.words(name), faults={"FAULT_CLOCK": 1})
        expect((self.folder / name / "result.h5").read_bytes() ==
               (self.folder / "whole" / "result.h5").read_bytes(), "a clock that jumps: other bits")
        for days in (-4000, 4000):
            when = time.time() + days * 86400
            os.utime(self.folder / name / "result.h5", (when, when))
            expect(self.simulator.records(name) == self.whole, "a file from another time")
        return "same bits"

    def changeAnInclude(self):
        name = self.cleanFolder("include")
        self.simulator.succeed(*self.words(name))
        (self.folder / "weight.yaml").write_text(OTHER_WEIGHT)
        try:
            expect(self.simulator.records(name) == self.whole, "a changed include: other records")
            self.simulator.succeed("report", name, "-o", "report.html", "--quiet")
            (self.folder / "weight.yaml").unlink()
            expect(self.simulator.records(name) == self.whole, "a lost include: other records")
        finally:
            (self.folder / "weight.yaml").write_text(WEIGHT)
        return "records as before"

    def failBeforeTheFirstStep(self):
        name = self.finishedFolder("early")
        shutil.copy(self.folder / name / "result.h5", self.folder / name / "result.h5.partial")
        os.truncate(self.folder / name / "result.h5.partial", 70_000)
        before = {f.name: f.read_bytes() for f in (self.folder / name).iterdir()}
        mistakes = [["--from", "chekpoint.h5"], ["--from", "model.yaml"], ["--step", "-1"],
                    ["--set", "gravty=1"], ["--about", "nowhere"]]
        for mistake in mistakes:
            process = self.simulator.run(*self.words(name, *mistake, checkpoints=False))
            expect(process.returncode == 2, f"{mistake}: exit {process.returncode}")
            after = {f.name: f.read_bytes() for f in (self.folder / name).iterdir()}
            expect(after == before, f"{mistake}: files were touched")
        return f"{len(mistakes)} mistakes"

    def startLongRun(self, name, **options):
        """That has begun to record."""
        process = self.simulator.start(*self.words(self.cleanFolder(name), "--end", "4000"), **options)
        partial = self.folder / name / "result.h5.partial"
        while not partial.exists() and process.poll() is None:
            time.sleep(0.01)
        return process

    def closeStreams(self):
        for closed in ([1], [2], [1, 2], [0, 1, 2]):
            def close():
                for stream in closed:
                    os.close(stream)
            process = self.startLongRun("streams", preexec_fn=close)
            files = [os.readlink(f"/proc/{process.pid}/fd/{stream}") for stream in closed]
            process.terminate()
            process.communicate(timeout=30)
            expect(set(files) == {"/dev/null"}, f"{closed} closed: what is printed goes to {files}")
            expect(process.returncode == SAVED, f"{closed} closed: exit {process.returncode}")
            self.simulator.records("streams")
        with open("/dev/full", "w", encoding="utf-8") as full:
            for words in (["check", "model.yaml"], self.words("streams"), ["manual", "pages"],
                          ["run", "model.yaml", "--csv", "-"], ["--help"]):
                process = self.simulator.run(*words, stdout=full)
                self.expectExplained(process, f"{words[0]} to a full output")
        return "closed and full"


    def outputs(self):
        return OutputFaults(self.simulator, self.quick, self.random)

    def soak(self):
        """Peaks of memory of runs whose length differs by a factor of ten."""
        steps = 200_000 if self.quick else 2_000_000
        peaks = []
        for count in (steps // 10, steps):
            process = self.simulator.start(
                "run", "ball.yaml", "--out", self.cleanFolder("soak"), "--end", f"{1e-6 * count:g}",
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            expect(process.returncode == 0, f"{count} steps: exit {process.returncode}")
            peaks.append(usage.ru_maxrss)
        # Peaks of the same run differ by about a quarter of this.
        expect(peaks[1] - peaks[0] < 1000, f"{peaks} kB at their peaks")
        return f"{steps} steps, {peaks[1]} kB; a tenth of them, {peaks[0]} kB"

    def openTheViewer(self):
        """Memory of a viewer that is opened a thousand times, each time on new connections."""
        warm = 50  # every thread has its own part of the heap
        openings = warm + 30 if self.quick else 1000
        self.simulator.succeed(*self.words("shown"))
        process = self.simulator.start("view", "shown", "--no-open")
        try:
            address = ""
            while not address:
                line = process.stdout.readline()
                expect(line, "the viewer does not start")
                address = line.partition("The viewer is at ")[2].strip()

            def get(name):
                with urllib.request.urlopen(address + name, timeout=20) as answer:
                    return answer.read()

            def open_page():
                expect(len(get("")) > 10_000, "no page")
                get("data/scene.json")
                run = json.loads(get("data/results.json"))[0]["id"]
                for name in ("time", "channel/0", "frames/0"):
                    expect(get(f"data/result/{run}/{name}"), f"no {name}")

            sizes = []
            for count in (warm, openings - warm):
                for _ in range(count):
                    open_page()
                status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
                sizes.append(int(status.partition("VmRSS:")[2].split()[0]))
        finally:
            process.terminate()
            process.communicate(timeout=60)
        expect(sizes[1] - sizes[0] < 4000, f"{sizes} kB")
        return f"{openings} openings, {sizes[1]} kB; after {warm} of them, {sizes[0]} kB"


KINDS = {
    "kill": Faults.killAtRandomMoments,
    "writes": Faults.killAtEveryWrite,
    "disk": Faults.fillTheDisk,
    "read-only": Faults.refuseWriting,
    "memory": Faults.takeMemory,
    "signals": Faults.stopBySignals,
    "two": Faults.runTwiceAtOnce,
    "clock": Faults.moveTheClock,
    "include": Faults.changeAnInclude,
    "early": Faults.failBeforeTheFirstStep,
    "streams": Faults.closeStreams,
    "files": lambda faults: faults.outputs().fillTheDisk(),
    "half-files": lambda faults: faults.outputs().killWhileWriting(),
    "cache": lambda faults: faults.outputs().disturbTheCache(),
    "reductions": lambda faults: faults.outputs().interrupt(),
    "soak": Faults.soak,
    "viewer": Faults.openTheViewer,
}


def readOptions():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--shim", required=True, help="the library of fault_shim.c")
    parser.add_argument("--quick", action="store_true", help="a few of each kind")
    parser.add_argument("--kills", type=int, default=300, help="at random moments (300)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []], metavar="NAME")
    return parser.parse_args()


def main():
    options = readOptions()
    print(f"seed {options.seed}", flush=True)
    failed = False
    # Nothing waits for a disk there.
    place = "/dev/shm" if options.quick and os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="flexloop_faults_", dir=place) as folder:
        faults = Faults(Simulator(options.program, options.shim, pathlib.Path(folder)), options)
        for name in options.kinds or KINDS:
            try:
                print(f"{name:10} {KINDS[name](faults)}", flush=True)
            except (Failure, subprocess.TimeoutExpired) as failure:
                failed = True
                print(f"{name:10} FAILED: {failure}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
