"""Modes and a static load of one mesh by the program and by CalculiX, which is run as a separate process.

A cantilever 0.4 x 0.1 x 0.05 m, steel, of 20-node bricks, 8-node bricks with incompatible modes, and 10-node tetrahedra
(each brick cut into six). Exit code 77: CalculiX is not installed.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SIZE = (0.4, 0.1, 0.05)
COUNTS = (8, 2, 2)
# The incompatible modes of 8-node bricks are another formulation there; both converge to the same solution.
TOLERANCE = {"C3D20": 1e-3, "C3D10": 1e-3, "C3D8I": 1e-2}
# Cuts of a brick with the corners 0-7 (x fastest, then y, then z) along its diagonal 0-7.
TETS = [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)]
HEX20 = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2), (1, 0, 0), (2, 1, 0), (1, 2, 0),
         (0, 1, 0), (1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2), (0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]


class Mesh:
    """Nodes on the grid of half elements, numbered as they are used."""

    def __init__(self):
        self.numbers = {}
        self.elements = []

    def node(self, place):
        return self.numbers.setdefault(tuple(place), len(self.numbers) + 1)

    def add(self, places):
        self.elements.append([self.node(p) for p in places])

    def lines(self, kind):
        yield "*NODE, NSET=ALL"
        for place, number in self.numbers.items():
            yield f"{number}, " + ", ".join(repr(s * p / (2 * n)) for s, p, n in zip(SIZE, place, COUNTS))
        yield f"*ELEMENT, TYPE={kind}, ELSET=BODY"
        for number, nodes in enumerate(self.elements, 1):
            words = [str(n) for n in [number, *nodes]]
            yield ", ".join(words[:11]) + ("," if len(words) > 11 else "")
            if len(words) > 11:
                yield ", ".join(words[11:])
        yield "*NSET, NSET=ROOT"
        yield from (f"{number}," for place, number in self.numbers.items() if place[0] == 0)
        yield from ("*MATERIAL, NAME=STEEL", "*ELASTIC", "210e9, 0.3", "*DENSITY", "7850.",
                    "*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL")


def make_mesh(kind):
    mesh = Mesh()
    for k in range(COUNTS[2]):
        for j in range(COUNTS[1]):
            for i in range(COUNTS[0]):
                first = (2 * i, 2 * j, 2 * k)
                if kind == "C3D10":
                    corners = [tuple(f + 2 * (c >> a & 1) for a, f in enumerate(first)) for c in range(8)]
                    for tet in TETS:
                        p = [corners[c] for c in tet]
                        middles = [tuple((a + b) // 2 for a, b in zip(p[m], p[n]))
                                   for m, n in [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]]
                        mesh.add(p + middles)
                else:
                    places = HEX20 if kind == "C3D20" else HEX20[:8]
                    mesh.add([tuple(f + d for f, d in zip(first, place)) for place in places])
    return mesh


def run_calculix(folder, text):
    (folder / "job.inp").write_text(text + "*BOUNDARY\nROOT, 1, 3\n*STEP\n*FREQUENCY\n6\n*END STEP\n")
    subprocess.run(["ccx", "job"], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rows = re.findall(r"^\s+\d+\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$", (folder / "job.dat").read_text(), re.M)
    return [float(row[2]) for row in rows[:6]]


def run_program(program, folder, text):
    (folder / "mesh.inp").write_text(text)
    done = subprocess.run([program, "part", "mesh.inp", "--clamp", "ROOT", "--count", "6", "--json", "-"], cwd=folder,
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["frequencies_hz"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = str(pathlib.Path(parser.parse_args().program).resolve())
    if shutil.which("ccx") is None:
        print("CalculiX is not installed")
        return 77
    failures = 0
    for kind in ("C3D20", "C3D8I", "C3D10"):
        text = "\n".join(make_mesh(kind).lines(kind)) + "\n"
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            theirs, ours = run_calculix(folder, text), run_program(program, folder, text)
        assert len(theirs) == 6 and len(ours) == 6, (theirs, ours)
        worst = max(abs(a / b - 1) for a, b in zip(ours, theirs))
        print(f"{kind}: {ours[0]:.6f} Hz, CalculiX {theirs[0]:.6f} Hz; largest difference of six modes {worst:.1e}")
        failures += worst > TOLERANCE[kind]
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
