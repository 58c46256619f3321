// What the registry says about energy is what the elements do: a part that takes energy or gives some is
// marked, and no other.
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "conformance/check_tools.hpp"
#include "conformance/element_checks.hpp"
#include "language/model_reader.hpp"
#include "support/built_sample.hpp"
#include "system/switching.hpp"

namespace flexloop::test {
namespace {

using system::ElementSet;
using system::Kind;

// Sections whose items act on motions.
const std::set<std::string> kActing{"joints", "springs",  "beams",    "bodies",
                                    "loads",  "contacts", "actuators"};

// On nodes and on scalar coordinates.
double calcPowerOnMotion(const system::System& system, const ElementSet& set,
                         const MotionSample& sample, int element) {
  const Eigen::VectorXd r = calcLocal(set, sample, {}, element);
  double power = 0.0;
  for (int k = 0; k < set.nodes(element); ++k) {
    power += r.segment<6>(6 * k).dot(sample.nodes[set.node(element, k).value].twist);
  }
  for (int k = 0; k < set.scalars(element); ++k) {
    const system::UnknownIndex u = set.scalar(element, k);
    if (system.kind(u) == Kind::kMotion)
      power += r[6 * set.nodes(element) + k] * sample.rate[u.value];
  }
  return power;
}

// A constraint that depends on a signal does work.
bool isDriven(const system::System& system, const ElementSet& set, const MotionSample& sample,
              int element) {
  system::Tangents tangents;
  set.calcTangents(sample.motion(), {}, element, tangents);
  const int first = 6 * set.nodes(element);
  for (int row = 0; row < set.scalars(element); ++row) {
    if (system.kind(set.scalar(element, row)) != Kind::kMultiplier) continue;
    for (int column = 0; column < set.scalars(element); ++column) {
      const bool isSignal = system.kind(set.scalar(element, column)) == Kind::kSignal;
      if (isSignal && tangents.K(first + row, first + column) != 0.0) return true;
    }
  }
  return false;
}

// The power of its forces is not the change of its energy. With all velocities reversed, what goes into an
// energy changes its sign.
bool changesEnergy(const system::System& system, const ElementSet& set, MotionSample sample,
                   int element) {
  bool moves = set.nodes(element) > 0;
  for (int k = 0; k < set.scalars(element); ++k) {
    moves = moves || system.kind(set.scalar(element, k)) == Kind::kMotion;
  }
  if (!moves) return false;
  for (std::size_t u = 0; u < sample.value.size(); ++u) {
    if (system.kinds()[u] == Kind::kMultiplier) sample.value[u] = 0.0;
  }
  const double there = calcPowerOnMotion(system, set, sample, element);
  const double back = calcPowerOnMotion(system, set, withReversedRates(sample), element);
  const bool hasEnergy = dynamic_cast<const system::StoredEnergy*>(&set) != nullptr;
  const double taken = hasEnergy ? there + back : there;
  return std::abs(taken) > 1e-9 * std::max({1e-3, std::abs(there), std::abs(back)}) ||
         isDriven(system, set, sample, element);
}

// A latch stops by an impact what moves when it closes.
void addLatches(const ElementSet& set, std::map<std::string, bool>& done) {
  const auto* switching = dynamic_cast<const system::Switching*>(&set);
  if (switching == nullptr || switching->switches() == 0 || !switching->isLatch(0)) return;
  for (int e = 0; e < set.size(); ++e) done[set.name(e)] = true;
}

void checkFacts(const std::string& text, const std::string& where) {
  const auto description = language::readModelText(text, sampleFile(), fullRegistry());
  std::map<std::string, bool> said;
  for (const system::Item& item : description.items) {
    if (!kActing.contains(item.section())) continue;
    const system::TypeEntry* type = fullRegistry().find(item.section(), item.type());
    // A motion that an actuator prescribes is a constraint of the joint.
    const bool drivesJoint = item.section() == "actuators" && item.type() == "motion";
    const std::string& name = drivesJoint ? item.text("joint") : item.name();
    said[name] = said[name] || system::changesEnergy(*type, item);
  }
  const BuiltSample built = buildSample(text);
  std::map<std::string, bool> done;
  // In some of so many motions what is pressed on another touches it.
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const MotionSample sample = makeRandomMotion(built.system, seed);
    for (const auto& set : built.system.sets()) {
      for (int e = 0; e < set->size(); ++e) {
        done[set->name(e)] = done[set->name(e)] || changesEnergy(built.system, *set, sample, e);
      }
    }
  }
  for (const auto& set : built.system.sets()) addLatches(*set, done);
  for (const auto& [name, changes] : said) {
    // Parts without elements of their own, such as bodies without mass.
    if (!done.contains(name)) continue;
    EXPECT_EQ(done.at(name), changes) << where << ": " << name << "\n" << text;
  }
}

TEST(EnergyFacts, AreTrueForEveryType) {
  for (const system::TypeEntry& entry : fullRegistry().entries()) {
    if (!kActing.contains(entry.section)) continue;
    for (const std::string& sample : entry.samples) {
      // The later samples of contacts are open.
      const bool isOpen = entry.section == "contacts" && &sample != &entry.samples.front();
      if (!isOpen) checkFacts(sample, entry.type);
    }
  }
}

// N15: damping below the first level of a part, and as a matrix.
TEST(EnergyFacts, SeeDampingWhereverItIsWritten) {
  const std::string machine = R"(flexloop: 1
nodes: {A: [0.3, 0, 0.1], B: [1, 0.2, 0]}
bodies: {a: {node: A, mass: 2, inertia: [1, 1, 2]}, b: {node: B, mass: 1, inertia: [1, 2, 1]}}
)";
  for (const char* part :
       {"joints: {j: {type: cylindrical, between: [ground, A], axis: [0, 0, 1], rotation: "
        "{damping: 0.1}}}",
        "joints: {j: {type: cylindrical, between: [ground, A], axis: [0, 0, 1], rotation: "
        "{damping: 0, stiffness: 2}}}",
        "joints: {j: {type: cylindrical, between: [ground, A], axis: [0, 0, 1], translation: "
        "{damping: 3}}}",
        "joints: {j: {type: screw, between: [ground, A], axis: [0, 0, 1], pitch: 0.1, damping: 3}}",
        "joints: {j: {type: hinge, between: [ground, A], axis: [0, 0, 1], drive: 0.2}}",
        "springs: {s: {type: bushing, between: [A, B], stiffness: [1, 1, 1, 1, 1, 1], "
        "damping_matrix: "
        "[[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, "
        "0, 0, 1, 0], "
        "[0, 0, 0, 0, 0, 1]]}}",
        "springs: {s: {type: bushing, between: [A, B], stiffness: [1, 1, 1, 1, 1, 1], damping: [0, "
        "0, 0, 0, 0, 0]}}",
        "springs: {s: {type: damper, between: [A, B], damping: 0, stiffness: 3}}"}) {
    checkFacts(machine + part + "\n", part);
  }
}

}  // namespace
}  // namespace flexloop::test
