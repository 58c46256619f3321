"""A front end of its own that knows nothing but the page docs/manual/server.md: its example is run as it is written there."""
import argparse
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

import numpy as np

PROGRAM = PAGE = None
MODEL = """flexloop: 1
title: a mass under a controller
parameters: {kp: 20}
nodes: {m: {position: [0.1, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {m: {node: m, mass: 2}}
springs: {k: {type: linear, between: [ground, m], direction: [1, 0, 0], stiffness: 300, damping: 1}}
sensors: {x: {measure: displacement, node: m, direction: [1, 0, 0]}}
blocks: {u: {type: pid, input: x, reference: 0, kp: = kp, kd: 1}}
actuators: {f: {type: force, node: m, direction: [1, 0, 0], input: u}}
analysis: {time: {end: 0.5, step: 5 ms}}
"""


class FrontEnd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "mass.yaml").write_text(MODEL)
        cls.flexloop("run", "mass.yaml", "--csv", "run.csv", "--quiet")
        cls.server = subprocess.Popen([PROGRAM, "view", "out/mass", "--no-open"], cwd=cls.path, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True)
        for line in cls.server.stdout:
            found = re.search(r"http://\S+", line)
            if found:
                break
        cls.here = {"address": found.group()}
        exec(re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S).group(1), cls.here)

    @classmethod
    def tearDownClass(cls):
        cls.server.send_signal(signal.SIGINT)
        cls.server.communicate(timeout=20)
        cls.folder.cleanup()

    @classmethod
    def flexloop(cls, *words):
        done = subprocess.run([PROGRAM, *words], cwd=cls.path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def json(self, name):
        return json.loads(self.here["get"](name))

    def testRecords(self):
        record = np.loadtxt(self.path / "run.csv", delimiter=",", skiprows=1)
        np.testing.assert_array_equal(self.here["time"], record[:, 0])
        names = (self.path / "run.csv").read_text().split("\n")[0].split(",")[1:]
        self.assertEqual([c["name"] for c in self.here["run"]["channels"]], names)
        for i, _ in enumerate(names):
            numbers = np.frombuffer(self.here["get"](f"result/{self.here['run']['id']}/channel/{i}"), "<f8")
            np.testing.assert_array_equal(numbers, record[:, i + 1])

    def testScene(self):
        scene = self.json("scene.json")
        for key in ("title", "live", "nodes", "bodies", "springs", "sensors", "actuators", "parameters", "diagram", "text"):
            self.assertIn(key, scene)
        self.assertEqual(scene["text"], MODEL)
        self.assertEqual([b["name"] for b in scene["bodies"]], ["m"])
        frames = np.frombuffer(self.here["get"](f"result/{self.here['run']['id']}/frames/0"), "<f4").reshape(-1, len(scene["nodes"]), 7)
        np.testing.assert_allclose(frames[0, 1], [0.1, 0, 0, 1, 0, 0, 0], atol=1e-7)

    def testQuestionsAnswerAsTheCommandLineDoes(self):
        own = json.loads(self.flexloop("modes", "mass.yaml", "-p", "kp=40", "--json", "-", "--quiet"))["modes"]
        self.assertEqual([m["eigenvalue"] for m in self.here["modes"]], [m["eigenvalue"] for m in own])
        own = json.loads(self.flexloop("frf", "mass.yaml", "--from", "f", "--to", "x", "--frequencies", "1,2", "--json", "-", "--quiet"))
        answer = self.here["ask"]("frf", values={}, **{"from": "f", "to": "x", "range": [1, 2], "points": 2})
        for key in ("re", "im"):
            np.testing.assert_allclose([answer["responses"][0][key][i] for i in (0, -1)],
                                       own["responses"][0][key], rtol=1e-9)
        run = self.here["ask"]("run", values={"kp": 40}, end=0.1)
        self.assertEqual(run["records"], 21)
        sweep = self.here["ask"]("sweep", values={}, path="kp", **{"from": 10, "to": 40, "count": 4})
        self.assertEqual(len(sweep["points"]), 4)

    def status(self, path, body=None, **headers):
        try:
            return urllib.request.urlopen(urllib.request.Request(path, body, headers)).status, ""
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def testWhatIsRefused(self):
        address = self.here["address"]
        self.assertEqual(self.status(address + "data/none.json")[0], 404)
        self.assertEqual(self.status(re.sub(r"/[^/]+/$", "/wrong/", address) + "data/scene.json")[0], 404)
        self.assertEqual(self.status(address + "data/scene.json", Origin="http://example.org")[0], 403)
        self.assertEqual(self.status(address + "ask/modes", b"{}", **{"Content-Type": "text/plain"})[0], 415)
        code, text = self.status(address + "ask/modes", b'{"values": {"kq": 1}}', **{"Content-Type": "application/json"})
        self.assertEqual(code, 422)
        self.assertIn("kq", json.loads(text)["error"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--page", type=pathlib.Path, required=True)
    given, rest = parser.parse_known_args()
    PROGRAM, PAGE = given.program, given.page
    unittest.main(argv=[sys.argv[0], *rest])
