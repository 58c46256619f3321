// Surfaces of flexible parts: what the page and exports draw of them, and from what a result keeps.
#include <cmath>
#include <cstring>
#include <filesystem>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "analysis/modes/node_shape.hpp"
#include "api/analyses.hpp"
#include "commands/viewed_files.hpp"
#include "mechanics/parts/part_layout.hpp"
#include "numbers.hpp"
#include "support/model_run.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"
#include "view/data/motion_export.hpp"
#include "view/data/part_shapes.hpp"
#include "view/data/session.hpp"

namespace flexloop::view {
namespace {

using flexloop::testing::ProgramResult;
using flexloop::testing::runProgram;
using flexloop::testing::TemporaryFolder;
using mechanics::PartLayout;
using test::buildModel;
using test::jsonOf;
using test::numbersOf;

constexpr const char* kArm = R"(
materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}
parts:
  arm:
    block: {size: [400 mm, 30 mm, 20 mm], elements: [8, 2, 2]}
    material: alu
    position: [0.3, 0.1, -0.2]
    rotation: {axis: [1, 2, 3], angle: 70 deg}
    interfaces: {root: {set: x0}, tip: {set: x1}}
    modes: 6
joints: {floor: {type: weld, between: [ground, arm.root]}}
)";

// The points at the tip belong to a rigid interface, so they are where the node of the tip takes them: its frame times
// their places in the undeformed part, whatever shapes and coordinates say.
void expectTipFollowsItsNode(const model::Model& model, const system::State& state) {
  const PartLayout part = mechanics::findParts(model.system()).at(0);
  const std::vector<double> modes = mechanics::readModes({part}, state);
  const Eigen::VectorXd z = mechanics::calcCoordinates(part, state.frames, modes.data());
  const Eigen::Matrix3Xd moved = mechanics::calcSurfaceDisplacements(part, z);
  const math::Frame<double>& root = state.frames[part.place.nodes[0].value];
  const math::Frame<double>& tip = state.frames[part.place.nodes[1].value];
  const double length = 0.4;
  int found = 0;
  for (Eigen::Index i = 0; i < moved.cols(); ++i) {
    const Eigen::Vector3d& p = part.recovery->surface.points[i];
    if (p[0] < length - 1e-9) continue;
    const Eigen::Vector3d drawn = root.x + root.R * (p + moved.col(i));
    const Eigen::Vector3d rigid = tip.x + tip.R * (p - part.matrices->arms[0]);
    // Rotations of interfaces are small ones; rows are in single precision.
    EXPECT_LT((drawn - rigid).norm(), 2e-6 * length);
    ++found;
  }
  EXPECT_EQ(found, 9);
}

TEST(PartSurfaces, FollowTheInterfacesOfALoadedArm) {
  const model::Model model =
      buildModel(std::string(kArm) + "loads: {push: {node: arm.tip, force: [3, -20, 10]}}\n");
  const analysis::EquilibriumResult rest = analysis::findEquilibrium(model);
  ASSERT_TRUE(rest.report.ok());
  const PartLayout part = mechanics::findParts(model.system()).at(0);
  const std::vector<double> modes = mechanics::readModes({part}, rest.state);
  EXPECT_GT(mechanics::calcCoordinates(part, rest.state.frames, modes.data()).head<3>().norm(),
            1e-4);
  expectTipFollowsItsNode(model, rest.state);
}

// σ = M c/I of a bar in bending. In the middle of the arm Saint-Venant's solution holds; hexahedra with quadratic shapes
// have it exactly, and modes with both ends held have no part in it.
TEST(PartSurfaces, StressIsThatOfBending) {
  const model::Model model = buildModel(
      std::string(kArm) + "loads: {push: {node: arm.tip, torque: [0, 2, 0], frame: body}}\n");
  const analysis::EquilibriumResult rest = analysis::findEquilibrium(model);
  ASSERT_TRUE(rest.report.ok());
  const PartLayout part = mechanics::findParts(model.system()).at(0);
  const std::vector<double> modes = mechanics::readModes({part}, rest.state);
  const Eigen::VectorXd stress = mechanics::calcSurfaceStress(
      part, mechanics::calcCoordinates(part, rest.state.frames, modes.data()));
  const double W = 0.03 * 0.02 * 0.02 / 6.0;
  ASSERT_EQ(stress.size(), static_cast<Eigen::Index>(part.recovery->surface.points.size()));
  int found = 0;
  for (Eigen::Index i = 0; i < stress.size(); ++i) {
    const Eigen::Vector3d& p = part.recovery->surface.points[i];
    if (std::abs(p[0] - 0.2) > 0.01) continue;
    EXPECT_NEAR(stress[i], 2.0 / W * std::abs(p[2]) / 0.01, 2e-3 * 2.0 / W);
    ++found;
  }
  EXPECT_EQ(found, 8);
  const auto largest = mechanics::findLargestStresses(model.system(), rest.state);
  ASSERT_EQ(largest.size(), 1u);
  EXPECT_EQ(largest[0].vonMises, stress.maxCoeff());
  EXPECT_EQ(largest[0].points, largest[0].allPoints);
}

