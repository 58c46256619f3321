// The same mesh through all formats. The fixtures were written by Gmsh 4.8 itself from the .geo files beside them, so that
// the order of nodes in each format is that of an independent program.
#include <gtest/gtest.h>

#include "fem/mesh/mesh_file.hpp"
#include "fem/mesh/structural_elements.hpp"
#include "support/message_matchers.hpp"
#include "support/places.hpp"

namespace flexloop::fem {
namespace {

std::string fixture(const std::string& name) {
  return test::inProject("tests/fixtures/meshes/" + name);
}

Mesh readSolids(const std::string& name, double unit = 1.0) {
  const base::Result<MeshFile> file = readMesh(fixture(name), unit);
  if (!file) {
    ADD_FAILURE() << file.failure().message;
    return {};
  }
  Mesh mesh = file.value().mesh;
  selectStructuralElements(mesh, {});
  return mesh;
}

struct Case {
  const char* name;
  ElementShape shape;
  int nodes, elements, footNodes, endNodes;
};
constexpr Case kCases[] = {{"tet", ElementShape::kTet10, 63, 24, 13, 26},
                           {"hex", ElementShape::kHex20, 32, 2, 8, 16},
                           {"wedge", ElementShape::kWedge15, 36, 4, 8, 16}};

const std::vector<std::vector<int>>& edgesOf(ElementShape shape) {
  static const std::vector<std::vector<int>> tet{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  static const std::vector<std::vector<int>> hex{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                                 {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  static const std::vector<std::vector<int>> wedge{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                                   {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  return shape == ElementShape::kTet10 ? tet : shape == ElementShape::kHex20 ? hex : wedge;
}

// The edges are straight: each node behind the corners is in the middle of the edge that the canonical order names.
void expectMiddles(const Mesh& mesh) {
  for (const MeshElement& element : mesh.elements) {
    const int* nodes = mesh.nodesOf(element);
    int at = cornerCount(element.shape);
    for (const std::vector<int>& edge : edgesOf(element.shape)) {
      const Eigen::Vector3d middle =
          0.5 * (mesh.points[nodes[edge[0]]] + mesh.points[nodes[edge[1]]]);
      EXPECT_LT((mesh.points[nodes[at++]] - middle).norm(), 1e-6) << element.id;
    }
  }
}

TEST(MeshFormats, GiveTheSameNodesInTheCanonicalOrder) {
  for (const Case& each : kCases) {
    const Mesh first = readSolids(std::string(each.name) + "_22.msh");
    ASSERT_EQ(static_cast<int>(first.points.size()), each.nodes) << each.name;
    ASSERT_EQ(static_cast<int>(first.elements.size()), each.elements);
    expectMiddles(first);
    for (const char* ending : {"_22_binary.msh", "_41.msh", "_41_binary.msh", ".inp", ".bdf"}) {
      const Mesh mesh = readSolids(std::string(each.name) + ending);
      EXPECT_EQ(mesh.elementNodes, first.elementNodes) << each.name << ending;
      EXPECT_EQ(mesh.nodeIds, first.nodeIds);
      ASSERT_EQ(mesh.points.size(), first.points.size());
      for (std::size_t i = 0; i < mesh.points.size(); ++i) {
        EXPECT_LT((mesh.points[i] - first.points[i]).norm(), 1e-6);
      }
      for (const MeshElement& element : mesh.elements) EXPECT_EQ(element.shape, each.shape);
    }
  }
}

TEST(MeshFormats, GiveTheSameSetsByName) {
  for (const Case& each : kCases) {
    for (const char* ending : {"_22.msh", "_22_binary.msh", "_41.msh", "_41_binary.msh", ".inp"}) {
      const Mesh mesh = readSolids(std::string(each.name) + ending);
      const bool isAbaqus = std::string(ending) == ".inp";
      const auto foot = findSetNodes(mesh, "foot"), edge = findSetNodes(mesh, "EDGE");
      const auto ends = findSetNodes(mesh, isAbaqus ? "both_ends" : "both ends");
      ASSERT_TRUE(foot && edge && ends) << each.name << ending;
      EXPECT_EQ(static_cast<int>(foot.value().size()), each.footNodes);
      EXPECT_EQ(static_cast<int>(ends.value().size()), each.endNodes);
      EXPECT_EQ(edge.value().size(), 3U);
      for (const int node : foot.value()) EXPECT_EQ(mesh.points[node][0], 0.0);
      EXPECT_EQ(mesh.elementSets.at("steel").size(), mesh.elements.size());
      EXPECT_EQ(mesh.nodeSets.count("corner"), isAbaqus ? 0U : 1U);
    }
  }
}

TEST(MeshFormats, BiquadraticElementsLoseTheirMiddles) {
  const base::Result<MeshFile> file = readMesh(fixture("hex27_41.msh"), 1.0);
  ASSERT_TRUE(file);
  const Mesh mesh = readSolids("hex27_41.msh");
  ASSERT_EQ(mesh.elements.size(), 2U);
  EXPECT_EQ(mesh.elements[0].shape, ElementShape::kHex20);
  expectMiddles(mesh);
  EXPECT_EQ(mesh.nodeSets.at("foot").size(), 8U);
  EXPECT_TRUE(test::says(file.value().notes.toText(), "without the nodes in their middle"));
}

TEST(MeshFormats, FacesAreShellsWithoutSolidsOnly) {
  const Mesh shell = readSolids("quad_41_binary.msh");
  ASSERT_EQ(shell.elements.size(), 2U);
  EXPECT_EQ(shell.elements[0].shape, ElementShape::kQuad8);

  const base::Result<MeshFile> file = readMesh(fixture("hex_41.msh"), 1.0);
  ASSERT_TRUE(file);
  Mesh mesh = file.value().mesh;
  const RemovedElements removed = selectStructuralElements(mesh, {});
  EXPECT_EQ(removed.faces, 2);
  EXPECT_EQ(mesh.elements.size(), 2U);
  mesh = file.value().mesh;
  StructuralChoice choice;
  choice.shells = {"foot"};
  EXPECT_EQ(selectStructuralElements(mesh, choice).faces, 1);
  ASSERT_EQ(mesh.elements.size(), 3U);
  EXPECT_EQ(mesh.elementSets.at("foot").size(), 1U);
}

TEST(MeshFormats, ElementSetsOfRemovedFacesStayAsNodes) {
  const Mesh mesh = readSolids("hex.inp");
  EXPECT_FALSE(mesh.elementSets.contains("foot"));
  EXPECT_EQ(mesh.nodeSets.at("foot").size(), 8U);
}

TEST(MeshFormats, LengthsAreInTheGivenUnit) {
  const Mesh mesh = readSolids("hex_22.msh", 1e-3);
  EXPECT_NEAR(calcExtent(mesh)[0], 2e-3, 1e-15);
}

TEST(MeshFormats, UnknownFilesAndSetsAreNamed) {
  const auto missing = readMesh(fixture("hex_23.msh"), 1.0);
  ASSERT_FALSE(missing);
  EXPECT_TRUE(test::says(missing.failure().hint, "hex_22.msh"));
  const auto other = readMeshText("solid box\nfacet\n", "part.stl", 1.0);
  ASSERT_FALSE(other);
  EXPECT_TRUE(test::says(other.failure().message, "no mesh of a known format"));
  const auto set = findSetNodes(readSolids("hex_22.msh"), "foto");
  ASSERT_FALSE(set);
  EXPECT_TRUE(test::says(set.failure().message, "there is no set or group 'foto'"));
  EXPECT_TRUE(test::says(set.failure().hint, "'foot'"));
  EXPECT_FALSE(readMeshText("$MeshFormat\n", "a.msh", 0.0));
}

}  // namespace
}  // namespace flexloop::fem
