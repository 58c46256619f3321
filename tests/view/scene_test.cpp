#include "view/scene/scene.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mechanics/beams/beam_layout.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"
#include "view/scene/mesh_file.hpp"
#include "view/scene/section_outline.hpp"

namespace flexloop::view {
namespace {

using flexloop::testing::TemporaryFolder;
using nlohmann::json;
using test::buildModel;
using test::mistakesOf;
using test::says;

json sceneOf(const std::string& text) {
  return json::parse(makeScene(buildModel(text), {}));
}

constexpr const char* kSections = R"(
materials: {steel: {E: 200 GPa, nu: 0.3, rho: 7800}}
sections:
  plate: {type: rectangle, width: 40 mm, height: 10 mm}
  rod: {type: circle, diameter: 20 mm}
  pipe: {type: tube, outer: 50 mm, inner: 40 mm}
  given: {type: stiffness, EA: 4e5, GAy: 1e5, GAz: 1e5, GJ: 10, EIy: 3, EIz: 12}
nodes: {A: {position: [0, 0, 0], free: []}, B: [1, 0, 0], C: [1, 1, 0], D: [1, 1, 1], E: [0, 1, 1]}
beams:
  plate: {from: A, to: B, elements: 2, section: plate, material: steel, y_axis: [0, 1, 0]}
  rod: {from: B, to: C, elements: 1, order: 3, section: rod, material: steel}
  pipe: {from: C, to: D, elements: 2, section: pipe, material: steel}
  given: {from: D, to: E, elements: 1, section: given, y_axis: [0, 1, 0]}
loads: {push: {node: plate@0.3, force: [0, 0, 5]}}
)";

json beamNamed(const json& scene, const std::string& name) {
  for (const json& beam : scene.at("beams")) {
    if (beam.at("name") == name) return beam;
  }
  return {};
}

TEST(Scene, OutlinesAreThoseOfTheSections) {
  const json scene = sceneOf(kSections);
  const json plate = beamNamed(scene, "plate").at("section");
  EXPECT_EQ(plate.at("type"), "rectangle");
  EXPECT_EQ(plate.at("outlines"),
            json::parse("[[[-0.02,-0.005],[0.02,-0.005],[0.02,0.005],[-0.02,0.005]]]"));
  const json rod = beamNamed(scene, "rod").at("section").at("outlines");
  ASSERT_EQ(rod.size(), 1u);
  for (const json& point : rod[0]) {
    EXPECT_NEAR(std::hypot(point[0].get<double>(), point[1].get<double>()), 0.01, 1e-15);
  }
  const json pipe = beamNamed(scene, "pipe").at("section").at("outlines");
  ASSERT_EQ(pipe.size(), 2u);
  EXPECT_NEAR(pipe[0][0][0].get<double>(), 0.025, 1e-15);
  EXPECT_NEAR(pipe[1][0][0].get<double>(), 0.020, 1e-15);
  // Radii of gyration: EIz/EA = w²/12, EIy/EA = h²/12.
  const json given = beamNamed(scene, "given").at("section").at("outlines")[0][2];
  EXPECT_NEAR(given[0].get<double>(), 0.5 * std::sqrt(12.0 * 12.0 / 4e5), 1e-15);
  EXPECT_NEAR(given[1].get<double>(), 0.5 * std::sqrt(12.0 * 3.0 / 4e5), 1e-15);
}

// Two elements of order 1 of which a point splits one, and one of order 3.
TEST(Scene, BeamsListTheirNodesAndSegments) {
  const json scene = sceneOf(kSections);
  const json plate = beamNamed(scene, "plate"), rod = beamNamed(scene, "rod");
  ASSERT_EQ(plate.at("nodes").size(), 4u);
  EXPECT_EQ(rod.at("nodes").size(), 4u);
  EXPECT_NEAR(plate.at("length").get<double>(), 1.0, 1e-12);
  double last = -1.0;
  for (const json& index : plate.at("nodes")) {
    const double x = scene.at("nodes")[index.get<int>()].at("position")[0];
    EXPECT_GT(x, last);
    last = x;
  }
  int segments = 0;
  for (const json& beam : scene.at("beams")) {
    EXPECT_EQ(beam.at("firstSegment"), segments);
    segments += static_cast<int>(beam.at("nodes").size()) - 1;
  }
  const int loaded = scene.at("loads")[0].at("node");
  EXPECT_NEAR(scene.at("nodes")[loaded].at("position")[0].get<double>(), 0.3, 1e-12);
  EXPECT_EQ(scene.at("nodes")[loaded].at("inner"), true);
  EXPECT_EQ(scene.at("nodes")[0].at("name"), "ground");
}

// The section's x along the rod, which goes along ground's y: the node's axes turned by a quarter about z.
TEST(Scene, AxesOfBeamsTurnNodesToSections) {
  const json rod = beamNamed(sceneOf(kSections), "rod");
  const json q = rod.at("axes")[0];
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  EXPECT_NEAR(1.0 - 2.0 * (y * y + z * z), 0.0, 1e-12);  // x axis in ground
  EXPECT_NEAR(2.0 * (x * y + w * z), 1.0, 1e-12);
}

// A box of 1 x 2 x 3 m and 12 kg has the moments 4 + 9, 1 + 9, 1 + 4.
TEST(Scene, BodiesWithoutShapeAreBoxesOfEqualInertia) {
  const json bodies = sceneOf(R"(
nodes: {A: [0, 0, 0], B: [1, 0, 0]}
bodies:
  box: {node: A, mass: 12, inertia: [13, 10, 5], com: [0.1, 0.2, 0.3]}
  point: {node: B, mass: 1}
)")
                          .at("bodies");
  EXPECT_EQ(bodies[0].at("given"), false);
  EXPECT_EQ(bodies[0].at("shape").at("type"), "box");
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(bodies[0].at("shape").at("size")[i].get<double>(), 1.0 + i, 1e-12);
  }
  EXPECT_EQ(bodies[0].at("offset").at("position"), json::parse("[0.1, 0.2, 0.3]"));
  EXPECT_EQ(bodies[1].at("shape").at("type"), "sphere");
}

