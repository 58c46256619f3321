#include <gtest/gtest.h>

#include "fem/mesh/mesh_file.hpp"
#include "support/message_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::fem {
namespace {

base::Result<MeshFile> readText(const std::string& text, double unit = 1.0) {
  return readMeshText(text, "part.inp", unit);
}

Mesh readGood(const std::string& text, double unit = 1.0) {
  const base::Result<MeshFile> file = readText(text, unit);
  if (file) return file.value().mesh;
  ADD_FAILURE() << file.failure().message;
  return {};
}

const std::string kNodes = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,1,1,1\n";
const std::string kTet = kNodes + "*ELEMENT, TYPE=C3D4, ELSET=Body\n10,1,2,3,4\n";

void expectFailure(const std::string& text, const std::string& message,
                   const std::string& hint = {}) {
  const base::Result<MeshFile> file = readText(text);
  ASSERT_FALSE(file) << message;
  EXPECT_TRUE(test::says(file.failure().message, message));
  EXPECT_TRUE(test::says(file.failure().hint, hint));
}

TEST(AbaqusReader, ConvertsMaterialsAndSections) {
  const Mesh mesh =
      readGood(kTet +
                   "*Material, name=Steel\n*Elastic\n210000., 0.3\n*Density\n7.85e-9\n"
                   "*Expansion\n1.2e-5\n** a comment\n*Solid section, elset=BODY, material=STEEL\n",
               1e-3);
  ASSERT_EQ(mesh.materials.size(), 1U);
  EXPECT_NEAR(mesh.materials[0].E, 210e9, 1.0);
  EXPECT_NEAR(mesh.materials[0].rho, 7850.0, 1e-9);
  EXPECT_EQ(mesh.materials[0].expansion, 1.2e-5);
  EXPECT_EQ(mesh.properties[mesh.elements[0].property].name, "BODY");
  EXPECT_EQ(mesh.elementSets.at("Body"), std::vector<int>{0});
}

TEST(AbaqusReader, ShellOffsetIsTowardsTheOtherSide) {
  // OFFSET = 0.5: the nodes are on the upper surface, so the middle is half a thickness below.
  const Mesh mesh =
      readGood(kNodes +
                   "*ELEMENT, TYPE=S3, ELSET=E\n1,1,2,3\n*MATERIAL,NAME=M\n*ELASTIC\n1,0\n"
                   "*SHELL SECTION, ELSET=E, MATERIAL=M, OFFSET=0.5\n4.\n",
               1e-3);
  EXPECT_NEAR(mesh.properties[0].thickness, 4e-3, 1e-15);
  EXPECT_NEAR(mesh.properties[0].offset, -2e-3, 1e-15);
}

TEST(AbaqusReader, BeamSections) {
  const std::string beam = kNodes +
                           "*ELEMENT, TYPE=B31, ELSET=E\n1,1,2\n*MATERIAL,NAME=M\n*ELASTIC\n1,0\n"
                           "*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=";
  const Mesh rectangle = readGood(beam + "RECT\n2,3\n0,1,0\n");
  const BeamSection& section = *rectangle.properties[0].beam;
  // a = 2 along n1 = y, b = 3 along n2 = z.
  EXPECT_DOUBLE_EQ(section.A, 6.0);
  EXPECT_DOUBLE_EQ(section.Iy, 2.0 * 27.0 / 12.0);
  EXPECT_DOUBLE_EQ(section.Iz, 3.0 * 8.0 / 12.0);
  EXPECT_EQ(rectangle.elements[0].yAxis, (std::array<float, 3>{0, 1, 0}));
  const Mesh pipe = readGood(beam + "PIPE\n2,0.5\n");
  EXPECT_NEAR(pipe.properties[0].beam->A, 3.14159265358979 * (4.0 - 2.25), 1e-12);
  EXPECT_EQ(pipe.elements[0].yAxis, (std::array<float, 3>{0, 0, -1}));
  const Mesh general = readGood(kNodes +
                                "*ELEMENT, TYPE=B31, ELSET=E\n1,1,2\n"
                                "*BEAM GENERAL SECTION, ELSET=E, SECTION=GENERAL, DENSITY=5\n"
                                "1, 2, 0.5, 3, 4\n0,1,0\n10, 4\n");
  EXPECT_EQ(general.properties[0].beam->Iy, 2.0);
  EXPECT_EQ(general.properties[0].beam->Iyz, 0.5);
  EXPECT_DOUBLE_EQ(general.materials[0].nu, 0.25);
  EXPECT_EQ(general.materials[0].rho, 5.0);
}

TEST(AbaqusReader, SetsOfNumbersRangesAndSets) {
  const Mesh mesh =
      readGood(kTet +
               "*NSET, NSET=A, GENERATE\n1, 5, 2\n*NSET, NSET=B\n2, A,\n4\n"
               "*ELSET, ELSET=C\nBODY\n*NSET, NSET=BIG, GENERATE\n1, 1000000000000000000\n");
  EXPECT_EQ(mesh.nodeSets.at("A"), (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(mesh.nodeSets.at("B"), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(mesh.nodeSets.at("BIG").size(), 5U);
  EXPECT_EQ(mesh.elementSets.at("C"), std::vector<int>{0});
}

TEST(AbaqusReader, SetsOfSetsDoNotGrowWithoutEnd) {
  std::string text = kTet + "*NSET, NSET=S0\n1,2,3\n";
  for (int i = 1; i < 60; ++i) {
    text += "*NSET, NSET=S" + std::to_string(i) + "\n";
    for (int k = 0; k < i; ++k) text += "S" + std::to_string(k) + "\n";
  }
  EXPECT_EQ(readGood(text).nodeSets.at("S59").size(), 3U);
}

TEST(AbaqusReader, MassesAndInertia) {
  const Mesh mesh = readGood(
      kTet +
          "*ELEMENT, TYPE=MASS, ELSET=M\n20, 5\n*MASS, ELSET=M\n0.002\n"
          "*ELEMENT, TYPE=ROTARYI, ELSET=R\n21, 5\n*ROTARY INERTIA, ELSET=R\n1,2,3,.1,.2,.3\n",
      1e-3);
  ASSERT_EQ(mesh.masses.size(), 2U);
  EXPECT_NEAR(mesh.masses[0].mass, 2.0, 1e-12);  // 0.002 t
  EXPECT_EQ(mesh.masses[0].node, 4);
  EXPECT_NEAR(mesh.masses[1].inertia(0, 1), 1e-4, 1e-15);
  EXPECT_NEAR(mesh.masses[1].inertia(2, 2), 3e-3, 1e-15);
}

TEST(AbaqusReader, RigidBodiesCouplingsAndEquations) {
  const Mesh mesh =
      readGood(kTet +
               "*NODE\n6,2,2,2\n7,2,2,2\n*NSET,NSET=F\n1,2,3\n"
               "*RIGID BODY, NSET=F, REF NODE=6, ROT NODE=7\n"
               "*SURFACE, NAME=TOP, TYPE=ELEMENT\nBODY, S1\n"
               "*COUPLING, CONSTRAINT NAME=C, REF NODE=5, SURFACE=TOP\n*DISTRIBUTING\n"
               "*SURFACE, NAME=ONE, TYPE=NODE\n4,\n"
               "*COUPLING, CONSTRAINT NAME=K, REF NODE=5, SURFACE=ONE\n*KINEMATIC\n1,3\n"
               "*MPC\nBEAM, 4, 5\n"
               "*EQUATION\n3\n1,1,1.,2,2,-2.5,\n7,3,4\n");
  ASSERT_EQ(mesh.spiders.size(), 4U);
  EXPECT_EQ(mesh.spiders[0].reference, 5);
  EXPECT_EQ(mesh.spiders[0].nodes, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(mesh.spiders[1].kind, Spider::Kind::kAveraging);
  EXPECT_EQ(mesh.spiders[1].nodes, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(mesh.spiders[1].weights.size(), 3U);
  EXPECT_EQ(mesh.spiders[2].components, 7U);
  EXPECT_EQ(mesh.spiders[3].nodes, std::vector<int>{3});
  ASSERT_EQ(mesh.equations.size(), 1U);
  const Equation& equation = mesh.equations[0];
  ASSERT_EQ(equation.terms.size(), 3U);
  EXPECT_EQ(equation.terms[1].factor, -2.5);
  // The displacement of the node of the rotation is the rotation of the reference node.
  EXPECT_EQ(equation.terms[2].node, 5);
  EXPECT_EQ(equation.terms[2].component, 5);
  EXPECT_EQ(mesh.nodeSets.at("TOP"), (std::vector<int>{0, 1, 2}));
}

TEST(AbaqusReader, AnInstanceIsFlattened) {
  const Mesh mesh = readGood(
      "*HEADING\nfrom a preprocessor\n*PART, NAME=Other\n*NODE\n1,9,9,9\n*END PART\n*PART, "
      "NAME=Arm\n" +
      kTet +
      "*NSET, NSET=Foot\n1,2\n*END PART\n*ASSEMBLY, NAME=A\n*INSTANCE, NAME=Arm-1, PART=Arm\n"
      "10., 0., 0.\n10., 0., 0., 10., 0., 1., 90.\n*END INSTANCE\n"
      "*NODE\n1, 7., 7., 7.\n*NSET, NSET=Ref\n1,\n*NSET, NSET=Tip, INSTANCE=Arm-1\n4,\n"
      "*NSET, NSET=Both\nArm-1.Foot, Tip\n*END ASSEMBLY\n"
      "*STEP\n*STATIC\n*BOUNDARY\nArm-1.Foot, 1, 3\n*END STEP\n");
  ASSERT_EQ(mesh.points.size(), 6U);
  EXPECT_LT((mesh.points[0] - Eigen::Vector3d(10, 0, 0)).norm(), 1e-12);
  EXPECT_LT((mesh.points[1] - Eigen::Vector3d(10, 1, 0)).norm(), 1e-12);  // x becomes y
  EXPECT_EQ(mesh.points[5], Eigen::Vector3d(7, 7, 7));
  EXPECT_EQ(mesh.nodeSets.at("Ref"), std::vector<int>{5});
  EXPECT_EQ(mesh.nodeSets.at("Tip"), std::vector<int>{3});
  EXPECT_EQ(mesh.nodeSets.at("Both"), (std::vector<int>{0, 1, 3}));
}

// Preprocessors number the sets of the part and of the assembly alike.
TEST(AbaqusReader, SetsOfPartAndAssemblyAreToldApart) {
  const Mesh mesh =
      readGood("\xef\xbb\xbf*PART, NAME=Part-1\n" + kTet +
               "*NSET, NSET=Set-1\n1,2,3,4,5\n*ELSET, ELSET=Set-1\n10\n*NSET, NSET=Set-2\nSet-1\n"
               "*SOLID SECTION, ELSET=Set-1, MATERIAL=M\n,\n*END PART\n*ASSEMBLY, NAME=A\n"
               "*INSTANCE, NAME=Part-1-1, PART=Part-1\n*END INSTANCE\n"
               "*NSET, NSET=Set-1, INSTANCE=Part-1-1\n4,\n*NSET, NSET=Whole\nPart-1-1.Set-1\n"
               "*SURFACE, NAME=Set-1, TYPE=NODE\nPart-1-1.Set-2\n"
               "*NODE\n1, 5, 5, 5\n*NSET, NSET=Ref\n1,\n"
               "*COUPLING, CONSTRAINT NAME=C, REF NODE=Ref, SURFACE=Set-1\n*KINEMATIC\n"
               "*END ASSEMBLY\n*MATERIAL, NAME=M\n*ELASTIC\n1,0\n");
  EXPECT_EQ(mesh.nodeSets.at("Set-1"), std::vector<int>{3});
  EXPECT_EQ(mesh.nodeSets.at("PART-1-1.Set-1").size(), 5U);
  EXPECT_EQ(mesh.nodeSets.at("Set-2").size(), 5U);
  EXPECT_EQ(mesh.nodeSets.at("Whole").size(), 5U);
  EXPECT_EQ(mesh.elementSets.at("Set-1").size(), 1U);
  ASSERT_EQ(mesh.spiders.size(), 1U);
  EXPECT_EQ(mesh.spiders[0].nodes.size(), 5U);
  EXPECT_EQ(mesh.spiders[0].reference, 5);
}

TEST(AbaqusReader, IncludesFilesBesideTheMesh) {
  const testing::TemporaryFolder folder;
  folder.write("nodes.inc", "1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n");
  folder.write("rest.inp", "*ELEMENT, TYPE=C3D4, ELSET=E\n1,1,2,3,9\n");
  const std::string path =
      folder.write("part.inp", "*NODE, INPUT=nodes.inc\n*INCLUDE, INPUT=rest.inp\n");
  const auto bad = readMesh(path, 1.0);
  ASSERT_FALSE(bad);
  EXPECT_TRUE(test::says(bad.failure().message, "rest.inp:2: element 1 refers to node 9"));
  folder.write("rest.inp", "*ELEMENT, TYPE=C3D4, ELSET=E\n1,1,2,3,4\n");
  EXPECT_TRUE(readMesh(path, 1.0));
  folder.write("rest.inp", "*INCLUDE, INPUT=rest.inp\n");
  const auto endless = readMesh(path, 1.0);
  ASSERT_FALSE(endless);
  EXPECT_TRUE(test::says(endless.failure().message, "included too deeply"));
}

TEST(AbaqusReader, LoadsAndStepsAreReadOverWithOneWarning) {
  const auto file = readText(
      kTet +
      "*NSET,NSET=CLAMP\n1,2\n*BOUNDARY\nCLAMP,1,3\n*BOUNDARY\n4,1\n*STEP\n*FREQUENCY\n10\n"
      "*WHATEVER\n*END STEP\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file.value().notes.warnings().size(), 2U);
  EXPECT_TRUE(
      test::says(file.value().notes.toText(), "part.inp:11: warning: *BOUNDARY is not used"));
  EXPECT_EQ(file.value().mesh.nodeSets.at("CLAMP").size(), 2U);
}

TEST(AbaqusReader, IntegrationThatDiffersIsTold) {
  const auto file =
      readText("*NODE\n1,0\n2,1\n3,1,1\n4,0,1\n*ELEMENT,TYPE=S4R,ELSET=E\n1,1,2,3,4\n");
  ASSERT_TRUE(file);
  EXPECT_TRUE(test::says(file.value().notes.toText(), "S4R: elements are fully integrated"));
}

TEST(AbaqusReader, BadFilesAreNamedByLine) {
  expectFailure(kTet + "*ELMENT, TYPE=C3D4\n", "part.inp:9: the keyword *ELMENT is not known",
                "*ELEMENT");
  expectFailure(kNodes + "*ELEMENT, TYPE=C3D7\n", "type 'C3D7' is not supported", "C3D");
  expectFailure(kNodes + "*ELEMENT, ELSET=A\n1,2\n", "*ELEMENT needs TYPE=");
  expectFailure(kNodes + "*ELEMENT, TYPE=C3D4\n1,1,2,3\n2,1,2,3,4\n",
                "part.inp:8: element 1 has 8 nodes; C3D4 has 4");
  expectFailure(kNodes + "*ELEMENT, TYPE=C3D4\n1,1,2,3\n", "element 1 has 3 nodes; C3D4 has 4");
  expectFailure(kNodes + "*ELEMENT, TYPE=C3D4\n1,1,2,3,77\n",
                "part.inp:8: element 1 refers to node 77");
  expectFailure(kNodes + "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n1,1,2,3,5\n",
                "part.inp:9: element 1 is given twice");
  expectFailure("*NODE\n1,0,0,0\n1,1,0,0\n", "part.inp:3: node 1 is given twice");
  expectFailure("*NODE\n1,0,zero,0\n", "part.inp:2: 'zero' is no number");
  expectFailure("*NODE\nx,0,0,0\n", "'x' is no whole number");
  expectFailure("*NODE, SYSTEM=C\n1,0,0,0\n", "SYSTEM of *NODE is not supported");
  expectFailure("*SYSTEM\n0,0,0\n", "*SYSTEM is not supported");
  expectFailure(kNodes, "there are no elements");
  expectFailure("*HEADING\nempty\n", "there are no nodes");
  expectFailure(kTet + "*NSET,NSET=A\nCLAMPP\n", "'CLAMPP' is neither a number nor a set");
  expectFailure(kTet + "*NSET,NSET=A\n99\n", "the set 'A' contains node 99");
  expectFailure(kTet + "*NSET,NSET=A,GENERATE\n5,1,1\n", "first, last, step");
  expectFailure(kTet + "*MATERIAL,NAME=M\n*ELASTIC,TYPE=ORTHO\n", "type ORTHO", "isotropic");
  expectFailure(kTet + "*MATERIAL,NAME=M\n*ELASTIC\n-1,0.3\n", "must be positive");
  expectFailure(kTet + "*MATERIAL,NAME=M\n*ELASTIC\n1,0.5\n", "between -1 and 0.5");
  expectFailure(kTet + "*SOLID SECTION,ELSET=BODY,MATERIAL=STEL\n", "no material 'STEL'");
  expectFailure(kTet + "*MATERIAL,NAME=M\n*ELASTIC\n1,0\n*SOLID SECTION,ELSET=BODI,MATERIAL=M\n",
                "no element set 'BODI'", "Body");
  expectFailure(kTet + "*MATERIAL,NAME=M\n*ELASTIC\n1,0\n*SHELL SECTION,ELSET=BODY,MATERIAL=M\n1\n",
                "cannot have a *SHELL SECTION", "*SOLID SECTION");
  expectFailure(kTet + "*SHELL SECTION,ELSET=BODY,MATERIAL=M\n", "too few lines");
  expectFailure(kTet + "*TIE\n", "*TIE is not supported", "merge");
  expectFailure(kTet + "*SPRING,ELSET=A\n", "*SPRING is not supported");
  expectFailure(kTet + "*ELEMENT,TYPE=MASS,ELSET=M\n5,1\n", "element 5 (MASS) has no mass");
  expectFailure(kTet + "*EQUATION\n2\n1,1,1.\n", "has 1 terms and says 2");
  expectFailure(kTet + "*RIGID BODY,NSET=X,REF NODE=1\n", "no node set 'X'");
  expectFailure(kTet + "*MPC\nSLIDER,1,2\n", "'SLIDER' of *MPC is not supported", "BEAM");
  expectFailure("*INSTANCE, NAME=A, PART=P\n*INSTANCE, NAME=B, PART=P\n*PART,NAME=P\n",
                "2 instances");
  expectFailure(kTet + "*INCLUDE, INPUT=absent.inp\n", "absent.inp");
  expectFailure("** only\n1,2,3\n", "data before the first keyword");
}

}  // namespace
}  // namespace flexloop::fem
