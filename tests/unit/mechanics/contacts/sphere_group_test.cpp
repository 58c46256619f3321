// Groups of spheres: against single contacts, closed forms and what holds for every pile (J7 of the reference tables).
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/time/run_point.hpp"
#include "analysis/time/time_analysis.hpp"
#include "base/diagnostics.hpp"
#include "base/text_format.hpp"
#include "mechanics/contacts/near_pairs.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using mechanics::Ball;

std::vector<std::array<int, 2>> findAllPairs(const std::vector<Ball>& balls, double margin) {
  std::vector<std::array<int, 2>> pairs;
  for (int i = 0; i < static_cast<int>(balls.size()); ++i) {
    for (int j = i + 1; j < static_cast<int>(balls.size()); ++j) {
      const double gap = (balls[i].centre - balls[j].centre).norm() - balls[i].radius;
      if (gap < balls[j].radius + margin) pairs.push_back({i, j});
    }
  }
  return pairs;
}

TEST(NearPairs, AreThoseOfASearchAmongAll) {
  std::mt19937 generator(3);
  for (const double unit : {1e-12, 1.0, 1e12}) {
    for (const int count : {2, 3, 40, 300}) {
      std::uniform_real_distribution<double> place(-1.0, 1.0), size(0.01, 0.15);
      std::vector<Ball> balls;
      for (int i = 0; i < count; ++i) {
        const math::Vec3<double> centre(place(generator), place(generator), place(generator));
        balls.push_back({unit * centre, unit * size(generator)});
      }
      // One that is far away, and cells that many of them share.
      balls.back().centre *= 1e9;
      const auto found = mechanics::findNearPairs(balls, 0.05 * unit);
      EXPECT_EQ(found, findAllPairs(balls, 0.05 * unit)) << unit << " " << count;
    }
  }
}

TEST(NearPairs, AreFoundWhereNothingHasASize) {
  const std::vector<Ball> balls{{{0.0, 0.0, 0.0}, 1.0}, {{0.0, 0.0, 0.0}, 1.0}};
  EXPECT_EQ(mechanics::findNearPairs(balls, 0.0).size(), 1u);
  EXPECT_TRUE(mechanics::findNearPairs({}, 1.0).empty());
}

const std::string kLaw = "stiffness: 1e5, exponent: 1.5, damping: 0.5, friction: 0.3";

// Two balls that are thrown at each other on a floor, with spin.
const std::string kTwoBalls = R"(
gravity: [0, 0, -9.81]
nodes:
  a: {position: [0, 0, 0.0105], velocity: [1, 0.1, 0], angular_velocity: [3, 20, -5]}
  b: {position: [0.04, 0.004, 0.02], velocity: [-0.2, 0, -0.3]}
bodies:
  a: {node: a, mass: 0.01, inertia: [4e-7, 4e-7, 4e-7]}
  b: {node: b, mass: 0.02, inertia: [9e-7, 9e-7, 9e-7]}
sensors:
  pa: {measure: position, node: a}
  pb: {measure: position, node: b}
  wb: {measure: angular_velocity, node: b}
)";