TEST(Scene, ShapesAreAsGiven) {
  const TemporaryFolder folder;
  const std::string stl = folder.write("part.stl", R"(solid part
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1000 0 0
vertex 0 2000 0
endloop
endfacet
endsolid part
)");
  const json bodies = sceneOf(R"(
nodes: {A: [0, 0, 0]}
bodies:
  a: {node: A, mass: 1, shape: {type: box, size: [1, 2, 3], at: [0, 0, 5 mm]}}
  b: {node: A, mass: 1, shape: {type: cylinder, radius: 0.1, length: 2, axis: [0, 2, 0]}}
  c: {node: A, mass: 1, shape: {type: mesh, file: )" +
                              stl + R"(, scale: 0.001}}
  d: {node: A, mass: 1, shape: {type: mesh, file: none.stl}}
)")
                          .at("bodies");
  EXPECT_EQ(bodies[0].at("shape").at("size"), json::parse("[1.0, 2.0, 3.0]"));
  EXPECT_EQ(bodies[0].at("offset").at("position"), json::parse("[0.0, 0.0, 0.005]"));
  EXPECT_EQ(bodies[1].at("shape").at("axis"), json::parse("[0.0, 1.0, 0.0]"));
  EXPECT_EQ(bodies[2].at("shape").at("positions").size(), 9u);
  EXPECT_NEAR(bodies[2].at("shape").at("positions")[7].get<double>(), 2.0, 1e-6);
  EXPECT_EQ(bodies[2].at("given"), true);
  EXPECT_EQ(bodies[3].at("given"), false);
}

// A body without a shape of its own looks like what it touches others with.
TEST(Scene, BodiesHaveTheShapesOfTheirContacts) {
  const json bodies = sceneOf(R"(
nodes: {a: [0, 0, 1], b: [3, 0, 1], c: [6, 0, 1], d: [9, 0, 1], e: {position: [12, 0, 1], rotation: {axis: [0, 0, 1], angle: 90 deg}}}
bodies:
  a: {node: a, mass: 1, inertia: [1, 1, 1]}
  b: {node: b, mass: 1, inertia: [1, 1, 1]}
  c: {node: c, mass: 1, inertia: [1, 1, 1]}
  d: {node: d, mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 7}}
  e: {node: e, mass: 1, inertia: [1, 1, 1]}
contacts:
  pile: {type: spheres, nodes: [a, b, d], radius: [0.1, 0.2, 0.3], stiffness: 1e5}
  box: {type: box_plane, node: c, size: [0.3, 0.2, 0.1], plane: {normal: [0, 0, 1]}, stiffness: 1e5}
  wheel: {type: cylinder_plane, node: e, at: [12, 1, 1], axis: [1, 0, 0], radius: 0.4, length: 0.5, plane: {normal: [0, 0, 1]}, stiffness: 1e5}
)")
                          .at("bodies");
  const auto radius = [&](int i) { return bodies[i].at("shape").at("radius").get<double>(); };
  EXPECT_EQ(radius(0), 0.1);
  EXPECT_EQ(radius(1), 0.2);
  EXPECT_EQ(bodies[2].at("shape").at("size"), json::parse("[0.3, 0.2, 0.1]"));
  EXPECT_EQ(radius(3), 7.0);
  EXPECT_EQ(bodies[4].at("shape").at("type"), "cylinder");
  EXPECT_NEAR(bodies[4].at("shape").at("axis")[1].get<double>(), -1.0, 1e-12);
  EXPECT_NEAR(bodies[4].at("offset").at("position")[0].get<double>(), 1.0, 1e-12);
  for (const json& body : bodies) EXPECT_EQ(body.at("given"), true);
}

