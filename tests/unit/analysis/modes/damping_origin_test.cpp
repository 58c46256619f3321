// Damping belongs to the parts that have some (docs/theory/22_mode_descriptions.md, section 22.1).
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "analysis/modes/mode_energy.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

// A bent beam with a load that hangs off its tip, pushed sideways, and one damper.
std::string makeBentBeam(const std::string& formulation) {
  return "formulation: " + formulation + R"(
gravity: [0, 0, -9.81]
materials: {alu: {E: 65.7 GPa, nu: 0.3, rho: 2794}}
sections: {strip: {type: rectangle, width: 18 mm, height: 1 mm}}
nodes: {A: {position: [0, 0, 0], free: []}, B: [0.5, 0, 0], C: [0.6, 0, 0]}
beams: {arm: {from: A, to: B, elements: 4, section: strip, material: alu, y_axis: [0, 1, 0]}}
bodies: {load: {node: C, mass: 0.05, inertia: [1e-5, 2e-5, 1e-5], com: [0.02, 0, 0.01]}}
joints: {pin: {type: hinge, between: [B, C], axis: [0, 1, 0], stiffness: 0.3}}
springs: {d: {type: damper, between: [ground, B], direction: [0, 0, 1], damping: 0.02}}
loads: {push: {node: B, force: [0, 0.1, 0]}}
)";
}

TEST(DampingOrigin, IsTheDamperAlone) {
  for (const char* formulation : {"se3", "r3xso3"}) {
    const model::Model model = buildModel(makeBentBeam(formulation));
    const analysis::OperatingState rest =
        analysis::findOperatingPoint(model, {model::OperatingPoint::Kind::kEquilibrium, 0.0});
    ASSERT_TRUE(rest.ok()) << messageOf(rest.failure);
    analysis::ModeOptions options;
    options.count = 6;
    const analysis::ModeResult found = analysis::findModes(model, rest.state, options);
    ASSERT_TRUE(found.ok()) << messageOf(found.failure);
    for (const analysis::ModeForms& forms :
         analysis::calcModeForms(model, rest.state, found.modes)) {
      const analysis::ItemForms total = forms.total();
      const double ratio = -forms.s.real() / std::abs(forms.s);
      for (const auto& [name, item] : forms.items) {
        const double share = analysis::calcDampingShare(forms, total, item);
        EXPECT_NEAR(share, name == "d" ? ratio : 0.0, 1e-9) << formulation << " " << name;
      }
    }
  }
}

}  // namespace
}  // namespace flexloop::test