// A group does what its contacts do one by one, although its pairs come and go.
TEST(SphereGroup, MovesAsSingleContactsDo) {
  const std::string outputs = "pa, pb, wb", time = "end: 0.25, step: 0.1 ms";
  const ModelRun group = runModel(kTwoBalls + R"(
contacts: {pile: {type: spheres, nodes: [a, b], radius: [10 mm, 12 mm], walls: {floor: {normal: [0, 0, 1]}}, )" +
                                      kLaw + "}}\n",
                                  outputs, time);
  const ModelRun single = runModel(kTwoBalls + R"(
contacts:
  ab: {type: sphere_sphere, first: {node: a, radius: 10 mm}, second: {node: b, radius: 12 mm}, )" +
                                       kLaw + R"(}
  a: {type: sphere_plane, node: a, radius: 10 mm, plane: {normal: [0, 0, 1]}, )" +
                                       kLaw + R"(}
  b: {type: sphere_plane, node: b, radius: 12 mm, plane: {normal: [0, 0, 1]}, )" +
                                       kLaw + "}\n",
                                   outputs, time);
  ASSERT_EQ(group.times(), single.times());
  for (const char* output : {"pa.x", "pa.y", "pa.z", "pb.x", "pb.y", "pb.z"}) {
    for (std::size_t i = 0; i < group.times().size(); ++i) {
      ASSERT_NEAR(group.column(output)[i], single.column(output)[i], 1e-9) << output << " " << i;
    }
  }
  EXPECT_NEAR(group.last("wb.y"), single.last("wb.y"), 1e-5);
  EXPECT_GT(std::abs(single.last("wb.y")), 1.0);
}

// The pile of J7: a grid of marbles over a box. The damping gives a restitution of 0.2 at 0.8 m/s (J2.2).
std::string placeSpheres(int across, int layers, double half = 0.05, double damping = 6.0) {
  std::string nodes = "nodes:\n", bodies = "bodies:\n", names;
  constexpr double kMass = 0.010471975512, kInertia = 0.4 * kMass * 1e-4, kSpacing = 0.022;
  int count = 0;
  // Balls that stand on each other exactly never fall.
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> jitter(-0.0009, 0.0009);
  for (int k = 0; k < layers; ++k) {
    for (int j = 0; j < across; ++j) {
      for (int i = 0; i < across; ++i) {
        const std::string name = "s" + std::to_string(++count);
        const double x = kSpacing * (i - 0.5 * (across - 1)) + 0.001 + jitter(generator);
        const double y = kSpacing * (j - 0.5 * (across - 1)) + 0.002 + jitter(generator);
        nodes += base::formatText("  %s: [%.17g, %.17g, %.17g]\n", name.c_str(), x, y,
                                  0.04 + kSpacing * k);
        bodies +=
            base::formatText("  %s: {node: %s, mass: %.17g, inertia: [%.17g, %.17g, %.17g]}\n",
                             name.c_str(), name.c_str(), kMass, kInertia, kInertia, kInertia);
        names += (count > 1 ? ", " : "") + name;
      }
    }
  }
  return "gravity: [0, 0, -9.81]\n" + nodes + bodies + R"(contacts:
  pile:
    type: spheres
    nodes: [)" +
         names + R"(]
    radius: 10 mm
    stiffness: 1e5
    friction: 0.3
)" +
         base::formatText(R"(    damping: %.17g
    walls:
      floor: {normal: [0, 0, 1]}
      left: {at: [%.17g, 0, 0], normal: [1, 0, 0], friction: 0}
      right: {at: [%.17g, 0, 0], normal: [-1, 0, 0], friction: 0}
      front: {at: [0, %.17g, 0], normal: [0, 1, 0], friction: 0}
      back: {at: [0, %.17g, 0], normal: [0, -1, 0], friction: 0}
)",
                          damping, -half, half, -half, half) +
         R"(sensors:
  floor: {measure: wall_force, contact: pile, wall: floor}
  walls: {measure: wall_force, contact: pile}
  pressing: {measure: normal_force, contact: pile}
  rubbing: {measure: friction_force, contact: pile}
  deepest: {measure: penetration, contact: pile}
  energy: {measure: energy}
)";
}

const std::string kPileOutputs = "floor, walls, pressing, rubbing, deepest, energy";

// Same input, same bits, and another order of the nodes changes round-off only before spheres meet.
TEST(SphereGroup, GivesTheSameBitsTwice) {
  const std::string text = placeSpheres(3, 2);
  const ModelRun first = runModel(text, kPileOutputs, "end: 0.2, step: 0.5 ms");
  const ModelRun again = runModel(text, kPileOutputs, "end: 0.2, step: 0.5 ms");
  EXPECT_EQ(first.column("pressing"), again.column("pressing"));
  EXPECT_EQ(first.lastState.records, again.lastState.records);
  EXPECT_EQ(first.lastState.history, again.lastState.history);
  EXPECT_GT(*std::max_element(first.column("deepest").begin(), first.column("deepest").end()), 0.0);
}

class Keeper final : public analysis::Observer {
 public:
  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>&) override { last = state; }
  bool onStep(double) override { return true; }
  void onCheckpoint(const analysis::RunPoint& given) override { point = given; }

  system::State last;
  std::optional<analysis::RunPoint> point;
};

// From a checkpoint between two lists a run goes on with the same bits.
TEST(SphereGroup, ContinuesFromACheckpoint) {
  const model::Model model =
      buildModel(placeSpheres(3, 2) + "analysis: {time: {end: 0.15, step: 0.5 ms}}\n");
  const analysis::RunPlan plan{nullptr, {0.11}};
  Keeper whole, rest;
  ASSERT_TRUE(analysis::runTime(model, *model.time(), whole, plan).ok());
  ASSERT_TRUE(whole.point.has_value());
  ASSERT_TRUE(analysis::runTime(model, *model.time(), rest, {&*whole.point, {}}).ok());
  EXPECT_TRUE(rest.last == whole.last);
  EXPECT_FALSE(whole.last.records == model.start().records);
  analysis::RunPoint broken = *whole.point;
  broken.state.records.back().back() = 1e9;
  Keeper none;
  EXPECT_THROW(static_cast<void>(analysis::runTime(model, *model.time(), none, {&broken, {}})),
               base::InputError);
}