TEST(Scene, SaysWhichMeshCannotBeDrawn) {
  const json scene = sceneOf(R"(
nodes: {A: [0, 0, 0]}
bodies: {hub: {node: A, mass: 1, shape: {type: mesh, file: none.stl}}}
)");
  EXPECT_TRUE(says(scene.at("notice").get<std::string>(), "bodies.hub is drawn as a box"));
  EXPECT_TRUE(says(scene.at("notice").get<std::string>(), "none.stl"));
}

TEST(Scene, HalfAShapeIsAMistake) {
  const std::string start = "nodes: {A: [0, 0, 0]}\nbodies: {hub: {node: A, mass: 1, shape: {";
  EXPECT_TRUE(says(mistakesOf(start + "type: box}}}\n"), "the shape 'box' needs 'size'"));
  EXPECT_TRUE(says(mistakesOf(start + "type: sphere, radius: 1, size: [1, 1, 1]}}}\n"),
                   "the shape 'sphere' has no 'size'"));
  EXPECT_TRUE(says(mistakesOf(start + "type: bix, size: [1, 1, 1]}}}\n"), "box"));
}

TEST(Scene, WiresOfTheDiagramHaveSigns) {
  const json scene = sceneOf(R"(
nodes: {A: {position: [0, 0, 0], free: [x]}}
bodies: {A: {node: A, mass: 1}}
sensors: {x: {measure: displacement, node: A, direction: [1, 0, 0]}}
blocks:
  ref: {type: step, at: 0.1, from: 0, to: 1}
  err: {type: sum, inputs: [ref, -x]}
actuators: {motor: {type: force, node: A, direction: [1, 0, 0], input: err}}
loads: {err: {node: A, force: [1, 0, 0], signal: ref}}
)");
  const json& diagram = scene.at("diagram");
  const auto hasWire = [&](const char* from, const char* to, int sign) {
    for (const json& wire : diagram.at("wires")) {
      if (wire == json{{"from", from}, {"to", to}, {"sign", sign}}) return true;
    }
    return false;
  };
  EXPECT_EQ(diagram.at("wires").size(), 4u);
  EXPECT_TRUE(hasWire("ref", "err", 1));
  EXPECT_TRUE(hasWire("x", "err", -1));
  EXPECT_TRUE(hasWire("err", "motor", 1));
  EXPECT_TRUE(hasWire("ref", "loads.err", 1));
  std::string kinds;
  for (const json& block : diagram.at("blocks")) kinds += block.at("kind").get<std::string>() + " ";
  EXPECT_EQ(kinds, "sensor block block actuator actuator ");
  EXPECT_EQ(scene.at("actuators")[0].at("input"), "err");
  EXPECT_EQ(scene.at("sensors")[0].at("node"), 1);
}

