#include "fem/mesh/quality/quality.hpp"

#include <gtest/gtest.h>

#include "fem/mesh/mesh_file.hpp"
#include "fem/mesh/structural_elements.hpp"
#include "support/message_matchers.hpp"
#include "support/places.hpp"

namespace flexloop::fem {
namespace {

Mesh readGood(const std::string& text, double unit = 1.0) {
  const base::Result<MeshFile> file = readMeshText(text, "part.inp", unit);
  if (file) return file.value().mesh;
  ADD_FAILURE() << file.failure().message;
  return {};
}

const std::string kCube =
    "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n";

std::string errorsOf(const std::string& text, double unit = 1.0) {
  return checkQuality(readGood(text, unit)).messages.toText();
}

TEST(MeshQuality, ACubeIsPerfect) {
  const QualityReport report =
      checkQuality(readGood(kCube + "*ELEMENT,TYPE=C3D8,ELSET=E\n1,1,2,3,4,5,6,7,8\n"));
  EXPECT_TRUE(report.messages.empty()) << report.messages.toText();
  const ShapeQuality& quality = report.shapes.at(ElementShape::kHex8);
  EXPECT_NEAR(quality.worstJacobian, 1.0, 1e-12);
  EXPECT_NEAR(quality.worstAspect, 1.0, 1e-12);
  EXPECT_EQ(report.pieces.size(), 1U);
  EXPECT_EQ(report.extent, Eigen::Vector3d(1, 1, 1));
}

TEST(MeshQuality, ARegularTetrahedronHasTheAspectOne) {
  const QualityReport report = checkQuality(
      readGood("*NODE\n1,1,1,1\n2,-1,-1,1\n3,-1,1,-1\n4,1,-1,-1\n*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n"));
  EXPECT_FALSE(report.messages.hasErrors()) << report.messages.toText();
  EXPECT_NEAR(report.shapes.at(ElementShape::kTet4).worstAspect, 1.0, 1e-12);
}

TEST(MeshQuality, FixturesOfAllQuadraticSolidsArePerfect) {
  for (const char* name : {"tet", "hex", "wedge"}) {
    const auto file =
        readMesh(test::inProject(std::string("tests/fixtures/meshes/") + name + "_22.msh"), 1.0);
    ASSERT_TRUE(file);
    Mesh mesh = file.value().mesh;
    selectStructuralElements(mesh, {});
    const QualityReport report = checkQuality(mesh);
    EXPECT_TRUE(report.messages.empty()) << report.messages.toText();
    EXPECT_NEAR(report.shapes.at(mesh.elements[0].shape).worstJacobian, 1.0, 1e-6) << name;
  }
}

TEST(MeshQuality, BadElementsAreNamedWithTheirSet) {
  const std::string element = "*ELEMENT,TYPE=C3D8,ELSET=BODY\n42,";
  EXPECT_TRUE(test::says(
      errorsOf(kCube + element + "5,6,7,8,1,2,3,4\n"),
      "part.inp:11: error: inverted, its volume is negative: element 42 (hex8, set 'BODY')"));
  EXPECT_TRUE(
      test::says(errorsOf(kCube + element + "1,2,3,4,5,6,7,7\n"), "uses a node twice: element 42"));
  EXPECT_TRUE(test::says(errorsOf(kCube + element + "1,3,2,4,5,6,7,8\n"), "element 42"));
  EXPECT_TRUE(test::says(errorsOf(kCube + "*ELEMENT,TYPE=C3D4,ELSET=BODY\n42,1,2,3,4\n"),
                         "flat, it has no volume or area: element 42 (tet4, set 'BODY')"));
  EXPECT_TRUE(
      test::says(errorsOf(kCube + "*ELEMENT,TYPE=C3D5,ELSET=BODY\n42,1,4,3,2,5\n"), "inverted"));
  EXPECT_TRUE(
      test::says(errorsOf("*NODE\n1,0\n2,1\n3,.4,.4\n4,0,1\n*ELEMENT,TYPE=S4,ELSET=P\n7,1,2,3,4\n"),
                 "a corner is turned inside out: element 7"));
  EXPECT_TRUE(
      test::says(errorsOf("*NODE\n1,0\n2,1\n3,1,1\n4,0,1\n*ELEMENT,TYPE=S4,ELSET=P\n7,1,3,2,4\n"),
                 "element 7"));
}

// The middle of one edge of a tetrahedron is moved beyond the opposite corner.
TEST(MeshQuality, TangledQuadraticElements) {
  EXPECT_TRUE(test::says(
      errorsOf("*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,.5,3,0\n6,.5,.5,0\n7,0,.5,0\n"
               "8,0,0,.5\n9,.5,0,.5\n10,0,.5,.5\n*ELEMENT,TYPE=C3D10,ELSET=B\n"
               "3,1,2,3,4,5,6,7,8,9,10\n"),
      "tangled, its Jacobian changes sign: element 3 (tet10, set 'B')"));
}

TEST(MeshQuality, WarpedAndSlenderElements) {
  const QualityReport warped = checkQuality(readGood(
      "*NODE\n1,0,0,0\n2,1,0,.4\n3,1,1,0\n4,0,1,.4\n*ELEMENT,TYPE=S4,ELSET=P\n7,1,2,3,4\n"));
  EXPECT_NEAR(warped.shapes.at(ElementShape::kQuad4).worstWarp, 0.2, 1e-12);
  EXPECT_TRUE(test::says(warped.messages.toText(), "warped"));
  const QualityReport slender = checkQuality(
      readGood("*NODE\n1,0\n2,100\n3,100,1\n4,0,1\n*ELEMENT,TYPE=S4,ELSET=P\n7,1,2,3,4\n"));
  EXPECT_NEAR(slender.shapes.at(ElementShape::kQuad4).worstAspect, 100.0, 1e-12);
  EXPECT_TRUE(test::says(slender.messages.toText(), "slender"));
}

const std::string kTwoTets =
    "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,0,0,0\n6,1,0,0\n7,0,1,0\n8,0,0,-1\n"
    "*ELEMENT,TYPE=C3D4,ELSET=TOP\n1,1,2,3,4\n*ELEMENT,TYPE=C3D4,ELSET=BOTTOM\n2,5,7,6,8\n";

TEST(MeshQuality, PiecesAndUnmergedNodes) {
  const Mesh mesh = readGood(kTwoTets);
  const QualityReport report = checkQuality(mesh);
  ASSERT_EQ(report.pieces.size(), 2U);
  EXPECT_EQ(report.pieces[1].sets, std::vector<std::string>{"BOTTOM"});
  const auto failure = findFloatingPieces(mesh, report);
  ASSERT_TRUE(failure);
  EXPECT_TRUE(test::says(failure->message, "2 pieces that nothing connects"));
  EXPECT_TRUE(test::says(failure->message, "element 2 (tet4, set 'BOTTOM')"));
  EXPECT_TRUE(
      test::says(report.messages.toText(),
                 "3 pairs of nodes at the same place are not merged, the first is 1 and 5"));
  // A spider or an equation connects them.
  const Mesh joined = readGood(kTwoTets + "*EQUATION\n2\n5,1,1.,1,1,-1.\n");
  EXPECT_EQ(checkQuality(joined).pieces.size(), 1U);
  EXPECT_FALSE(findFloatingPieces(joined, checkQuality(joined)));
}

TEST(MeshQuality, UnusedNodesRepeatedElementsAndSize) {
  const std::string text = errorsOf(
      "*NODE\n1,0,0,0\n2,2000,0,0\n3,0,2000,0\n4,0,0,2000\n9,1,1,1\n*ELEMENT,TYPE=C3D4,ELSET=E\n1,"
      "1,2,3,4\n2,2,3,1,4\n");
  EXPECT_TRUE(test::says(text, "no element uses node 9"));
  EXPECT_TRUE(test::says(text,
                         "1 element has the nodes of another one, the first is element 2 (tet4, "
                         "set 'E') with those of 1"));
  EXPECT_TRUE(test::says(text, "the part is 2e+03 m long"));
  EXPECT_TRUE(test::says(text, "`unit: mm`"));
  EXPECT_TRUE(test::says(errorsOf(kTwoTets, 1e-9), "2e-09 m long"));
}

// Everything is relative to the size of the part.
TEST(MeshQuality, DoesNotDependOnTheUnit) {
  for (const double unit : {1e-7, 1.0, 1e8}) {
    const QualityReport report =
        checkQuality(readGood(kCube + "*ELEMENT,TYPE=C3D8,ELSET=E\n1,1,2,3,4,5,6,7,8\n", unit));
    EXPECT_FALSE(report.messages.hasErrors());
    EXPECT_NEAR(report.shapes.at(ElementShape::kHex8).worstJacobian, 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace flexloop::fem