// J7: a pile that has come to rest.
void checkPile(const ModelRun& run, int spheres) {
  const double weight = spheres * 0.010471975512 * 9.81;
  EXPECT_NEAR(run.last("floor.z"), -weight, 1e-6 * weight);
  EXPECT_NEAR(run.last("walls.x"), 0.0, 1e-6 * weight);
  EXPECT_NEAR(run.last("walls.y"), 0.0, 1e-6 * weight);
  EXPECT_LE(run.last("rubbing"), 0.3 * run.last("pressing") * (1.0 + 1e-9));
  EXPECT_LT(run.last("energy.kinetic"), 1e-9);
  const auto& frames = run.lastState.frames;
  double height = 0.0, lowest = 1.0;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    EXPECT_LT(std::abs(frames[i].x[0]), 0.05);
    EXPECT_LT(std::abs(frames[i].x[1]), 0.05);
    lowest = std::min(lowest, frames[i].x[2]);
    height += frames[i].x[2] / spheres;
  }
  EXPECT_GT(lowest, 0.0095);
  EXPECT_LT(lowest, 0.01);
  EXPECT_LT(height, 0.035);
  // Of bodies alone: what contacts store is given back, and nothing else is gained.
  const auto& energy = run.column("energy.total");
  EXPECT_LT(energy.back(), energy.front());
  EXPECT_LE(*std::max_element(energy.begin(), energy.end()), energy.front() * (1.0 + 1e-9));
}

// What the floor has given is the weight in that time and the momentum that is left.
TEST(SphereGroup, KeepsMomentumAndLosesEnergy) {
  constexpr int kSpheres = 18;
  constexpr double kMass = 0.010471975512, kWeight = kSpheres * kMass * 9.81;
  const ModelRun run = runModel(placeSpheres(3, 2), kPileOutputs, "end: 0.3, step: 0.5 ms");
  const auto& time = run.times();
  const auto& floor = run.column("floor.z");
  double impulse = 0.0;
  for (std::size_t i = 1; i < time.size(); ++i) {
    impulse -= 0.5 * (floor[i] + floor[i - 1]) * (time[i] - time[i - 1]);
  }
  double momentum = 0.0, lowest = 1.0;
  for (int i = 1; i <= kSpheres; ++i) {
    const auto& frame = run.lastState.frames[i];
    const math::Vec3<double> velocity = run.lastState.rate.segment<3>(6 * (i - 1));
    momentum += kMass * (frame.R * velocity).z();
    lowest = std::min(lowest, frame.x.z());
    EXPECT_LT(std::max(std::abs(frame.x.x()), std::abs(frame.x.y())), 0.05);
  }
  EXPECT_NEAR(impulse, kWeight * 0.3 + momentum, 1e-3 * kWeight * 0.3);
  EXPECT_GT(lowest, 0.009);
  const auto& energy = run.column("energy.total");
  EXPECT_LT(energy.back(), 0.6 * energy.front());
  EXPECT_LE(*std::max_element(energy.begin(), energy.end()), energy.front() * (1.0 + 1e-9));
}

TEST(SphereGroupSlow, Pile48ComesToRest) {
  const ModelRun run =
      runModel(placeSpheres(4, 3), kPileOutputs, "end: 6, step: 0.5 ms, record: {interval: 20 ms}");
  checkPile(run, 48);
}

// Dropped into a box, 216 spheres settle: what still rolls has a ten-millionth of the energy at the start. None falls through, energy
// falls all the time, and a second run has the same bits.
TEST(SphereGroupSlow, Pile216Settles) {
  constexpr int kSpheres = 216;
  constexpr double kHalf = 0.07, kWeight = kSpheres * 0.010471975512 * 9.81;
  const std::string text = placeSpheres(6, 6, kHalf, 20.0);
  const ModelRun run = runModel(text, kPileOutputs, "end: 4, step: 0.5 ms");
  EXPECT_LT(run.last("energy.kinetic"), 1e-7 * run.column("energy.total").front());
  EXPECT_NEAR(run.last("floor.z"), -kWeight, 1e-5 * kWeight);
  for (int i = 1; i <= kSpheres; ++i) {
    const auto& x = run.lastState.frames[i].x;
    EXPECT_LT(std::max(std::abs(x[0]), std::abs(x[1])), kHalf) << i;
    EXPECT_GT(x[2], 0.009) << i;
  }
  const auto& energy = run.column("energy.total");
  // Beyond the tolerance of the iteration, 1e-6, energy never rises.
  for (std::size_t i = 1; i < energy.size(); ++i) {
    ASSERT_LE(energy[i], energy[i - 1] + 1e-6 * energy.front()) << run.times()[i];
  }
  const std::string second = "end: 1, step: 0.5 ms";
  const ModelRun once = runModel(text, kPileOutputs, second),
                 again = runModel(text, kPileOutputs, second);
  EXPECT_EQ(once.lastState.records, again.lastState.records);
  EXPECT_EQ(once.lastState.history, again.lastState.history);
}

