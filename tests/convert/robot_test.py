"""Robots that `flexloop convert` has made of URDF, beside kinematics and dynamics of the same files by numpy.

Positions of all links, the mass matrix and the torques of gravity on the joints, in several poses. The equations here are those of
the book: transforms down the tree, Jacobians of the centres of mass, and no line of the program.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

import numpy as np

PROGRAM = ROBOTS = None
GRAVITY = np.array([0, 0, -9.81])


def numbers(node, name, usual):
    return np.array([float(x) for x in node.get(name, usual).split()]) if node is not None else np.array(
        [float(x) for x in usual.split()])


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def turn(axis, angle):
    """Rodrigues."""
    k = skew(axis / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def origin(node):
    at = node.find("origin")
    roll, pitch, yaw = numbers(at, "rpy", "0 0 0")
    x, y, z = np.eye(3)
    return turn(z, yaw) @ turn(y, pitch) @ turn(x, roll), numbers(at, "xyz", "0 0 0")


class Robot:
    def __init__(self, file):
        root = xml.parse(file).getroot()
        self.joints = {}
        for joint in root.findall("joint"):
            mimic = joint.find("mimic")
            self.joints[joint.get("name")] = {
                "type": joint.get("type"), "parent": joint.find("parent").get("link"),
                "child": joint.find("child").get("link"), "origin": origin(joint),
                "axis": numbers(joint.find("axis"), "xyz", "1 0 0"),
                "mimic": None if mimic is None else (mimic.get("joint"), float(mimic.get("multiplier", 1)),
                                                     float(mimic.get("offset", 0)))}
        self.links = {}
        for link in root.findall("link"):
            inertial = link.find("inertial")
            if inertial is None:
                self.links[link.get("name")] = None
                continue
            R, p = origin(inertial)
            i = {k: float(v) for k, v in inertial.find("inertia").attrib.items()}
            tensor = np.array([[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]],
                               [i["ixz"], i["iyz"], i["izz"]]])
            self.links[link.get("name")] = (float(inertial.find("mass").get("value")), p, R @ tensor @ R.T)
        self.rotors = {t.find("joint").get("name"): float(t.find("actuator/rotorInertia").text) *
                       float(t.find("actuator/mechanicalReduction").text)**2 for t in root.findall("transmission")}
        self.free = [n for n, j in self.joints.items() if j["type"] != "fixed" and j["mimic"] is None]

    def coordinates(self, q):
        """Of all joints, and how they depend on those of the free ones."""
        value = {n: q[i] for i, n in enumerate(self.free)}
        slope = {n: np.eye(len(q))[i] for i, n in enumerate(self.free)}
        for name, joint in self.joints.items():
            if joint["mimic"] is not None:
                other, ratio, offset = joint["mimic"]
                value[name] = ratio * value[other] + offset
                slope[name] = ratio * slope[other]
        return value, slope

    def place(self, q):
        """Of each link: R, p and the 6 x n Jacobian of its origin, angular first."""
        value, slope = self.coordinates(q)
        roots = set(self.links) - {j["child"] for j in self.joints.values()}
        places = {roots.pop(): (np.eye(3), np.zeros(3), np.zeros((6, len(q))))}
        while len(places) < len(self.links):
            for name, joint in self.joints.items():
                if joint["parent"] not in places or joint["child"] in places:
                    continue
                R, p, J = places[joint["parent"]]
                Ro, po = joint["origin"]
                r = R @ po
                R, p = R @ Ro, p + r
                J = np.vstack([J[:3], J[3:] - skew(r) @ J[:3]])
                if joint["type"] in ("revolute", "continuous", "prismatic"):
                    axis = joint["axis"] / np.linalg.norm(joint["axis"])
                    a = R @ axis
                    if joint["type"] == "prismatic":
                        r = a * value[name]
                        p = p + r
                        J = np.vstack([J[:3], J[3:] - skew(r) @ J[:3] + np.outer(a, slope[name])])
                    else:
                        R = R @ turn(axis, value[name])
                        J = np.vstack([J[:3] + np.outer(a, slope[name]), J[3:]])
                places[joint["child"]] = (R, p, J)
        return places

    def dynamics(self, q):
        """The mass matrix, and the generalized forces of gravity."""
        n = len(q)
        M, g = np.zeros((n, n)), np.zeros(n)
        for name, (R, p, J) in self.place(q).items():
            if self.links[name] is None:
                continue
            mass, com, inertia = self.links[name]
            Jc = J[3:] - skew(R @ com) @ J[:3]
            M += mass * Jc.T @ Jc + J[:3].T @ R @ inertia @ R.T @ J[:3]
            g += mass * Jc.T @ GRAVITY
        _, slope = self.coordinates(q)
        for name, inertia in self.rotors.items():
            M += inertia * np.outer(slope[name], slope[name])
        return M, g


def flexloop(folder, *words):
    done = subprocess.run([PROGRAM, *map(str, words)], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(" ".join(map(str, words)) + "\n" + done.stdout + done.stderr)
    return done


def nameOf(text):
    return text.replace(" ", "_")


class RobotTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def convert(self, name, *options):
        done = flexloop(self.path, "convert", ROBOTS / (name + ".urdf"), "-o", name + ".yaml", *options)
        self.notes = done.stderr
        return Robot(ROBOTS / (name + ".urdf")), name + ".yaml"

    def poses(self, robot, count):
        random = np.random.default_rng(7)
        for _ in range(count):
            q = random.uniform(-1, 1, len(robot.free))
            for i, name in enumerate(robot.free):
                if name == "left":
                    q[i] = 0.02 + 0.01 * q[i]
            yield q

    def starts(self, robot, q):
        return [w for i, name in enumerate(robot.free) for w in ("--set", f"joints.{name}.start={float(q[i])!r}")]

    def checkPlaces(self, robot, model, links, frames=()):
        """`links` have nodes of their own; `frames` are sensors."""
        names = [nameOf(link) for link in links]
        text = (self.path / model).read_text().replace("sensors:\n", "sensors:\n" + "".join(
            f"  p_{n}: {{measure: position, node: {n}}}\n" for n in names))
        (self.path / "places.yaml").write_text(text)
        for q in self.poses(robot, 3):
            flexloop(self.path, "run", "places.yaml", *self.starts(robot, q), "--end", "1e-3", "--csv", "run.csv", "--quiet")
            head, first = (self.path / "run.csv").read_text().split("\n")[:2]
            record = dict(zip(head.split(","), map(float, first.split(","))))
            places = robot.place(q)
            for link, sensor in [*zip(links, [f"p_{n}" for n in names]), *((f, f) for f in frames)]:
                found = np.array([record[f"{sensor}.{c}"] for c in "xyz"])
                np.testing.assert_allclose(found, places[link][1], atol=1e-12, err_msg=link)

    def checkDynamics(self, robot, model, tolerance=1e-9):
        """M from the responses of the rates to torques, g from the accelerations of a machine that is let go."""
        kind = {"prismatic": "force", "revolute": "torque", "continuous": "torque"}
        lines = "".join(f"  m_{n}: {{type: {kind[robot.joints[n]['type']]}, joint: {n}, input: u_{n}}}\n" for n in robot.free)
        signals = "".join(f"  u_{n}: {{type: constant, value: 0}}\n" for n in robot.free)
        rates = "".join(f"  v_{n}: {{measure: rate, joint: {n}}}\n" for n in robot.free)
        text = (self.path / model).read_text().replace("sensors:\n", "sensors:\n" + rates)
        text += "blocks:\n" + signals + "actuators:\n" + lines + "outputs: [" + ", ".join(f"v_{n}.rate" for n in robot.free) + "]\n"
        (self.path / "dynamics.yaml").write_text(text)
        for q in self.poses(robot, 3):
            M, g = robot.dynamics(q)
            starts = self.starts(robot, q)
            flexloop(self.path, "linearize", "dynamics.yaml", *starts, "--set", "gravity=[0,0,0]",
                     *[w for n in robot.free for w in ("--from", f"u_{n}")],
                     *[w for n in robot.free for w in ("--to", f"v_{n}")], "--json", "abcd.json", "--quiet")
            system = json.loads((self.path / "abcd.json").read_text())
            inverse = np.array(system["C"]) @ np.array(system["B"])
            np.testing.assert_allclose(inverse @ M, np.eye(len(q)), atol=tolerance * np.linalg.cond(M))
            flexloop(self.path, "run", "dynamics.yaml", *starts, "--end", "1e-6", "--step", "1e-6", "--csv", "run.csv", "--quiet")
            first = (self.path / "run.csv").read_text().split("\n")[1]
            acceleration = np.array([float(x) for x in first.split(",")[1:]])
            expected = np.linalg.solve(M, g)
            np.testing.assert_allclose(acceleration, expected, atol=tolerance * np.linalg.cond(M) * abs(expected).max())

    def testArm(self):
        robot, model = self.convert("arm")
        self.assertIn("arm.urdf:", self.notes)
        self.assertIn("limits of effort and velocity are left out", self.notes)
        self.assertIn("collision shapes are left out", self.notes)
        links = [n for n, link in robot.links.items() if link is not None]
        self.checkPlaces(robot, model, links, ["tool0"])
        self.checkDynamics(robot, model)

    def testWeldedLinksMoveAsMergedOnes(self):
        robot, model = self.convert("arm", "--weld")
        self.checkPlaces(robot, model, [n for n in robot.links if n != "base_link"])
        self.checkDynamics(robot, model)

    def testGripper(self):
        robot, model = self.convert("gripper")
        self.assertIn("'gazebo' is not understood and left out", self.notes)
        self.checkPlaces(robot, model, ["cart", "palm", "left finger", "right finger", "thumb", "dial"])
        # The friction of the cart is viscous and does not count at rest.
        self.checkDynamics(robot, model)

    def testFreeRoot(self):
        for mass, expected in ((0, "no mass of its own"), (4, "")):
            inertial = f'<inertial><mass value="{mass}"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
            text = (ROBOTS / "arm.urdf").read_text().replace('<link name="base_link"/>', f'<link name="base_link">{inertial}</link>')
            (self.path / "free.urdf").write_text(text)
            done = flexloop(self.path, "convert", "free.urdf", "--free")
            self.assertIn(expected, done.stderr)
        self.assertNotIn("free: []", (self.path / "free.yaml").read_text())
        lines = flexloop(self.path, "check", "free.yaml").stdout.split("\n")
        self.assertEqual([line.split()[1] for line in lines if "mobility" in line], ["12"])

    def testLimitsHold(self):
        robot, model = self.convert("gripper")
        flexloop(self.path, "run", model, "--end", "2", "--csv", "run.csv", "--quiet")
        head, *rows = (self.path / "run.csv").read_text().strip().split("\n")
        column = head.split(",").index("left")
        left = np.array([float(row.split(",")[column]) for row in rows])
        self.assertLess(left.max(), 0.04 + 1e-6)
        self.assertGreater(left.min(), -1e-6)

    def testMeshes(self):
        names = ["a.stl", "b.STL", "c.glb", "d.obj", "e.dae", "f.DAE", "g.ply"]
        links = "".join(f'<link name="{n[0]}"><visual><geometry><mesh filename="package://arm/{n}"/></geometry></visual></link>\n'
                        for n in names)
        joints = "".join(f'<joint name="j{n[0]}" type="fixed"><parent link="a"/><child link="{n[0]}"/></joint>\n'
                         for n in names[1:])
        (self.path / "arm").mkdir()
        for name in names:
            (self.path / "arm" / name).write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        (self.path / "meshes.urdf").write_text(f'<robot name="r">\n{links}{joints}</robot>\n')
        done = flexloop(self.path, "convert", "meshes.urdf", "--weld")
        model = (self.path / "meshes.yaml").read_text()
        for name in names[:-1]:
            self.assertIn(f'mesh, file: "arm/{name}"', model)
        self.assertNotIn('file: "arm/g.ply"', model)
        self.assertIn("g.ply' is left out: STL, glTF (.glb), OBJ and COLLADA (.dae) are read", done.stderr)

    def testFilesAsTheyAre(self):
        """Fixed joints with a zero axis, transmissions of nothing, inertias that no body can have, and joints that move no mass."""
        inertia = '<inertial><mass value="2"/><inertia {}/></inertial>'
        cube = 'ixx="1" iyy="1" izz="1" ixy="1" ixz="1" iyz="1"'  # principal moments 0, 0 and 3
        thin = 'ixx="1" iyy="2" izz="4" ixy="0" ixz="0" iyz="0"'
        good = 'ixx="1" iyy="2" izz="3" ixy="0" ixz="0" iyz="0"'
        links = "".join(f'<link name="{n}">{inertia.format(i)}</link>\n' for n, i in
                        (("base", good), ("cube", cube), ("thin", thin), ("good", good)))
        (self.path / "odd.urdf").write_text(f"""<robot name="odd">
{links}<joint name="a" type="fixed"><axis xyz="0 0 0"/><parent link="base"/><child link="cube"/></joint>
<joint name="b" type="revolute"><limit lower="-1" upper="1"/><axis xyz="0 0 1"/><parent link="cube"/><child link="thin"/></joint>
<joint name="c" type="revolute"><limit lower="-1" upper="1"/><axis xyz="0 0 1"/><parent link="thin"/><child link="good"/></joint>
<link name="finger"/><link name="nail"/>
<joint name="d" type="revolute"><limit lower="-1" upper="1"/><axis xyz="0 0 1"/><parent link="good"/><child link="finger"/></joint>
<joint name="e" type="prismatic"><limit lower="-1" upper="1"/><axis xyz="0 0 1"/><parent link="finger"/><child link="nail"/></joint>
<transmission name="t"><joint name="none"/><actuator name="m"/></transmission>
</robot>
""")
        done = flexloop(self.path, "convert", "odd.urdf", "--weld")
        self.assertIn("transmissions of joints that do not exist are left out", done.stderr)
        for name, expected in (("cube", True), ("thin", True), ("good", False)):
            self.assertEqual(f"the link '{name}' has an inertia that no body can have" in done.stderr, expected)
        for name in "de":
            self.assertIn(f"joint '{name}' is fixed: nothing with mass hangs on it", done.stderr)
        flexloop(self.path, "check", "odd.yaml")
        model = (self.path / "odd.yaml").read_text()
        numbers = {n: [float(x) for x in model.split(f"  {n}: {{node")[1].split("inertia: [")[1].split("]")[0].split(",")]
                   for n in ("cube", "thin", "good")}
        # Second moments: of the cube 1.5, 1.5 and -1.5 along (1 1 1), of the thin one 2.5, 1.5 and -0.5.
        np.testing.assert_allclose(numbers["thin"], [1.5, 2.5, 4, 0, 0, 0], atol=1e-12)
        np.testing.assert_allclose(numbers["cube"], [2, 2, 2, 0.5, 0.5, 0.5], atol=1e-12)
        self.assertEqual(numbers["good"], [1, 2, 3, 0, 0, 0])

    def refuse(self, text):
        (self.path / "wrong.urdf").write_text(text)
        done = subprocess.run([PROGRAM, "convert", "wrong.urdf"], cwd=self.path, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertFalse((self.path / "wrong.yaml").exists())
        return done.stderr

    def testMistakesAreNamed(self):
        link = '<link name="a"/>\n<link name="b"/>\n'
        joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint>\n'

        def robot(text):
            return self.refuse('<robot name="r">\n' + text + '</robot>\n')

        self.assertIn("wrong.urdf:3: error: this is no XML", self.refuse("<robot>\n<link>\n</robot>"))
        self.assertIn("this is no URDF: its outermost element is 'sdf'", self.refuse("<sdf/>"))
        self.assertIn("the robot has no links", robot(""))
        self.assertIn("more than 2000 links", robot("".join(f'<link name="l{i}"/>' for i in range(2001))))
        self.assertIn("wrong.urdf:4: error: joint 'j': unknown type 'revolut'", robot(link + joint.replace("revolute", "revolut")))
        self.assertIn("there is no link 'c' for its child", robot(link + joint.replace('"b"', '"c"')))
        self.assertIn("the link 'b' is the child of two joints", robot(link + joint + joint.replace('"j"', '"k"')))
        self.assertIn("the links 'a' and 'b' are not connected", robot(link))
        self.assertIn("is its own ancestor", robot(link + joint + '<joint name="k" type="fixed"><parent link="b"/>'
                                                   '<child link="a"/></joint>\n'))
        self.assertIn("the joint 'j' is there twice", robot(link + joint + joint))
        self.assertIn("'1 x 0' of 'xyz' is not made of numbers",
                      robot(link + joint.replace("<parent", '<axis xyz="1 x 0"/><parent')))
        self.assertIn("'xyz' must be three numbers", robot(link + joint.replace("<parent", '<axis xyz="1 0"/><parent')))
        self.assertIn("its axis is zero", robot(link + joint.replace("<parent", '<axis xyz="0 0 0"/><parent')))
        self.assertIn("mimics 'k', which does not exist", robot(link + joint.replace("<parent", '<mimic joint="k"/><parent')))
        self.assertIn("expand it first", robot(link + joint + "<xacro:macro xmlns:xacro='x'/>\n"))
        self.assertIn("its lower limit is above the upper one",
                      robot(link + joint.replace("<parent", '<limit lower="1" upper="0"/><parent')))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--robots", type=pathlib.Path, required=True)
    given, rest = parser.parse_known_args()
    PROGRAM, ROBOTS = given.program, given.robots
    unittest.main(argv=[sys.argv[0], *rest])