TEST(Scene, JointsAndSpringsStandWhereTheyStart) {
  const json scene = sceneOf(R"(
nodes: {A: [1, 0, 0], B: [3, 0, 0]}
bodies: {A: {node: A, mass: 1, inertia: [1, 1, 1]}, B: {node: B, mass: 1, inertia: [1, 1, 1]}}
joints:
  h: {type: hinge, between: [A, ground], axis: [0, 0, 5]}
  w: {type: spherical, between: [A, B], at: [2, 1, 0]}
springs:
  s: {type: distance, between: [A, B], at: [1, 1, 0], stiffness: 3}
  t: {type: linear, between: [ground, B], direction: [0, 3, 0], stiffness: 3}
)");
  EXPECT_EQ(scene.at("joints")[0].at("at"), json::parse("[1.0, 0.0, 0.0]"));
  EXPECT_EQ(scene.at("joints")[0].at("axis"), json::parse("[0.0, 0.0, 1.0]"));
  EXPECT_EQ(scene.at("joints")[0].at("nodes"), json::parse("[1, 0]"));
  EXPECT_EQ(scene.at("joints")[1].at("at"), json::parse("[2.0, 1.0, 0.0]"));
  EXPECT_TRUE(scene.at("joints")[1].at("axis").is_null());
  EXPECT_EQ(scene.at("springs")[0].at("at"), json::parse("[[1.0, 1.0, 0.0], [3.0, 0.0, 0.0]]"));
  EXPECT_EQ(scene.at("springs")[1].at("direction"), json::parse("[0.0, 1.0, 0.0]"));
}

void append(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

// The second axis of a universal joint is that of the model, not any perpendicular to the first.
TEST(Scene, UniversalJointsHaveBothAxes) {
  const json joints = sceneOf(R"(
nodes: {A: [0, 0, 0], B: [1, 0, 0]}
bodies: {a: {node: A, mass: 1, inertia: [1, 1, 1]}, b: {node: B, mass: 1, inertia: [1, 1, 1]}}
joints:
  cross: {type: universal, between: [A, B], axis: [0, 3, 4], second_axis: [0, 4, -3]}
  pin: {type: hinge, between: [ground, A], axis: [0, 0, 1]}
)")
                          .at("joints");
  EXPECT_EQ(joints[0].at("axis"), json::parse("[0.0,0.6,0.8]"));
  EXPECT_EQ(joints[0].at("second"), json::parse("[0.0,0.8,-0.6]"));
  EXPECT_EQ(joints[1].at("second"), nullptr);
}

// An actuator is its own signal, or its gain times its input while nothing else changes that.
TEST(Scene, LoadsAndActuatorsSayWhatTheyFollow) {
  const json scene = sceneOf(R"(
nodes: {A: [0, 0, 0]}
bodies: {a: {node: A, mass: 1, inertia: [1, 1, 1]}}
blocks: {ref: {type: expression, value: "= t^2"
}
}
loads:
  pull: {node: A, force: [1, 0, 0], signal: ref}
  push: {node: A, force: [1, 0, 0], signal: 0.5}
actuators:
  plain: {type: force, node: A, direction: [1, 0, 0], input: ref, gain: 3, frame: body}
  slow: {type: force, node: A, direction: [1, 0, 0], input: ref, time_constant: 0.1}
)");
  EXPECT_EQ(scene.at("loads")[0].at("follows"),
            json::parse(R"([{"signal": "ref", "factor": 1.0}])"));
  EXPECT_EQ(scene.at("loads")[1].at("follows"), json::parse(R"([{"signal": "", "factor": 0.5}])"));
  EXPECT_EQ(
      scene.at("actuators")[0].at("follows"),
      json::parse(R"([{"signal": "plain", "factor": 1.0}, {"signal": "ref", "factor": 3.0}])"));
  EXPECT_EQ(scene.at("actuators")[0].at("frame"), "body");
  EXPECT_EQ(scene.at("actuators")[1].at("follows"),
            json::parse(R"([{"signal": "slow", "factor": 1.0}])"));
}

TEST(MeshFile, ReadsBinaryStl) {
  const TemporaryFolder folder;
  std::string bytes(80, ' ');
  const std::uint32_t triangles = 2;
  append(bytes, &triangles, 4);
  const float corners[2][12] = {{0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0},
                                {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0}};
  for (const auto& triangle : corners) {
    append(bytes, triangle, sizeof(triangle));
    bytes.append(2, '\0');
  }
  const Mesh mesh = readMeshFile(folder.write("part.stl", bytes), 2.0);
  EXPECT_EQ(mesh.positions.size(), 12u);  // four corners, each once
  EXPECT_EQ(mesh.indices, (std::vector<std::uint32_t>{0, 1, 2, 1, 3, 2}));
  EXPECT_EQ(mesh.positions[9], 2.0F);
}

std::string makeGlb(const std::string& jsonText, const std::string& binary) {
  std::string padded = jsonText;
  while (padded.size() % 4 != 0) padded += ' ';
  std::string bytes = "glTF";
  const auto add = [&](std::uint32_t number) { append(bytes, &number, 4); };
  add(2);
  add(static_cast<std::uint32_t>(28 + padded.size() + binary.size()));
  add(static_cast<std::uint32_t>(padded.size()));
  add(0x4E4F534A);
  bytes += padded;
  add(static_cast<std::uint32_t>(binary.size()));
  add(0x004E4942);
  return bytes + binary;
}

TEST(MeshFile, ReadsGlbWithItsTransforms) {
  const TemporaryFolder folder;
  std::string binary;
  const float points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  append(binary, points, sizeof(points));
  const std::uint16_t indices[3] = {0, 1, 2};
  append(binary, indices, sizeof(indices));
  const std::string text = R"({"scene": 0, "scenes": [{"nodes": [0]}],
"nodes": [{"mesh": 0, "translation": [0, 0, 3], "rotation": [0, 0, 0.70710678118654752, 0.70710678118654752]}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
              {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}],
"bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 36},
                {"buffer": 0, "byteOffset": 36, "byteLength": 6}]})";
  const Mesh mesh = readMeshFile(folder.write("part.glb", makeGlb(text, binary)), 1.0);
  EXPECT_EQ(mesh.indices, (std::vector<std::uint32_t>{0, 1, 2}));
  // A quarter turn about z takes the second corner to y.
  EXPECT_NEAR(mesh.positions[3], 0.0, 1e-6);
  EXPECT_NEAR(mesh.positions[4], 1.0, 1e-6);
  EXPECT_NEAR(mesh.positions[5], 3.0, 1e-6);
  const std::string cut = makeGlb(text, binary.substr(0, 20));
  EXPECT_THROW(readMeshFile(folder.write("cut.glb", cut), 1.0), std::runtime_error);
}

