"""What a model inside of an FMU may have: flexible parts, black boxes in C, foreign FMUs, a reduced part of a file."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy as np
from host import Refused, export, flexloop, records

ROOT = pathlib.Path(__file__).resolve().parents[2]
PART = """flexloop: 1
materials: {rubber: {E: 2e6, nu: 0.3, rho: 1000}}
parts:
  block: {mesh: hex.inp, material: rubber, interfaces: {foot: {set: Surface25}, end: {set: Surface17}}, modes: 3, damping: 0.02}
joints: {clamp: {type: weld, between: [ground, block.foot]}}
sensors:
  z: {measure: displacement, node: block.end, direction: [0, 0, 1]}
  v: {measure: velocity, node: block.end, direction: [0, 0, 1]}
blocks: {force: {type: step, at: 20 ms, from: 0, to: 500}}
loads: {push: {node: block.end, force: [0, 0, 1], signal: force}}
outputs: [z, v]
analysis: {time: {end: 0.2, step: 1 ms}}
"""
BOX = """flexloop: 1
nodes: {cart: {position: [0.1, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 2}}
sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 50, damping: 8}}
blocks:
  law: {type: library, path: boxes/libpi.so, inputs: [-p], outputs: [force], sample: 5 ms, config: "40 90"MORE}
  extra: {type: constant, value: 0}
loads:
  act: {node: cart, force: [1, 0, 0], signal: law}
  disturb: {node: cart, force: [1, 0, 0], signal: extra}
outputs: [p, law]
analysis: {time: {end: 0.5, step: 1 ms}}
"""


class Inside(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = pathlib.Path(self.place.name)

    def assertSame(self, rows, record, names, tolerance):
        for k, name in enumerate(names):
            size = max(map(abs, record[name]))
            self.assertGreater(size, 0.0)
            for row, expected in zip(rows, record[name]):
                self.assertLess(abs(row[1 + k] - expected), tolerance * size, (name, row[0]))

    def check(self, model, source, outputs, end, files, versions=(3,)):
        """The FMU alone in the world: as the run, again after a return, and after its state has been bytes."""
        (self.folder / "model.yaml").write_text(model)
        record = records(self.folder, self.folder / "model.yaml")
        for version in versions:
            fmu = export(self.folder, self.folder / "model.yaml", [source], outputs, version=version)
            hidden = [self.folder / name for name in files]
            for file in hidden:
                os.rename(file, str(file) + ".away")
            one = fmu.instance().start()
            rows = one.run(end / 2, 1e-3, outputs)
            saved = one.save()
            data = one.serialize(saved)
            at = one.time

            def go_on():
                more = []
                for k in range(round(end / 2 / 1e-3)):
                    one.step(at + k * 1e-3, 1e-3)
                    more.append([at + (k + 1) * 1e-3, *one.listed(outputs)])
                return more

            first = go_on()
            self.assertSame([*rows, *first], record, outputs, 1e-9)
            one.restore(saved)
            self.assertEqual(go_on(), first)
            one.restore(one.deserialize(data))
            self.assertEqual(go_on(), first)
            other = fmu.instance().start()  # beside the first one
            self.assertEqual(other.run(end / 2, 1e-3, outputs), rows)
            other.free()
            other = fmu.instance().start()
            self.assertNotEqual(other.run(end / 2, 1e-3, outputs, lambda t: {source: 7.0}), rows)
            other.free()
            one.free()
            for file in hidden:
                os.rename(str(file) + ".away", file)

    def test_flexible_part(self):
        shutil.copy(ROOT / "tests/fixtures/meshes/hex.inp", self.folder)
        self.check(PART, "force", ["z", "v"], 0.2, ["hex.inp", "model.yaml"], versions=(2, 3))

    def test_reduced_part_of_a_file(self):
        shutil.copy(ROOT / "tests/fixtures/meshes/hex.inp", self.folder)
        (self.folder / "model.yaml").write_text(PART)
        flexloop("reduce", self.folder / "model.yaml", "--part", "block", "-o", self.folder / "block.h5")
        os.remove(self.folder / "hex.inp")
        kept = PART.replace("mesh: hex.inp, material: rubber, interfaces: {foot: {set: Surface25}, end: {set: Surface17}}, modes: 3, "
                            "damping: 0.02", "reduced: block.h5, interfaces: {foot: {set: Surface25}, end: {set: Surface17}}")
        self.check(kept, "force", ["z", "v"], 0.2, ["block.h5", "model.yaml"])

    def test_slopes_of_a_flexible_part(self):
        """In model exchange, its frequency is that of `modes`."""
        shutil.copy(ROOT / "tests/fixtures/meshes/hex.inp", self.folder)
        (self.folder / "model.yaml").write_text(PART)
        modes = json.loads(flexloop("modes", self.folder / "model.yaml", "--json", "-", "--quiet", "--count", "40").stdout)["modes"]
        fmu = export(self.folder, self.folder / "model.yaml", ["force"], ["z"], kind="me")
        one = fmu.instance()
        one.initialize()
        one.call("ExitInitializationMode")
        info = one.event() if False else None
        del info
        n = len(fmu.states)
        A = np.array([one.slopes(fmu.derivatives, [state], [1.0]) for state in fmu.states]).T
        found = np.linalg.eigvals(A)
        self.assertEqual(A.shape, (n, n))
        for mode in modes:
            root = complex(*mode["eigenvalue"])
            self.assertLess(min(abs(found - root)), 1e-6 * abs(root))
        one.free()

    def build_box(self):
        (self.folder / "boxes").mkdir()
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT}/include", "-o", self.folder / "boxes/libpi.so",
                        ROOT / "tests/fixtures/boxes/pi.c"], check=True)

    def test_black_box_in_c(self):
        self.build_box()
        for more in (", isolate: false", ""):
            with self.subTest(more=more):
                self.check(BOX.replace("MORE", more), "extra", ["p", "law"], 0.5, ["boxes/libpi.so", "model.yaml"])

    def test_black_box_is_no_model_exchange(self):
        self.build_box()
        (self.folder / "model.yaml").write_text(BOX.replace("MORE", ""))
        done = flexloop("fmu", self.folder / "model.yaml", "--to", "p", "--kind", "me", "-o", self.folder / "a.fmu", ok=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("law", done.stderr)

    def test_an_fmu_inside_an_fmu(self):
        inner = self.folder / "inner.yaml"
        inner.write_text("""flexloop: 1
