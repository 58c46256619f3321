"""A part reduced by two processes that share its factors, and by one: the same numbers, and the same messages.

For builds with FLEXLOOP_MPI. The block is large enough that MUMPS gives both processes fronts of their own.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MODEL = """flexloop: 1
materials: {{steel: {{E: 210 GPa, nu: 0.3, rho: 7850}}}}
parts:
  block:
    block: {{size: [2, 1, 1], elements: [{n}, {half}, {half}]}}
    material: steel
    interfaces: {{foot: {{set: x0}}, top: {{set: x1, {top}}}}}
    method: {method}
    modes: 10
"""
# Frequencies are found to 1e-10 of their squares; the order of sums differs.
TOLERANCE = 1e-9


def reduce(program, folder, processes, expected=0):
    words = [program, "reduce", "model.yaml", "--quiet", "--json", "-"]
    if processes > 1:
        words = ["mpirun", "--oversubscribe", "-n", str(processes), *words]
    environment = {**os.environ, "FLEXLOOP_CACHE": "off", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader"}
    run = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert (run.returncode == 0) == (expected == 0), run.stderr
    return json.loads(run.stdout) if expected == 0 else run.stderr


def compare(one, two):
    for key in ("frequencies_hz", "full_frequencies_hz"):
        assert len(one[key]) == len(two[key]) > 5, key
        for a, b in zip(one[key], two[key]):
            assert abs(a / b - 1) < TOLERANCE, (key, a, b)
    for key in ("part", "freedoms", "interface_freedoms", "modes"):
        assert one[key] == two[key], key
    assert abs(one["static_error"] - two["static_error"]) < 1e-9 * max(1.0, one["static_error"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = str(pathlib.Path(parser.parse_args().program).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for method, top in (("craig_bampton", "spread: false"), ("free_interface", "spread: true")):
            (folder / "model.yaml").write_text(MODEL.format(n=12, half=6, method=method, top=top))
            compare(reduce(program, folder, 1), reduce(program, folder, 2))
        # A failure of the leader sends the others home, too.
        (folder / "model.yaml").write_text(MODEL.format(n=12, half=6, method="craig_bampton", top="at: 7"))
        message = reduce(program, folder, 2, expected=2)
        assert message.count("error:") == 1, message
    return 0


if __name__ == "__main__":
    sys.exit(main())
