// A part that has been reduced before takes the place of its mesh, with everything that was decided then.
#include <cmath>
#include <string_view>

#include <gtest/gtest.h>

#include "fem/parts/obtain_part.hpp"
#include "fem/reduction/reduced_file.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::fem {
namespace {

using test::mistakesOf;
using test::says;

constexpr const char* kBlock =
    "block: {size: [0.2, 0.03, 0.02], elements: [1, 1, 1], shape: hex8}, material: alu, "
    "interfaces: {foot: {set: x0}, tip: {set: x1}}, modes: 1, damping: 0.02";

std::string keepBlock(const testing::TemporaryFolder& folder) {
  PartRequest request;
  request.block = BlockRequest{{0.2, 0.03, 0.02}, {1, 1, 1}, ElementShape::kHex8};
  request.material = MeshMaterial{.name = "alu", .E = 7e10, .nu = 0.3, .rho = 2700.0};
  request.interfaces.resize(2);
  request.interfaces[0].name = "foot";
  request.interfaces[0].set = "x0";
  request.interfaces[1].name = "tip";
  request.interfaces[1].set = "x1";
  request.modes = 1;
  request.damping = 0.02;
  const auto part = obtainPart(request);
  EXPECT_TRUE(part);
  if (part) EXPECT_FALSE(writeReducedPart(folder.file("block.h5"), part.value()));
  return folder.file("block.h5");
}

std::string modelWith(const std::string& part) {
  return "gravity: [0, 0, -9.81]\nmaterials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}\nparts: {p: {" +
         part + "}}\njoints: {clamp: {type: weld, between: [ground, p.foot]}}\n" +
         "sensors: {z: {measure: position, node: p.tip, direction: [0, 0, 1]}}\n";
}

TEST(GivenPart, MovesLikeTheOneThatIsReducedNow) {
  const testing::TemporaryFolder folder;
  const std::string time = "end: 2 ms, step: 0.1 ms";
  const auto given = test::runModel(modelWith("reduced: " + keepBlock(folder)), "z", time);
  const auto made = test::runModel(modelWith(kBlock), "z", time);
  EXPECT_NE(made.last("z"), 0.0);
  EXPECT_NEAR(given.last("z"), made.last("z"), 1e-9 * std::abs(made.last("z")));
}

// They would be ignored.
TEST(GivenPart, RefusesSettingsOfTheReduction) {
  const testing::TemporaryFolder folder;
  const std::string reduced = "reduced: " + keepBlock(folder);
  EXPECT_EQ(mistakesOf(modelWith(reduced)), "");
  for (const char* key : {"modes: 3", "damping: 0.1", "unit: mm", "material: alu",
                          "method: craig_bampton", "interfaces: {foot: {set: x0}}"}) {
    const std::string said = mistakesOf(modelWith(reduced + ", " + key));
    const std::string word(key, std::string_view(key).find(':'));
    EXPECT_TRUE(says(said, "'" + word + "' has no effect beside 'reduced'")) << said;
  }
}

}  // namespace
}  // namespace flexloop::fem