blocks:
  e: {type: constant, value: 0}
  u: {type: transfer_function, input: e, numerator: [40, 300], denominator: [0.02, 1]}
outputs: [u]
analysis: {time: {end: 1, step: 1 ms}}
""")
        flexloop("fmu", inner, "--from", "e", "--to", "u", "-o", self.folder / "law.fmu")
        model = BOX[:BOX.index("  law: ")] + "  law: {type: fmu, path: law.fmu, inputs: {e: error}, sample: 5 ms, feedthrough: false}\n" \
            "  error: {type: sum, inputs: [-p]}\n" + BOX[BOX.index("  extra: "):]
        self.check(model, "extra", ["p", "law"], 0.5, ["law.fmu", "model.yaml"])

    def test_a_crash_of_a_box_ends_the_step_and_not_the_host(self):
        self.build_box()
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT}/include", "-x", "c", "-o", self.folder / "boxes/libpi.so", "-"],
                       input="#include \"flexloop_block.h\"\nvoid block_output(void* b, double t, const double* u, double* y) "
                             "{ (void)b; (void)u; if (t > 0.0123) *(volatile int*)8 = 1; y[0] = 0; }\n", text=True, check=True)
        fmu = export(self.folder, BOX.replace("MORE", ""), ["extra"], ["p"])
        one = fmu.instance().start()
        one.step(0.0, 0.01)
        with self.assertRaises(Refused) as caught:
            one.step(0.01, 0.01)
        self.assertIn("crashed in block_output at t = 0.015 s", caught.exception.message)
        one.free()


if __name__ == "__main__":
    unittest.main()
