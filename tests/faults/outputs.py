"""Faults while files are made from a model: reduced parts and their cache, parameter-dependent models, controllers, FMUs,
matrices, converted robots. Under its name there is the old file or the new one, and nothing else is left behind."""

import json
import os
import resource
import shutil
import signal
import time

from simulator import expect

CART = """flexloop: 1
parameters: {load: 2}
nodes: {c: {position: [0, 0, 0], free: [x]}}
bodies: {c: {node: c, mass: = load}}
springs: {k: {type: linear, between: [ground, c], direction: [1, 0, 0], stiffness: 100, damping: 1}}
sensors: {x: {measure: position, node: c, direction: [1, 0, 0]}}
blocks: {u: {type: constant, value: 0}}
loads: {f: {node: c, force: [1, 0, 0], signal: u}}
analysis: {time: {end: 0.1, step: 1 ms}}
"""
PART = """flexloop: 1
materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}
parts:
  p: {block: {size: [0.6, 0.2, 0.1], elements: [ELEMENTS]}, material: alu, modes: MODES, interfaces: {f: {set: x0}, g: {set: x1}}}
analysis: {time: {end: 0.01, step: 1 ms}}
"""
ROBOT = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint></robot>
"""
PORTS = ["--from", "u", "--to", "x"]
COMMANDS = {
    "part.h5": ["reduce", "part.yaml", "-o", "part.h5"],
    "cart.lpv": ["lpv", "cart.yaml", "-p", "load=1:3:3", *PORTS, "--order", "2", "-o", "cart.lpv"],
    "cart.mat": ["linearize", "cart.yaml", *PORTS, "--mat", "cart.mat"],
    "law.yaml": ["design", "cart.yaml", "--method", "pid", "--crossover", "3", *PORTS, "-o", "law.yaml"],
    "cart.fmu": ["fmu", "cart.yaml", "--to", "x", "-o", "cart.fmu"],
    "robot.yaml": ["convert", "robot.urdf", "-o", "robot.yaml"],
}
FAILED = 4  # exit code of a program that could not write, or was stopped
OLD = b"what was there before"


class OutputFaults:
    def __init__(self, simulator, quick, random):
        self.simulator, self.quick, self.random = simulator, quick, random
        self.folder = simulator.folder / "outputs"
        self.folder.mkdir(exist_ok=True)
        (self.folder / "cart.yaml").write_text(CART)
        (self.folder / "part.yaml").write_text(PART.replace("ELEMENTS", "3, 1, 1").replace("MODES", "2"))
        (self.folder / "long.yaml").write_text(PART.replace("ELEMENTS", "24, 10, 6").replace("MODES", "20"))
        (self.folder / "robot.urdf").write_text(ROBOT)
        self.cache = self.folder / "cache"

    def run(self, words, cached=False, **options):
        os.environ["FLEXLOOP_CACHE"] = str(self.cache) if cached else "off"
        return self.simulator.run(*words, cwd=self.folder, **options)

    def start(self, *words, cached=False):
        os.environ["FLEXLOOP_CACHE"] = str(self.cache) if cached else "off"
        return self.simulator.start(*words, cwd=self.folder)

    def choose(self, cases, few):
        cases = list(cases)
        return self.random.sample(cases, min(few, len(cases))) if self.quick else cases

    def expectOldOrNew(self, name, new, what):
        now = (self.folder / name).read_bytes()
        expect(now in (OLD, new), f"{what}: half a file")
        return now

    def expectNothingElse(self, what):
        left = [f.name for f in self.folder.iterdir() if ".partial" in f.name or f.name.endswith(".tmp")]
        expect(not left, f"{what}: left behind: {left}")

    def fillTheDisk(self):
        tries = 0
        for name, words in COMMANDS.items():
            process = self.run(words)
            expect(process.returncode == 0, f"{name}: {process.errors}")
            new = (self.folder / name).read_bytes()
            for limit in self.choose(sorted({0, 1, len(new) // 3, len(new) // 2, len(new) - 1}), 2):
                what = f"{name}, files of {limit} bytes at most"
                (self.folder / name).write_bytes(OLD)
                process = self.run(words, preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_FSIZE, (limit, limit)))
                expect(process.returncode == FAILED, f"{what}: exit {process.returncode}: {process.errors}")
                expect("error: " in process.errors, f"{what}: no message")
                expect(self.expectOldOrNew(name, new, what) == OLD, f"{what}: overwritten")
                self.expectNothingElse(what)
                tries += 1
        return f"{tries} of {len(COMMANDS)} kinds of files"

    def killWhileWriting(self):
        tries = 0
        for name, words in COMMANDS.items():
            count = self.folder / "count"
            process = self.run(words, faults={"FAULT_COUNT": count})
            expect(process.returncode == 0, f"{name}: {process.errors}")
            new, calls = (self.folder / name).read_bytes(), int(count.read_text())
            for call in self.choose(range(1, calls + 1), 2):
                for fault in self.choose(("kill", "torn"), 1):
                    what = f"{name}, {fault} at call {call} of {calls}"
                    (self.folder / name).write_bytes(OLD)
                    self.run(words, faults={"FAULT": fault, "FAULT_AT": call})
                    self.expectOldOrNew(name, new, what)
                    for left in self.folder.glob("*.partial*"):
                        left.unlink()
                    tries += 1
        return f"{tries} times"

    def reduceAgain(self, what):
        """From the cache or not, the part is the same."""
        process = self.run(["reduce", "part.yaml", "--json", "-", "--quiet"], cached=True)
        expect(process.returncode == 0, f"{what}: exit {process.returncode}: {process.errors}")
        return json.loads(process.out)

    def disturbTheCache(self):
        shutil.rmtree(self.cache, ignore_errors=True)
        count, words = self.folder / "count", ["reduce", "part.yaml", "--quiet"]
        whole = self.reduceAgain("an empty cache")
        shutil.rmtree(self.cache)
        self.run(words, cached=True, faults={"FAULT_COUNT": count})
        calls = int(count.read_text())
        chosen = self.choose(range(1, calls + 1), 3)
        for call in chosen:
            for fault in ("kill", "full"):
                shutil.rmtree(self.cache, ignore_errors=True)
                what = f"cache, {fault} at call {call} of {calls}"
                process = self.run(words, cached=True, faults={"FAULT": fault, "FAULT_AT": call})
                expect(fault == "kill" or process.returncode in (0, FAILED), f"{what}: {process.errors}")
                expect(self.reduceAgain(what) == whole, f"{what}: another part")
        for file in self.cache.glob("part-*.h5"):
            file.write_bytes(file.read_bytes()[:-100])
        expect(self.reduceAgain("a part that was cut off") == whole, "a part that was cut off is used")
        for _ in range(2 if self.quick else 15):
            shutil.rmtree(self.cache)
            pair = [self.start(*words, cached=True) for _ in range(2)]
            for process in pair:
                _, errors = process.communicate(timeout=60)
                expect(process.returncode == 0, f"two at once: exit {process.returncode}: {errors}")
            expect(len(list(self.cache.glob("part-*.h5"))) == 1, "two at once: not one part")
            expect(self.reduceAgain("two at once") == whole, "two at once: another part")
        return f"{len(chosen)} of {calls} calls, killed and without room"

    def interrupt(self):
        """What reduces a part ends soon, and leaves nothing."""
        cases = [["run", "long.yaml", "--out", "stopped"], ["reduce", "long.yaml", "-o", "part.h5"]]
        signals = self.choose([signal.SIGTERM, signal.SIGINT, signal.SIGHUP], 1)
        for words in cases:
            for number in signals:
                (self.folder / "part.h5").write_bytes(OLD)
                process = self.start(*words)
                time.sleep(0.4)
                process.send_signal(number)
                begin = time.monotonic()
                _, errors = process.communicate(timeout=60)
                what = f"{words[0]} and {number.name}"
                expect(process.returncode == FAILED, f"{what}: exit {process.returncode}: {errors}")
                expect("stopped" in errors or "interrupted" in errors, f"{what}: {errors}")
                expect(time.monotonic() - begin < 20, f"{what}: it took its time to end")
                expect((self.folder / "part.h5").read_bytes() == OLD, f"{what}: half a file")
                expect(not (self.folder / "stopped").exists() or
                       not list((self.folder / "stopped").glob("result*")), f"{what}: a result of nothing")
                self.expectNothingElse(what)
        return f"{len(cases)} commands, {', '.join(s.name for s in signals)}"