// A triangle that the last of `levels` nodes shows; `children` of a level are given by its number.
std::string makeNested(int levels, const std::function<std::string(int)>& children) {
  std::string nodes;
  for (int i = 0; i < levels; ++i) {
    nodes += R"({"translation": [0, 0, 1], "children": [)" + children(i) + "]},";
  }
  const std::string text =
      R"({"scenes": [{"nodes": [0]}], "nodes": [)" + nodes +
      R"({"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
"bufferViews": [{"buffer": 0, "byteLength": 36}]})";
  std::string binary;
  const float points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  append(binary, points, sizeof(points));
  return makeGlb(text, binary);
}

TEST(MeshFile, DeepAssembliesAreRead) {
  const TemporaryFolder folder;
  const std::string deep = makeNested(20000, [](int level) { return std::to_string(level + 1); });
  const Mesh mesh = readMeshFile(folder.write("deep.glb", deep), 1.0);
  EXPECT_EQ(mesh.indices.size(), 3u);
  EXPECT_EQ(mesh.positions[2], 20000.0F);
}

// Two equal children in each of 40 levels are 2^40 triangles in a file of 3 kB.
TEST(MeshFile, NodesThatFormNoTreeAreRefusedAtOnce) {
  const TemporaryFolder folder;
  const auto below = [](int level) { return std::to_string(level + 1); };
  const std::vector<std::string> files = {
      makeNested(40, [&](int level) { return below(level) + "," + below(level); }),
      makeNested(40, [&](int level) { return below(level) + (level < 39 ? ", 40" : ""); }),
      makeNested(40, [&](int level) { return level == 39 ? "17" : below(level); }),
      makeNested(1, [&](int) { return "0"; })};
  for (const std::string& bytes : files) {
    try {
      readMeshFile(folder.write("x.glb", bytes), 1.0);
      ADD_FAILURE() << "it was read";
    } catch (const std::runtime_error& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("form a tree"), std::string::npos);
    }
  }
}

