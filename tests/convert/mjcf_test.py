"""Robots that `flexloop convert` has made of MJCF, beside numbers of MuJoCo 3.14 for the same file.

Masses, positions of bodies, the mass matrix, and accelerations under gravity, springs and actuators, in several poses.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PROGRAM = ROBOTS = None


def flexloop(folder, *words, code=0):
    done = subprocess.run([PROGRAM, *map(str, words)], cwd=folder, capture_output=True, text=True)
    if done.returncode != code:
        raise AssertionError(" ".join(map(str, words)) + "\n" + done.stdout + done.stderr)
    return done


def firstRow(file):
    head, first = file.read_text().split("\n")[:2]
    return dict(zip(head.split(","), map(float, first.split(","))))


class MjcfTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def convertText(self, text, code=0):
        (self.path / "robot.xml").write_text(text)
        done = flexloop(self.path, "convert", "robot.xml", code=code)
        return done.stderr, (self.path / "robot.yaml").read_text() if code == 0 else ""

    def run_(self, text, *words):
        """What a model records at the start."""
        (self.path / "run.yaml").write_text(text)
        flexloop(self.path, "run", "run.yaml", "--end", "1e-6", "--step", "1e-6", "--csv", "run.csv", "--quiet", *words)
        return firstRow(self.path / "run.csv")

    def testManipulator(self):
        expected = json.loads((ROBOTS / "manipulator.json").read_text())
        done = flexloop(self.path, "convert", ROBOTS / "manipulator.xml", "-o", "m.yaml")
        for note in ("contacts of geoms are left out", "further geoms of a body are not drawn", "'sensor' is not understood",
                     "'light' of a body is not understood"):
            self.assertIn(note, done.stderr)
        model = (self.path / "m.yaml").read_text()
        checked = json.loads(flexloop(self.path, "check", "m.yaml", "--json", "-").stdout)
        self.assertAlmostEqual(checked["mass"], sum(expected["mass"]), delta=1e-12)
        bodies, joints = expected["bodies"][1:-1], expected["joints"]  # the nail is a part of the tool
        model = model.replace("sensors:\n", "sensors:\n" + "".join(
            f"  p_{n}: {{measure: position, node: {n}}}\n" for n in bodies) + "".join(
            f"  v_{n}: {{measure: rate, joint: {n}}}\n" for n in joints))
        model += "outputs: [" + ", ".join([f"p_{n}" for n in bodies] + [f"v_{n}.rate" for n in joints] + ["point"]) + "]\n"
        for pose in expected["poses"]:
            sets = [w for n, q in zip(joints, pose["q"]) for w in ("--set", f"joints.{n}.start={q!r}")]
            sets += [w for n, u in zip(("drive", "servo", "push", "spin"), pose["u"])
                     for w in ("--set", f"blocks.{n}.value={u!r}")]
            row = self.run_(model, *sets)
            x = np.reshape(pose["x"], (-1, 3))[1:-1]
            for name, place in zip(bodies, x):
                np.testing.assert_allclose([row[f"p_{name}.{c}"] for c in "xyz"], place, atol=1e-12, err_msg=name)
            np.testing.assert_allclose([row[f"point.{c}"] for c in "xyz"], pose["site"], atol=1e-12)
            found = [row[f"v_{n}.rate"] for n in joints]
            M = np.array(pose["M"])
            scale = np.linalg.cond(M) * max(map(abs, pose["acc"]))
            np.testing.assert_allclose(found, pose["acc"], atol=1e-12 * scale)

    def testLawsOfActuators(self):
        body = '<mujoco><compiler angle="radian"/><worldbody><body name="b">' \
               '<joint name="j" type="slide" axis="1 0 0"/><geom type="box" size="1 1 1" mass="2"/></body></worldbody>' \
               '<actuator>{}</actuator></mujoco>'
        # a = gear (gain u + b0 + b1 gear q + b2 gear v) / m with q = 0.5 and v = -1
        for actuator, force in (('<motor name="a" joint="j" gear="3"/>', 3 * 0.4),
                                ('<motor name="a" joint="j" gear="3" ctrlrange="-0.1 0.2"/>', 3 * 0.2),
                                ('<motor name="a" joint="j" gear="-3" forcerange="-0.1 0.2"/>', -3 * 0.2),
                                ('<position name="a" joint="j" gear="2" kp="5" kv="3"/>', 2 * (5 * 0.4 - 5 * 2 * 0.5 + 3 * 2)),
                                ('<motor name="a" joint="k" gear="-3"/>', 3 * -0.25),
                                ('<motor name="a" joint="k" gear="3" forcerange="-0.01 0.02"/>', 3 * 0.02),
                                ('<position name="a" joint="k" kp="5" inheritrange="0.5"/>', 5 * 0.1 - 5 * 0.05),
                                ('<velocity name="a" joint="j" kv="3"/>', 3 * (0.4 + 1)),
                                ('<general name="a" joint="j" gainprm="2" biastype="affine" biasprm="1 -4 -0.5"/>',
                                 2 * 0.4 + 1 - 4 * 0.5 + 0.5)):
            _, text = self.convertText(body.format(actuator).replace('"k"', '"j"').replace(
                'axis="1 0 0"', 'axis="1 0 0" range="-0.2 0.2" actuatorfrcrange="-0.75 0.75"' if '"k"' in actuator else 'axis="1 0 0"'))
            if '"k"' in actuator:  # within its stops
                text = text.replace("sensors:\n", "sensors:\n  v: {measure: rate, joint: j}\n") + "outputs: [v.rate]\n"
                row = self.run_(text, "--set", "blocks.a.value=0.4", "--set", "joints.j.start=0.05")
                self.assertAlmostEqual(row["v.rate"], force / 2, delta=1e-12, msg=actuator)
                continue
            text = text.replace("sensors:\n", "sensors:\n  v: {measure: rate, joint: j}\n") + "outputs: [v.rate]\n"
            row = self.run_(text, "--set", "blocks.a.value=0.4", "--set", "joints.j.start=0.5", "--set", "joints.j.start_rate=-1")
            self.assertAlmostEqual(row["v.rate"], force / 2, delta=1e-12, msg=actuator)

    def testCoupledJointsAndLoops(self):
        _, text = self.convertText("""<mujoco><worldbody>