// In a mode the tip moves as its node does.
TEST(PartSurfaces, OfAModeFollowTheInterfaces) {
  const model::Model model = buildModel(kArm);
  const system::State& state = model.start();
  const analysis::ModeResult result = api::findModes(model, state, {});
  ASSERT_GE(result.modes.size(), 3u);
  const PartShapes shapes(model);
  const PartLayout& part = shapes.parts().at(0);
  const math::Mat3<double>& R = state.frames[part.place.nodes[0].value].R;
  for (int m = 0; m < 3; ++m) {
    const Eigen::VectorXcd& shape = result.modes[m].shape;
    const auto change = shapes.calcShape(model.system(), state, shape);
    const Eigen::Map<const Eigen::VectorXcd> z(change.data(), part.coordinates());
    const Eigen::Matrix3Xd moved = mechanics::calcSurfaceDisplacements(part, z.real());
    const auto tip =
        analysis::calcNodeShape(model.system(), state, shape, part.place.nodes[1].value);
    const double size = tip.displacement.real().norm();
    for (Eigen::Index i = 0; i < moved.cols(); ++i) {
      const Eigen::Vector3d& p = part.recovery->surface.points[i];
      if (p[0] < 0.4 - 1e-9) continue;
      const Eigen::Vector3d arm = R * (p - part.matrices->arms[0]);
      const Eigen::Vector3d rigid =
          tip.displacement.real() + Eigen::Vector3d(tip.rotation.real()).cross(arm);
      EXPECT_LT((R * moved.col(i) - rigid).norm(), 1e-5 * size) << "mode " << m + 1;
    }
  }
}

std::string armFile(const std::string& mesh) {
  return R"(flexloop: 1
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}
parts:
  plate:
    mesh: )" +
         mesh + R"(
    material: steel
    interfaces: {root: {set: left}, tip: {set: right}}
    modes: 3
joints: {floor: {type: weld, between: [ground, plate.root]}}
loads: {push: {node: plate.tip, force: [0, 0, 2000], signal: pulse}}
blocks: {pulse: {type: table, time: [0, 1 ms, 10 ms], value: [0, 1, 1]}}
outputs: [pulse]
analysis: {time: {end: 2 ms, step: 0.1 ms}}
)";
}

// Two bricks in a row, with the nodes of their ends as sets.
std::string writeBricks() {
  std::string text = "*NODE\n";
  int id = 0;
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 2; ++y) {
      for (int z = 0; z < 2; ++z) {
        text += std::to_string(++id) + ", " + std::to_string(0.1 * x) + ", " +
                std::to_string(0.05 * y) + ", " + std::to_string(0.05 * z) + "\n";
      }
    }
  }
  return text + R"(*ELEMENT, TYPE=C3D8I, ELSET=ALL
1, 1, 5, 7, 3, 2, 6, 8, 4
2, 5, 9, 11, 7, 6, 10, 12, 8
*NSET, NSET=left
1, 2, 3, 4
*NSET, NSET=right
9, 10, 11, 12
)";
}

// Von Mises at every point, the largest of all records: rows of six stresses, by columns of the coordinates.
std::vector<double> largestStresses(const std::vector<float>& rows, const std::vector<float>& z,
                                    std::size_t points) {
  const std::size_t coordinates = rows.size() / (6 * points), records = z.size() / coordinates;
  std::vector<double> largest(points, 0.0);
  for (std::size_t record = 0; record < records; ++record) {
    for (std::size_t point = 0; point < points; ++point) {
      double s[6] = {};
      for (std::size_t j = 0; j < coordinates; ++j) {
        for (std::size_t c = 0; c < 6; ++c)
          s[c] += static_cast<double>(rows[j * 6 * points + 6 * point + c]) *
                  z[record * coordinates + j];
      }
      const double normal =
          std::pow(s[0] - s[1], 2) + std::pow(s[1] - s[2], 2) + std::pow(s[2] - s[0], 2);
      const double shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
      largest[point] = std::max(largest[point], std::sqrt(0.5 * normal + 3.0 * shear));
    }
  }
  return largest;
}