// As often as nodes show them: 10,000 times 2000 triangles.
TEST(MeshFile, TrianglesOfAllNodesAreCounted) {
  const TemporaryFolder folder;
  std::string roots, nodes;
  for (int i = 0; i < 10000; ++i) {
    roots += (i > 0 ? "," : "") + std::to_string(i);
    nodes += std::string(i > 0 ? "," : "") + R"({"mesh": 0})";
  }
  for (const bool hasIndices : {false, true}) {
    const std::string text = R"({"scenes": [{"nodes": [)" + roots + R"(]}], "nodes": [)" + nodes +
                             R"(], "meshes": [{"primitives": [{"attributes": {"POSITION": 0})" +
                             (hasIndices ? R"(, "indices": 1)" : "") + R"(}]}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 6000, "type": "VEC3"},
              {"bufferView": 1, "componentType": 5121, "count": 3, "type": "SCALAR"}],
"bufferViews": [{"buffer": 0, "byteStride": 0}, {"buffer": 0}]})";
    const std::string bytes = makeGlb(text, std::string(36, '\0'));
    EXPECT_THROW(readMeshFile(folder.write("x.glb", bytes), 1.0), std::runtime_error);
  }
}

std::string refusalOf(const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  try {
    readMeshFile(folder.write(name, text), 1.0);
  } catch (const std::runtime_error& refusal) {
    return refusal.what();
  }
  return "it was read";
}

// Corners one after the other, three per triangle.
std::vector<std::array<float, 3>> listCorners(const Mesh& mesh) {
  std::vector<std::array<float, 3>> corners;
  for (const std::uint32_t i : mesh.indices) {
    const float* x = mesh.positions.data() + std::size_t{3} * i;
    corners.push_back({x[0], x[1], x[2]});
  }
  return corners;
}

TEST(MeshFile, ReadsObjWithPolygonsAndIndicesFromBehind) {
  const TemporaryFolder folder;
  const Mesh mesh = readMeshFile(folder.write("Part.OBJ", R"(# a square, and a triangle below it
mtllib colours.mtl
v 0 0 0 1.0
v +1 0 0
v 1 1e0 0
v 0 1 0
vn 0 0 1
vt 0 0
g top
f 1/1/1 2//1 3/1 \
  4
v 0.5 0.5 -1
f -5 -4 -1
l 1 2
)"),
                                 2.0);
  using Corners = std::vector<std::array<float, 3>>;
  EXPECT_EQ(listCorners(mesh), (Corners{{0, 0, 0},
                                        {2, 0, 0},
                                        {2, 2, 0},
                                        {0, 0, 0},
                                        {2, 2, 0},
                                        {0, 2, 0},
                                        {0, 0, 0},
                                        {2, 0, 0},
                                        {1, 1, -2}}));
  EXPECT_EQ(mesh.positions.size(), 15u);
}

TEST(MeshFile, NamesWhatIsWrongInObj) {
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  EXPECT_TRUE(says(refusalOf("a.obj", corners), "it has no faces"));
  EXPECT_TRUE(says(refusalOf("a.obj", corners + "f 1 2\n"), "less than three corners"));
  EXPECT_TRUE(says(refusalOf("a.obj", corners + "f 1 2 4\n"), "refers to vertex 4"));
  EXPECT_TRUE(says(refusalOf("a.obj", corners + "f 1 2 0\n"), "refers to vertex 0"));
  EXPECT_TRUE(says(refusalOf("a.obj", corners + "f -4 2 1\n"), "refers to vertex -4"));
  EXPECT_TRUE(says(refusalOf("a.obj", "v 0 0\n"), "does not have three numbers"));
  EXPECT_TRUE(says(refusalOf("a.obj", "v 0 0 x\n"), "'x' is not a number"));
  EXPECT_TRUE(says(refusalOf("a.obj", "v 0 0 nan\nf 1 1 1\n"), "not finite"));
}

