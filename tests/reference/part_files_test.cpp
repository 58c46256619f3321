// Parts from `reduced: FILE`, and what the model says beside it.
#include <sstream>

#include <gtest/gtest.h>

#include "api/part.hpp"
#include "fem/reduction/reduced_file.hpp"
#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::test {
namespace {

constexpr const char* kInterfaces = "interfaces: {root: {set: x0}, tip: {set: x1}}";
const std::string kRequest = std::string("material: alu, modes: 4, damping: 0.01, ") + kInterfaces;

std::string machine(const std::string& source, const std::string& more) {
  return "materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}\n"
         "parts: {arm: {" +
         source + (more.empty() ? "" : ", " + more) +
         "}}\njoints: {base: {type: weld, between: [ground, arm.root]}}\n";
}

// Six bricks along x with the sets x0 and x1, 0.4 × 0.03 × 0.02 m.
std::string makeMesh() {
  std::ostringstream text;
  text << "*NODE\n";
  for (int i = 0; i <= 6; ++i) {
    const double x = 0.4 / 6.0 * i;
    text << 4 * i + 1 << ", " << x << ", 0, 0\n" << 4 * i + 2 << ", " << x << ", 0.03, 0\n";
    text << 4 * i + 3 << ", " << x << ", 0.03, 0.02\n" << 4 * i + 4 << ", " << x << ", 0, 0.02\n";
  }
  text << "*ELEMENT, TYPE=C3D8I, ELSET=ALL\n";
  for (int i = 0; i < 6; ++i) {
    text << i + 1;
    for (int k = 1; k <= 8; ++k) text << ", " << 4 * i + k;
    text << "\n";
  }
  text << "*NSET, NSET=x0\n1, 2, 3, 4\n*NSET, NSET=x1\n25, 26, 27, 28\n";
  return text.str();
}

class ReducedParts : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("arm.inp", makeMesh());
    const std::string model = folder_.write("arm.yaml", "flexloop: 1\n" + meshed(kRequest));
    const api::PartReduction reduction = api::reducePart({.file = model, .overrides = {}}, "arm");
    ASSERT_FALSE(fem::writeReducedPart(folder_.file("arm.h5"), reduction.part).has_value());
  }
  std::string meshed(const std::string& more) const {
    return machine("mesh: " + folder_.file("arm.inp"), more);
  }
  std::string given(const std::string& more) const {
    return machine("reduced: " + folder_.file("arm.h5"), more);
  }
  // What the program says, errors and warnings.
  std::string said(const std::string& more) const {
    const std::string mistakes = mistakesOf(given(more));
    return mistakes.empty() ? buildModel(given(more)).warnings().toText() : mistakes;
  }

 private:
  testing::TemporaryFolder folder_;
};

std::vector<std::complex<double>> rootsOf(const std::string& text) {
  std::vector<std::complex<double>> roots;
  for (const analysis::Mode& mode : modesOf(text, {.count = 3}).modes) {
    roots.push_back(mode.eigenvalue);
  }
  return roots;
}

void expectSame(const std::vector<std::complex<double>>& a,
                const std::vector<std::complex<double>>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_LT(std::abs(a[i] - b[i]), 1e-9 * std::abs(b[i]));
}

// The file says where its interfaces are.
TEST_F(ReducedParts, NeedNothingElse) {
  expectSame(rootsOf(given("")), rootsOf(meshed(kRequest)));
  EXPECT_EQ(said(""), "");
}

// The lines that it was reduced for may stay.
TEST_F(ReducedParts, MayKeepTheirLines) {
  EXPECT_EQ(said(kRequest), "");
}

TEST_F(ReducedParts, HaveTheDampingOfTheModel) {
  const std::string half = std::string("material: alu, modes: 4, damping: 0.005, ") + kInterfaces;
  expectSame(rootsOf(given("damping: 0.005")), rootsOf(meshed(half)));
  const std::string none = std::string("material: alu, modes: 4, ") + kInterfaces;
  expectSame(rootsOf(given("damping: 0")), rootsOf(meshed(none)));
}

TEST_F(ReducedParts, ContradictionsAreErrors) {
  EXPECT_TRUE(says(said("modes: 3"), "arm.h5 has 4 normal modes"));
  EXPECT_TRUE(says(said("method: inertia_relief"), "arm.h5 was reduced by craig_bampton"));
  EXPECT_TRUE(says(said("stiffening: true"), "arm.h5 was reduced without stiffening"));
  EXPECT_TRUE(
      says(said("interfaces: {foot: {set: x0}}"), "arm.h5 has no interface 'foot', but root, tip"));
}

TEST_F(ReducedParts, LinesWithoutInfluenceAreNamed) {
  EXPECT_TRUE(says(said("unit: mm, material: alu"),
                   "'unit', 'material' have no influence: arm.h5 was reduced for another request"));
}

}  // namespace
}  // namespace flexloop::test