<body name="a" pos="0 0 1"><joint name="ja" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.05"/>
 <body name="b" pos="1 0 0"><joint name="jb" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.05"/></body></body>
<body name="c" pos="2 0 1"><joint name="jc" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.05"/></body>
<body name="d"><joint name="jd" type="slide"/><geom size="0.1"/></body>
</worldbody><equality>
<connect body1="b" body2="c" anchor="0 0 1"/>
<joint joint1="jd" joint2="jc" polycoef="0.1 0.5"/></equality></mujoco>""".replace(
            'pos="2 0 1"', 'pos="1 0 1"'))
        self.assertIn("connect1: {type: spherical, between: [b, c], at: [1, 0, 2]}", text)
        checked = json.loads(flexloop(self.path, "check", "robot.yaml", "--json", "-").stdout)
        self.assertEqual(checked["mobility"], 1)  # a triangle of the first two stays as it is; d follows c
        row = self.run_(text.replace("sensors:\n", "sensors:\n  z: {measure: position, node: d, direction: [0, 0, 1]}\n"))
        self.assertAlmostEqual(row["z"], 0.1, delta=1e-12)

    def testOtherFilesAreIncluded(self):
        (self.path / "leg.xml").write_text('<mujocoinclude><body name="leg"><joint name="hip"/><include file="foot.xml"/>'
                                           '</body></mujocoinclude>')
        (self.path / "foot.xml").write_text('<mujoco><geom class="ball"/></mujoco>')
        (self.path / "classes.xml").write_text('<mujoco><default><default class="ball"><geom size="0.1" mass="3"/></default>'
                                               '</default></mujoco>')
        _, text = self.convertText('<mujoco><include file="classes.xml"/><worldbody><include file="leg.xml"/></worldbody></mujoco>')
        self.assertIn("leg: {node: leg, mass: 3,", text)
        self.assertIn("hip: {type: hinge, between: [world, leg], axis: [0, 0, 1]}", text)

    def testBallAndFreeJoints(self):
        _, text = self.convertText("""<mujoco><worldbody><body name="a" pos="0 0 1"><freejoint/><geom size="0.1"/>