// Two triangles of a square, and a quadrilateral; positions are in centimetres and in every second place of a corner.
std::string makeCollada(const std::string& scene) {
  return R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="plate"><mesh>
<source id="points"><float_array id="numbers" count="12">0 0 0 100 0 0 100 100 0 0 100 0</float_array>
<technique_common><accessor source="#numbers" count="4" stride="3"/></technique_common></source>
<source id="normals"><float_array id="n" count="3">0 0 1</float_array></source>
<vertices id="corners"><input semantic="POSITION" source="#points"/></vertices>
<triangles count="2"><input semantic="NORMAL" source="#normals" offset="0"/>
<input semantic="VERTEX" source="#corners" offset="1"/><p>0 0 0 1 0 2  0 0 0 2 0 3</p></triangles>
<polylist count="1"><input semantic="VERTEX" source="#corners" offset="0"/>
<vcount>4</vcount><p>3 2 1 0</p></polylist>
</mesh></geometry></library_geometries>
<library_nodes><node id="shared"><instance_geometry url="#plate"/></node></library_nodes>
<library_visual_scenes><visual_scene id="all">)" +
         scene + R"(</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#all"/></scene></COLLADA>)";
}

TEST(MeshFile, ReadsColladaWithItsUnitAndTransforms) {
  const TemporaryFolder folder;
  // A quarter turn about z and then a move along the turned x, which is y; and the same place by a matrix.
  const std::vector<std::string> scenes = {
      R"(<node><rotate>0 0 1 90</rotate><translate>200 0 0</translate>
<node><scale>1 1 3</scale><instance_node url="#shared"/></node></node>)",
      R"(<node><matrix>0 -1 0 0 1 0 0 200 0 0 1 0 0 0 0 1</matrix>
<instance_geometry url="#plate"/></node>)"};
  for (const std::string& scene : scenes) {
    const Mesh mesh = readMeshFile(folder.write("part.dae", makeCollada(scene)), 1.0);
    const float expected[4][3] = {{0, 2, 0}, {0, 3, 0}, {-1, 3, 0}, {-1, 2, 0}};
    const std::vector<std::array<float, 3>> corners = listCorners(mesh);
    ASSERT_EQ(corners.size(), 12u);
    const int order[12] = {0, 1, 2, 0, 2, 3, 3, 2, 1, 3, 1, 0};
    for (int i = 0; i < 12; ++i) {
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(corners[i][k], expected[order[i]][k], 1e-6) << i;
    }
  }
}

TEST(MeshFile, NamesWhatIsWrongInCollada) {
  const auto refusal = [](const std::string& scene) {
    return refusalOf("a.dae", makeCollada(scene));
  };
  EXPECT_TRUE(says(refusal(""), "its scene has no triangles"));
  EXPECT_TRUE(says(refusal("<node><instance_geometry url='#none'/></node>"),
                   "'#none' does not exist in it"));
  EXPECT_TRUE(says(refusal("<node id='a'><instance_node url='#a'/></node>"),
                   "its nodes contain themselves"));
  EXPECT_TRUE(
      says(refusal("<node><rotate>0 0 0 90</rotate></node>"), "axis of a rotation is zero"));
  EXPECT_TRUE(says(refusal("<node><matrix>1 0 0</matrix></node>"), "does not have 16 numbers"));
  EXPECT_TRUE(says(refusal("<node><instance_controller url='#plate'/></node>"), "a skin"));
  std::string text = makeCollada("<node><instance_geometry url='#plate'/></node>");
  text.replace(text.find("0 0 0 1 0 2 "), 11, "0 0 0 1 0 9");
  EXPECT_TRUE(says(refusalOf("a.dae", text), "a vertex that does not exist"));
  // Twice the next one in each of 40 levels.
  std::string levels;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "<instance_node url='#l" + std::to_string(i + 1) + "'/>";
    levels += "<node id='l" + std::to_string(i) + "'>" + next + next + "</node>";
  }
  EXPECT_TRUE(says(refusal(levels + "<node id='l40'/>"), "more than 100000 nodes"));
}

TEST(MeshFile, RefusesOtherFiles) {
  const TemporaryFolder folder;
  for (const char* text : {"", "solid empty\nendsolid\n", "glTF", "hello",
                           "solid s\nvertex 0 0 nan\nvertex 0 0 0\nvertex 0 0 0\n"}) {
    EXPECT_THROW(readMeshFile(folder.write("x.stl", text), 1.0), std::runtime_error) << text;
  }
}

}  // namespace
}  // namespace flexloop::view
