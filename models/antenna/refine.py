"""A finer mesh of the antenna: every triangle becomes four, every tetrahedron eight, on the same curved surfaces.

    python3 refine.py antenna.inp finer.inp 2 E_PEDESTAL=3

refines the pedestal three times and all other parts twice, to more than a million freedoms. Sets of nodes grow by the new nodes between theirs.
"""

import itertools
import sys

EDGES = {"S6": ((0, 1), (1, 2), (2, 0)), "C3D10": ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))}
CORNERS = {"S6": 3, "C3D10": 4}


def read(path):
    """Nodes, elements (kind, set, number, nodes), sets of nodes, and the lines of all other cards."""
    nodes, elements, sets, others = {}, [], {}, []
    card, pending = "", []
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if line.startswith("**") or not line:
                continue
            if line.startswith("*"):
                words = [word.strip() for word in line[1:].split(",")]
                card = words[0].upper()
                options = dict(word.split("=") for word in words[1:] if "=" in word)
                if card not in ("NODE", "ELEMENT", "NSET"):
                    others.append(line)
                continue
            values = [value.strip() for value in line.split(",") if value.strip()]
            if card == "NODE":
                nodes[int(values[0])] = tuple(map(float, values[1:4]))
            elif card == "ELEMENT":
                pending += map(int, values)
                count = 1 + CORNERS[options["TYPE"]] + len(EDGES[options["TYPE"]])
                if len(pending) == count:
                    elements.append((options["TYPE"], options["ELSET"], pending[1:]))
                    pending = []
            elif card == "NSET":
                sets.setdefault(options["NSET"], set()).update(map(int, values))
            else:
                others.append(line)
    return nodes, elements, sets, others


def lattice(kind):
    """Points in quarters of the barycentric coordinates, with the shape functions that are not zero there."""
    corners, edges = CORNERS[kind], EDGES[kind]
    points = {}
    for point in itertools.product(range(5), repeat=corners):
        if sum(point) != 4:
            continue
        share = [value / 4 for value in point]
        shapes = [s * (2 * s - 1) for s in share] + [4 * share[a] * share[b] for a, b in edges]
        points[point] = [(i, value) for i, value in enumerate(shapes) if value != 0]
    return points


def child_corners(kind):
    """Corners of the children, as lattice points."""
    corners = CORNERS[kind]
    unit = [tuple(4 * (i == j) for j in range(corners)) for i in range(corners)]
    middle = lambda a, b: tuple((x + y) // 2 for x, y in zip(unit[a], unit[b]))
    children = [[unit[i]] + [middle(i, j) for j in range(corners) if j != i] for i in range(corners)]
    if kind == "S6":
        children.append([middle(0, 1), middle(1, 2), middle(2, 0)])
    else:
        ring = [middle(0, 1), middle(1, 2), middle(2, 3), middle(0, 3)]
        children += [[middle(0, 2), middle(1, 3), ring[i], ring[(i + 1) % 4]] for i in range(4)]
    return [orient(child) for child in children]


def orient(corners):
    """The same orientation as the parent."""
    if len(corners) == 3:
        (a, b, c) = corners
        positive = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]) > 0
    else:
        u, v, w = ([x - y for x, y in zip(corner, corners[0])][1:] for corner in corners[1:])
        positive = (u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
                    + u[2] * (v[0] * w[1] - v[1] * w[0])) > 0
    return corners if positive else [corners[1], corners[0]] + corners[2:]


def children_of(kind):
    """All nodes of the children, as lattice points: their corners, then the middles of their edges."""
    return [corners + [tuple((x + y) // 2 for x, y in zip(corners[a], corners[b])) for a, b in EDGES[kind]]
            for corners in child_corners(kind)]


class Refinement:
    def __init__(self, nodes, sets):
        self.nodes, self.sets = nodes, sets
        self.next = max(nodes) + 1
        self.known = {}
        self.setsOf = {}
        for name, members in sets.items():
            for node in members:
                self.setsOf.setdefault(node, set()).add(name)
        self.points = {kind: lattice(kind) for kind in EDGES}
        self.children = {kind: children_of(kind) for kind in EDGES}

    def node(self, kind, element, point):
        shapes = self.points[kind][point]
        if len(shapes) == 1:
            return element[shapes[0][0]]
        # Neighbours see the same corners with the same shares.
        key = tuple(sorted((element[i], share) for i, share in enumerate(point) if share))
        if key not in self.known:
            self.known[key] = self.add([(element[i], value) for i, value in shapes])
        return self.known[key]

    def add(self, shares):
        number, self.next = self.next, self.next + 1
        self.nodes[number] = tuple(sum(value * self.nodes[node][axis] for node, value in shares) for axis in range(3))
        for name in set.intersection(*(self.setsOf.get(node, set()) for node, _ in shares)):
            self.sets[name].add(number)
            self.setsOf.setdefault(number, set()).add(name)
        return number

    def split(self, kind, element):
        found = {point: self.node(kind, element, point) for point in self.points[kind]}
        return [[found[point] for point in child] for child in self.children[kind]]


def write(path, nodes, elements, sets, others):
    with open(path, "w", encoding="utf-8") as file:
        file.write("*NODE\n")
        for number, place in nodes.items():
            file.write("%d, %.12g, %.12g, %.12g\n" % (number, *place))
        last = None
        for number, (kind, name, members) in enumerate(elements, 1):
            if (kind, name) != last:
                file.write(f"*ELEMENT, TYPE={kind}, ELSET={name}\n")
                last = (kind, name)
            file.write(f"{number}, " + ", ".join(map(str, members)) + "\n")
        for name, members in sets.items():
            file.write(f"*NSET, NSET={name}\n" + ",\n".join(map(str, sorted(members))) + "\n")
        file.write("\n".join(others) + "\n")


def check_apart(elements, times):
    """Elements that are refined differently must not share nodes: the mesh would come apart between them."""
    seen = {}
    for _, name, members in elements:
        for node in members:
            if seen.setdefault(node, times(name)) != times(name):
                sys.exit(f"elements of {name} share node {node} with others that are not refined as often")


def main(source, target, usual="2", *exceptions):
    nodes, elements, sets, others = read(source)
    exceptional = dict(word.split("=") for word in exceptions)
    times = lambda name: int(next((t for start, t in exceptional.items() if name.startswith(start)), usual))
    check_apart(elements, times)
    for done in range(max(times(name) for _, name, _ in elements)):
        refinement = Refinement(nodes, sets)
        elements = [(kind, name, child) for kind, name, members in elements
                    for child in (refinement.split(kind, members) if times(name) > done else [members])]
    write(target, nodes, elements, sets, others)
    turning = {node for kind, _, members in elements if kind == "S6" for node in members}
    print(f"{len(elements)} elements, {len(nodes)} nodes, {3 * len(nodes) + 3 * len(turning)} freedoms")


if __name__ == "__main__":
    main(*sys.argv[1:])