<body name="b" pos="0.5 0 0"><joint type="ball" pos="-0.25 0 0"/><geom type="box" size="0.1 0.1 0.1"/></body>
<body name="c"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/><geom size="0.1"/></body>
</body></worldbody></mujoco>""")
        self.assertIn("type: spherical, between: [a, b], at: [0.25, 0, 1]}", text)
        checked = json.loads(flexloop(self.path, "check", "robot.yaml", "--json", "-").stdout)
        self.assertEqual(checked["mobility"], 6 + 3 + 2)

    def testDryFrictionRangesAndNames(self):
        stderr, text = self.convertText("""<mujoco><worldbody><body><joint axis="1 0 0" range="-10 20" frictionloss="0.3"/>
<geom size="0.1"/><body><joint name="k" limited="false" range="0 1"/><geom type="mesh" mesh="none"/></body>
</body></worldbody><actuator><muscle joint="k"/></actuator><tendon/></mujoco>""")
        self.assertIn("joint1: {type: hinge, between: [world, body1], axis: [1, 0, 0], friction: {torque: 0.3}}", text)
        self.assertIn("lower: -0.174532925", text)
        self.assertNotIn("joint: k, lower", text)
        for note in ("the mass of a geom of type 'mesh' is left out", "the mesh 'none' is left out: it is not under 'asset'",
                     "actuators of type 'muscle' are left out", "'tendon' is not understood"):
            self.assertIn(note, stderr)

    def testMistakesAreNamed(self):
        def says(inside, after=""):
            return self.convertText(f"<mujoco>\n<worldbody>\n{inside}\n</worldbody>\n{after}</mujoco>\n", code=2)[0]

        body = '<body name="a">{}<geom size="0.1"/></body>'
        self.assertIn("the file has no bodies", says(""))
        self.assertIn("this is no URDF: its outermost element is 'sdf'", self.convertText("<sdf/>", code=2)[0])
        # A file of URDF may have words for MuJoCo.
        _, text = self.convertText('<robot name="r"><mujoco/><link name="a"><inertial><mass value="2"/></inertial></link></robot>')
        self.assertIn("a: {node: a, mass: 2}", text)
        self.assertIn("robot.xml:3: error: joint: unknown type 'hing'", says(body.format('<joint type="hing"/>')))
        self.assertIn("the body 'a' is there twice", says(body.format("") * 2))
        self.assertIn("the joint 'j' is there twice", says(body.format('<joint name="j"/><joint name="j"/>')))
        self.assertIn("its axis is zero", says(body.format('<joint axis="0 0 0"/>')))
        self.assertIn("'range' must be two numbers, the lower one first", says(body.format('<joint range="1 0"/>')))
        self.assertIn("'size' of a capsule must be 2 numbers", says('<body><geom type="capsule" size="1"/></body>'))
        self.assertIn("'size' must be positive", says('<body><geom size="-1"/></body>'))
        self.assertIn("'quat' must be 4 numbers", says('<body quat="1 0"><geom size="1"/></body>'))
        self.assertIn("'1 x 0' of 'pos' is not made of numbers", says('<body pos="1 x 0"><geom size="1"/></body>'))
        self.assertIn("a free joint is the only one", says(body.format(body.replace('"a"', '"b"').format("<freejoint/>"))))
        self.assertIn("motor: there is no joint 'k'", says(body.format('<joint name="j"/>'), '<actuator><motor joint="k"/></actuator>'))
        self.assertIn("the joint 'j' follows itself",
                      says(body.format('<joint name="j"/>'), '<equality><joint joint1="j" joint2="j"/></equality>'))
        self.assertIn("include: the file 'b.xml' cannot be read", says(body.format('<include file="b.xml"/>')))
        (self.path / "b.xml").write_text('<mujocoinclude><include file="b.xml"/></mujocoinclude>')
        self.assertIn("the file 'b.xml' includes itself", says('<include file="b.xml"/>'))
        (self.path / "b.xml").write_text("<mujocoinclude><a></mujocoinclude>")
        self.assertIn("the file 'b.xml' is no XML", says('<include file="b.xml"/>'))
        (self.path / "free.xml").write_text(f"<mujoco><worldbody>{body.format('')}</worldbody></mujoco>")
        self.assertIn("--free belongs to URDF", flexloop(self.path, "convert", "free.xml", "--free", code=2).stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--robots", type=pathlib.Path, required=True)
    given, rest = parser.parse_known_args()
    PROGRAM, ROBOTS = given.program, given.robots
    unittest.main(argv=[sys.argv[0], *rest])