// The attribute _VON_MISES of the only surface that has one; every such point has a colour, too.
std::vector<float> stressesInGlb(const std::string& glb) {
  std::uint32_t length = 0;
  std::memcpy(&length, glb.data() + 12, sizeof length);
  const nlohmann::json json = nlohmann::json::parse(glb.substr(20, length));
  std::vector<float> stress;
  for (const auto& mesh : json.at("meshes")) {
    const auto& attributes = mesh.at("primitives").at(0).at("attributes");
    if (!attributes.contains("_VON_MISES")) continue;
    const auto& accessor = json.at("accessors").at(attributes.at("_VON_MISES").get<int>());
    const auto& view = json.at("bufferViews").at(accessor.at("bufferView").get<int>());
    stress.resize(accessor.at("count"));
    std::memcpy(stress.data(), glb.data() + 28 + length + view.at("byteOffset").get<std::size_t>(),
                stress.size() * sizeof(float));
    EXPECT_EQ(json.at("accessors").at(attributes.at("COLOR_0").get<int>()).at("count"),
              stress.size());
  }
  return stress;
}

// Neither the mesh nor a cache is there any more when the result is opened.
TEST(PartSurfaces, AreDrawnFromWhatTheResultKeeps) {
  const TemporaryFolder folder;
  folder.write("plate.inp", writeBricks());
  folder.write("arm.yaml", armFile("plate.inp"));
  for (const std::string& cache : {folder.file("cache"), std::string("off")}) {
    setenv("FLEXLOOP_CACHE", cache.c_str(), 1);
    folder.write("plate.inp", writeBricks());
    const ProgramResult run = runProgram({"run", "arm.yaml", "--quiet"}, folder.file(""));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    std::filesystem::remove(folder.file("plate.inp"));
    std::filesystem::remove_all(folder.file("cache"));
    const commands::ViewedFile file =
        commands::openViewed(folder.file("out/arm/result.h5"), {}, false);
    ASSERT_NE(file.model, nullptr) << file.whyNoModel;
    const auto session = commands::makeSession({file}, {file.result}, {});
    const nlohmann::json scene = jsonOf(session->find("scene.json"));
    ASSERT_EQ(scene.at("parts").size(), 1u);
    const auto points = numbersOf<float>(session->find("part/0/points"));
    const auto shapes = numbersOf<float>(session->find("part/0/shapes"));
    const auto z = numbersOf<float>(session->find("result/0/parts/0"));
    EXPECT_EQ(points.size(), 3u * 12u);
    EXPECT_EQ(numbersOf<std::uint32_t>(session->find("part/0/triangles")).size(), 3u * 20u);
    EXPECT_EQ(shapes.size(), 9u * points.size());  // six of the tip and three modes
    EXPECT_EQ(z.size(), 9u * 21u);
    const nlohmann::json result = jsonOf(session->find("results.json")).at(0);
    EXPECT_EQ(result.at("parts"), true);
    EXPECT_EQ(result.at("fields").back().at("on"), "parts");
    // The tip goes up under the load.
    EXPECT_GT(z[9u * 20u + 2u], 0.0F);
    // A slider makes the model again, from the same part.
    EXPECT_EQ(
        runProgram({"export", "out/arm/result.h5", "-o", "arm.pvd"}, folder.file("")).exitCode, 0);
    const std::string vtu = flexloop::testing::readWhole(folder.file("arm_files/000020.vtu"));
    EXPECT_NE(vtu.find("von Mises stress"), std::string::npos);
    EXPECT_EQ(
        runProgram({"export", "out/arm/result.h5", "-o", "arm.glb"}, folder.file("")).exitCode, 0);
    const std::vector<double> expected =
        largestStresses(numbersOf<float>(session->find("part/0/stress")), z, 12);
    const std::vector<float> stress =
        stressesInGlb(flexloop::testing::readWhole(folder.file("arm.glb")));
    ASSERT_EQ(stress.size(), 12u);
    EXPECT_GT(expected[0], 1e3);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(stress[i] / expected[i], 1.0, 1e-4) << i;
  }
  unsetenv("FLEXLOOP_CACHE");
}

// A part that was asked for otherwise is not the one that was kept.
TEST(PartSurfaces, AnotherReductionNeedsTheMeshAgain) {
  const TemporaryFolder folder;
  folder.write("plate.inp", writeBricks());
  folder.write("arm.yaml", armFile("plate.inp"));
  setenv("FLEXLOOP_CACHE", "off", 1);
  ASSERT_EQ(runProgram({"run", "arm.yaml", "--quiet"}, folder.file("")).exitCode, 0);
  std::filesystem::remove(folder.file("plate.inp"));
  EXPECT_THROW(commands::openViewed(folder.file("out/arm/result.h5"),
                                    {.parameters = {}, .values = {"parts.plate.modes=2"}}, false),
               base::InputError);
  unsetenv("FLEXLOOP_CACHE");
}

}  // namespace
}  // namespace flexloop::view
