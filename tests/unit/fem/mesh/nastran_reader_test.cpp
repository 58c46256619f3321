#include <cmath>

#include <gtest/gtest.h>

#include "fem/mesh/mesh_file.hpp"
#include "support/message_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::fem {
namespace {

base::Result<MeshFile> readText(const std::string& text, double unit = 1.0) {
  return readMeshText(text, "part.bdf", unit);
}

Mesh readGood(const std::string& text, double unit = 1.0) {
  const base::Result<MeshFile> file = readText(text, unit);
  if (file) return file.value().mesh;
  ADD_FAILURE() << file.failure().message;
  return {};
}

const std::string kNodes =
    "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,0.,0.,1.\n";
const std::string kTet = kNodes + "CTETRA,10,1,1,2,3,4\nPSOLID,1,1\nMAT1,1,210000.,,.3,7.85-9\n";

void expectFailure(const std::string& text, const std::string& message,
                   const std::string& hint = {}) {
  const base::Result<MeshFile> file = readText(text);
  ASSERT_FALSE(file) << message;
  EXPECT_TRUE(test::says(file.failure().message, message));
  EXPECT_TRUE(test::says(file.failure().hint, hint));
}

TEST(NastranReader, AllWaysToWriteFields) {
  const Mesh mesh = readGood(
      "SOL 103\nCEND\nSPC = 1\nBEGIN BULK\n"
      "GRID           1              1.     2.5    -3.1        $ small\n"
      "GRID*                  2                1.234567890123-3            1.+3*G2\n"
      "*G2             2.d0\n"
      "GRID,3,,1.E2,,7.85-9\n"
      "GRID*,4,,1.,2.\n*,3.\n"
      "GRID\t5\t\t4.\t5.\t6.\n"
      "CHEXA   7       1       1       2       3       4       5       6       +H\n"
      "+H      7       8\n"
      "GRID,6\nGRID,7\nGRID,8\n"
      "ENDDATA\nrubbish");
  EXPECT_EQ(mesh.points[0], Eigen::Vector3d(1.0, 2.5, -3.1));
  EXPECT_EQ(mesh.points[1], Eigen::Vector3d(1.234567890123e-3, 1e3, 2.0));
  EXPECT_EQ(mesh.points[2], Eigen::Vector3d(100.0, 0.0, 7.85e-9));
  EXPECT_EQ(mesh.points[3], Eigen::Vector3d(1.0, 2.0, 3.0));
  EXPECT_EQ(mesh.points[4], Eigen::Vector3d(4.0, 5.0, 6.0));
  EXPECT_EQ(mesh.elementNodes, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(mesh.elements[0].line, 12);
}

TEST(NastranReader, MaterialsAndPropertiesInMillimetres) {
  const Mesh mesh = readGood(
      kTet + "CQUAD4,11,2,1,2,3,4,,.5\nPSHELL,2,1,8.,1,,1,,1.-9\nMAT1,2,,100.,.25\n", 1e-3);
  EXPECT_NEAR(mesh.materials[0].E, 210e9, 1.0);
  EXPECT_NEAR(mesh.materials[0].rho, 7850.0, 1e-9);
  EXPECT_NEAR(mesh.materials[1].E, 250e6, 1e-3);  // 2 G (1 + nu)
  const Property& shell = mesh.properties[mesh.elements[1].property];
  EXPECT_EQ(shell.name, "2");
  EXPECT_NEAR(shell.thickness, 8e-3, 1e-15);
  EXPECT_NEAR(shell.offset, 0.5e-3, 1e-15);
  EXPECT_NEAR(shell.massPerArea, 1.0, 1e-12);  // 1e-9 t/mm² = 1 kg/m²
  EXPECT_EQ(mesh.elementSets.at("2"), std::vector<int>{1});
}

TEST(NastranReader, BeamsAndTheirSections) {
  const Mesh mesh = readGood(
      kNodes +
      "MAT1,1,10.,4.\nCBAR,1,1,1,2,0.,0.,2.\nPBAR,1,1,2.,3.,4.,5.,6.\n,,,,,,,,\n,.5,.6,1.\n"
      "CBEAM,2,2,1,3,4\nPBEAM,2,1,2.,3.,4.,,5.\n"
      "CBAR,3,3,1,2,0.,1.,0.\nPBARL,3,1,,BAR\n,2.,3.\n");
  const BeamSection& bar = *mesh.properties[0].beam;
  EXPECT_EQ(bar.Iz, 3.0);  // I1 is for bending in the plane of x and y
  EXPECT_EQ(bar.Iy, 4.0);
  EXPECT_EQ(bar.J, 5.0);
  EXPECT_EQ(bar.Iyz, 1.0);
  EXPECT_EQ(bar.shearY, 0.5);
  EXPECT_EQ(bar.shearZ, 0.6);
  EXPECT_EQ(mesh.elements[0].yAxis, (std::array<float, 3>{0, 0, 1}));
  const MeshMaterial& heavier = mesh.materials[mesh.properties[0].material];
  EXPECT_DOUBLE_EQ(heavier.nu, 0.25);
  EXPECT_DOUBLE_EQ(heavier.rho, 3.0);  // 6 per length over an area of 2
  EXPECT_EQ(mesh.elements[1].yAxis, (std::array<float, 3>{0, 0, 1}));  // from node 1 to 4
  EXPECT_EQ(mesh.properties[1].beam->shearY, 1.0);
  const BeamSection& shape = *mesh.properties[2].beam;  // 2 wide along z, 3 high along y
  EXPECT_DOUBLE_EQ(shape.Iz, 2.0 * 27.0 / 12.0);
  EXPECT_DOUBLE_EQ(shape.Iy, 3.0 * 8.0 / 12.0);
}

TEST(NastranReader, CoordinateSystems) {
  // System 1: origin (1, 0, 0), z along global x, x along global y. System 2: cylindrical in system 1. System 3: by nodes.
  const Mesh mesh = readGood(
      "CORD2R,1,,1.,0.,0.,2.,0.,0.\n,1.,1.,0.\n"
      "CORD2C,2,1,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n"
      "CORD1S,3,1,2,3\n"
      "GRID,1,,0.,0.,0.\nGRID,2,,0.,0.,5.\nGRID,3,,1.,0.,0.\n"
      "GRID,4,1,1.,2.,3.\nGRID,5,2,2.,90.,1.\nGRID,6,3,2.,90.,90.\n"
      "CTETRA,1,1,1,3,4,5\nCONM2,9,4,1,2.,1.,0.,0.\n,1.,.1,2.,.2,.3,3.\n",
      1e-3);
  // y of system 1 is z × x = (1,0,0) × (0,1,0) = (0,0,1).
  EXPECT_LT((mesh.points[3] - 1e-3 * Eigen::Vector3d(4, 1, 2)).norm(), 1e-15);
  EXPECT_LT((mesh.points[4] - 1e-3 * Eigen::Vector3d(2, 0, 2)).norm(), 1e-15);
  EXPECT_LT((mesh.points[5] - 1e-3 * Eigen::Vector3d(0, 2, 0)).norm(), 1e-15);
  ASSERT_EQ(mesh.masses.size(), 1U);
  EXPECT_NEAR(mesh.masses[0].mass, 2000.0, 1e-9);
  EXPECT_LT((mesh.masses[0].offset - Eigen::Vector3d(0, 1e-3, 0)).norm(), 1e-15);
  // Local 11, 22, 33 are about global y, z, x; the products change their sign.
  EXPECT_NEAR(mesh.masses[0].inertia(1, 1), 1e-3, 1e-15);
  EXPECT_NEAR(mesh.masses[0].inertia(0, 0), 3e-3, 1e-15);
  EXPECT_NEAR(mesh.masses[0].inertia(1, 2), -1e-4, 1e-15);
}

TEST(NastranReader, SpidersAndEquations) {
  const Mesh mesh = readGood(kTet +
                             "GRID,5,,2.,2.,2.\nGRID,6,,2.,2.,2.\nRBE2,100,5,123456,1,2,3,1.-5\n"
                             "RBE3,101,,6,123456,1.,123,1,2\n,2.,123,3\n"
                             "RBAR,102,5,4,123456\n"
                             "MPC,7,1,1,1.,2,2,-2.\n,,3,3,.5\n");
  ASSERT_EQ(mesh.spiders.size(), 3U);
  EXPECT_EQ(mesh.spiders[0].reference, 4);
  EXPECT_EQ(mesh.spiders[0].nodes, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(mesh.spiders[1].kind, Spider::Kind::kAveraging);
  EXPECT_EQ(mesh.spiders[1].weights, (std::vector<double>{1, 1, 2}));
  EXPECT_EQ(mesh.spiders[1].components, 7U);
  EXPECT_EQ(mesh.spiders[2].nodes, std::vector<int>{3});
  ASSERT_EQ(mesh.equations.size(), 1U);
  ASSERT_EQ(mesh.equations[0].terms.size(), 3U);
  EXPECT_EQ(mesh.equations[0].terms[2].component, 2);
  EXPECT_EQ(mesh.equations[0].terms[2].factor, 0.5);
}

TEST(NastranReader, SetsHaveNumbersAndNamesFromComments) {
  const Mesh mesh =
      readGood(kTet +
               "$ node set 1 = CLAMP\nSPC1,1,123,1,2\n$ node set 2 = TIP\nSET1,2,3,THRU,9\n"
               "SET1,1,4\nSPC,5,1,123,0.,2,1\nSET3,6,ELEM,10\n");
  EXPECT_EQ(mesh.nodeSets.at("CLAMP"), (std::vector<int>{0, 1}));
  EXPECT_EQ(mesh.nodeSets.at("SPC 1"), (std::vector<int>{0, 1}));  // the number is that of SET1
  EXPECT_EQ(mesh.nodeSets.at("1"), std::vector<int>{3});
  EXPECT_EQ(mesh.nodeSets.at("TIP"), (std::vector<int>{2, 3}));
  EXPECT_EQ(mesh.nodeSets.at("5"), (std::vector<int>{0, 1}));
  EXPECT_EQ(mesh.elementSets.at("6"), std::vector<int>{0});
}

TEST(NastranReader, ParametersAndLoads) {
  const auto file = readText(
      kTet + "PARAM,POST,-1\nPARAM,WTMASS,.001\nFORCE,1,1,,1.,1.,0.,0.\nFORCE,1,2,,1.,1.,0.,0.\n");
  ASSERT_TRUE(file);
  const std::string notes = file.value().notes.toText();
  EXPECT_TRUE(test::says(notes, "PARAM POST is not used"));
  EXPECT_TRUE(test::says(notes, "multiplied by WTMASS"));
  EXPECT_TRUE(test::says(notes, "part.bdf:10: warning: FORCE is not used"));
  EXPECT_EQ(file.value().notes.warnings().size(), 3U);
  EXPECT_DOUBLE_EQ(file.value().mesh.materials[0].rho, 7.85e-12);
}

TEST(NastranReader, IncludesFiles) {
  const testing::TemporaryFolder folder;
  folder.write("nodes.bdf", kNodes);
  const std::string path = folder.write("part.bdf", "INCLUDE 'nodes.bdf'\nCTETRA,1,1,1,2,3,4\n");
  const auto file = readMesh(path, 1.0);
  ASSERT_TRUE(file) << file.failure().message;
  EXPECT_EQ(file.value().mesh.points.size(), 4U);
}

TEST(NastranReader, BadFilesAreNamedByLine) {
  expectFailure(kTet + "CTETA,11,1,1,2,3,4\n", "part.bdf:8: the card 'CTETA' is not known",
                "CTETRA");
  expectFailure(kTet + "CELAS1,11,1,1,2\n", "part.bdf:8: CELAS1 is not supported", "springs");
  expectFailure(kTet + "CMASS2,11,1.,1\n", "CMASS2 is not supported", "CONM2");
  expectFailure(kTet + "CTETRA,11,1,1,2,3\n", "element 11 has 3 nodes", "4, or 10");
  expectFailure(kTet + "CTETRA,11,1,1,2,3,4,5,6\n", "element 11 has 6 nodes");
  expectFailure(kTet + "CTETRA,11,1,1,2,3,99\n", "part.bdf:8: element 11 refers to node 99");
  expectFailure(kTet + "CTETRA,10,1,1,2,3,4\n", "element 10 is given twice");
  expectFailure(kTet + "GRID,1\n", "node 1 is given twice");
  expectFailure(kTet + "GRID,5,,abc\n", "part.bdf:8: GRID: 'abc' is no number");
  expectFailure(kTet + "GRID,5.5\n", "'5.5' is no whole number");
  expectFailure(kTet + "GRID,5,9,1.\n", "no coordinate system 9");
  expectFailure(kTet + "CORD2R,1,1,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nGRID,5,1,1.\n",
                "depends on itself");
  expectFailure(kTet + "CORD2R,1,,0.,0.,0.,0.,0.,1.\n,0.,0.,2.\nGRID,5,1,1.\n", "lie on a line");
  expectFailure(kTet + "CORD1R,1,5,2,3\nGRID,5,1,1.\n", "depends on itself");
  expectFailure("GRID\n", "part.bdf:1: GRID: the number of the node is missing");
  expectFailure(
      "CHEXA   7       1       1       2       3       4       5       6       +H1\n+H2     7      "
      " 8\n",
      "part.bdf:2: the continuation +H2 does not belong");
  expectFailure("+A,1,2\n", "part.bdf:1: a continuation line without its card");
  expectFailure(kNodes + "CTETRA,10,1,1,2,3,4\nPSOLID,1,5\n", "refers to the material 5");
  expectFailure(kNodes + "CTETRA,10,1,1,2,3,4\nPSHELL,1,1,1.,1\nMAT1,1,1.,,.3\n",
                "cannot have the property 1", "PSOLID");
  expectFailure(kTet + "PSHELL,2,1,1.\n", "MID2 must be the same");
  expectFailure(kTet + "PBAR,2,1,1.,1.,1.\n", "must be positive");
  expectFailure(kTet + "MAT1,2,-1.,,.3\n", "must be positive");
  expectFailure(kTet + "MAT8,2\n", "MAT8 is not supported", "MAT1");
  expectFailure(kTet + "RBE2,11,1,127,2\n", "'127' are no components");
  expectFailure(kTet + "RBE2,11,1,123,1\n", "reference node among the others");
  expectFailure(kTet + "RBE3,11,,1,123,1.,123,2\n,1.,12,3\n", "the same components");
  expectFailure(kTet + "MPC,1,1,1,1.\nMPC,2,1,1,1.\n", "several sets of MPC", "MPC = 1");
  expectFailure(kTet + "CORD2C,1,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nGRID,5,,1.,1.,0.,1\nMPC,1,5,1,1.\n",
                "axes of its own");
  expectFailure(kTet + "SET1,1,3,4,55\n", "the set '1' contains node 55");
  expectFailure(kTet + "PARAM,WTMASS,0.\n", "WTMASS must be positive");
  expectFailure("SOL 103\nCEND\nGRID,1\n", "CEND is not followed by BEGIN BULK");
  expectFailure(kTet + "GRID,5,,1.,2.,3.,,,,1.,2.\n", "more than 8 fields");
  expectFailure(kTet + "INCLUDE 'absent.bdf'\n", "absent.bdf");
}

}  // namespace
}  // namespace flexloop::fem