// One disc on two that just touch each other on the floor: it stands on half of its weight each, which pushes the lower ones apart.
TEST(SphereGroup, CarriesATriangleByFriction) {
  const double low = 0.01, high = low * (1.0 + std::sqrt(3.0)), side = 0.01;
  const std::string text = base::formatText(R"(
gravity: [0, 0, -9.81]
nodes:
  a: {position: [%.17g, 0, %.17g], free: [x, z, ry]}
  b: {position: [%.17g, 0, %.17g], free: [x, z, ry]}
  c: {position: [0, 0, %.17g], free: [x, z, ry]}
bodies:
  a: {node: a, mass: 1, inertia: [4e-5, 4e-5, 4e-5]}
  b: {node: b, mass: 1, inertia: [4e-5, 4e-5, 4e-5]}
  c: {node: c, mass: 1, inertia: [4e-5, 4e-5, 4e-5]}
contacts:
  pile: {type: spheres, nodes: [a, b, c], radius: 10 mm, stiffness: 1e11, damping: 500, friction: 0.4, walls: {floor: {normal: [0, 0, 1]}}}
sensors:
  floor: {measure: wall_force, contact: pile}
  pressing: {measure: normal_force, contact: pile}
  rubbing: {measure: friction_force, contact: pile}
  stuck: {measure: sticking, contact: pile}
  z: {measure: position, node: c, direction: [0, 0, 1]}
)",
                                            -side, low, side, low, high);
  const ModelRun run =
      runModel(text, "floor, pressing, rubbing, stuck, z", "end: 0.02, step: 5 us");
  constexpr double kWeight = 9.81;
  EXPECT_NEAR(run.last("floor.z"), -3.0 * kWeight, 1e-4 * kWeight);
  EXPECT_NEAR(run.last("floor.x"), 0.0, 1e-6 * kWeight);
  EXPECT_NEAR(run.last("z"), high, 1e-6);
  EXPECT_EQ(run.last("stuck"), 1.0);
  // Floor 2 × 1.5 m g, sides 2 × 0.5 m g; friction 0.133974596216 m g at each of the four.
  EXPECT_NEAR(run.last("pressing"), 4.0 * kWeight, 1e-3 * kWeight);
  EXPECT_NEAR(run.last("rubbing"), 4.0 * 0.133974596216 * kWeight, 1e-3 * kWeight);
}

TEST(SphereGroup, NamesWhatIsWrong) {
  const auto complaintAbout = [](const std::string& contact) {
    return mistakesOf(R"(
nodes: {a: [0, 0, 1], b: [0, 0, 3], c: [0, 0.5, 3]}
bodies: {a: {node: a, mass: 1, inertia: [1, 1, 1]}, b: {node: b, mass: 1, inertia: [1, 1, 1]}, c: {node: c, mass: 1, inertia: [1, 1, 1]}}
contacts: {pile: {type: spheres, )" +
                      contact + "}}\n");
  };
  const std::string good = "nodes: [a, b], radius: 0.5, stiffness: 1e6";
  EXPECT_EQ(complaintAbout(good), "");
  const auto expectTold = [&](const std::string& contact, const std::string& words) {
    const std::string said = complaintAbout(contact);
    EXPECT_NE(said.find(words), std::string::npos) << contact << "\n" << said;
    EXPECT_NE(said.find("m.yaml:"), std::string::npos) << said;
  };
  expectTold("nodes: [a, a], radius: 0.5, stiffness: 1e6", "the node 'a' is listed twice");
  expectTold("nodes: [a, b], radius: [0.5, 0.4, 0.3], stiffness: 1e6", "2 nodes and 3 radii");
  expectTold("nodes: [a, b], radius: -1, stiffness: 1e6", "radius");
  expectTold("nodes: [a, q], radius: 1, stiffness: 1e6", "q");
  expectTold("nodes: [b, c], radius: 0.6, stiffness: 1e6", "the spheres of 'b' and 'c' overlap");
  expectTold(good + ", friction: -0.3", "friction");
  expectTold(good + ", exponent: 1", "the exponent of many spheres is less than 1.5");
  expectTold("nodes: [a, b], radius: 0.5, table: {depth: [0, 1], force: [0, 1]}",
             "cannot be a table");
  expectTold(good + ", walls: {floor: {at: [0, 0, 2], normal: [0, 0, 1]}}",
             "overlaps the wall 'floor'");
  expectTold(good + ", walls: {lid: {node: a, at: [0, 0, 9], normal: [0, 0, -1]}}",
             "belongs to the node 'a'");
  expectTold("nodes: [a, b], radius: 0.5", "the stiffness of the contact is missing");
}

}  // namespace
}  // namespace flexloop::test
