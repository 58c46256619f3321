// Joints at the start, as geometry says: what they hold is zero with its first and second time derivatives. Positions, velocities
// and accelerations are those that sensors show. At the end of a run positions are asked once more.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "random/checks.hpp"
#include "random/jet.hpp"
#include "system/assembler.hpp"

namespace flexloop::random {
namespace {

constexpr double kTolerance = 1e-8;  // of the size of positions, velocities and accelerations

std::vector<NodeMotion> readMotion(const Study& study, const model::Model& model,
                                   const Trajectory& run, std::size_t row,
                                   const system::State& state) {
  const Machine& machine = study.machine();
  const std::vector<std::string> names = columnsOf(machine);
  std::vector<NodeMotion> all;
  const Vector3d zero = Vector3d::Zero();
  all.push_back({Matrix3d::Identity(), zero, zero, zero, zero, zero});
  for (std::size_t i = 1; i < machine.nodes.size(); ++i) {
    const auto vector = [&](const char* name) {
      const std::string wanted = name + machine.nodes[i].name + ".x";
      const std::size_t column = std::find(names.begin(), names.end(), wanted) - names.begin();
      return Vector3d(run.columns[column][row], run.columns[column + 1][row],
                      run.columns[column + 2][row]);
    };
    NodeMotion node{Matrix3d::Identity(), vector("x_"), vector("v_"),
                    vector("a_"),         vector("w_"), vector("al_")};
    const auto& nodes = model.system().nodes();
    const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const system::Node& n) {
      return n.name == machine.nodes[i].name;
    });
    node.R = state.frames[found - nodes.begin()].R;
    all.push_back(node);
  }
  return all;
}

// What the joint holds; all are zero.
std::vector<Jet> calcConstraints(const Machine& machine, const JointFacts& joint,
                                 const std::vector<NodeMotion>& motion) {
  const auto fixed = [&](int node, const Vector3d& direction) {
    return motion[node].vector(machine.nodes[node].R.transpose() * direction);
  };
  const auto point = [&](int node, const Vector3d& place) {
    const NodeFacts& facts = machine.nodes[node];
    return motion[node].point(facts.R.transpose() * (place - facts.position));
  };
  const Vector3d axis = joint.axis.normalized();
  const Vector3d across = joint.secondAxis, third = axis.cross(across);
  const VectorJet e1 = fixed(joint.first, axis), s1 = fixed(joint.first, across),
                  t1 = fixed(joint.first, third);
  const VectorJet e2 = fixed(joint.second, axis), s2 = fixed(joint.second, across);
  const VectorJet d = point(joint.second, joint.place) - point(joint.first, joint.place);
  const std::vector<Jet> together{dot(d, e1), dot(d, s1), dot(d, t1)};
  const std::vector<Jet> parallel{dot(e2, s1), dot(e2, t1)};
  const std::vector<Jet> onLine{dot(d, s1), dot(d, t1)};
  const Jet angle = dot(s2, t1);  // its sine
  const auto join = [](std::vector<Jet> a, const std::vector<Jet>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  if (joint.type == "hinge") return join(together, parallel);
  if (joint.type == "slider") return join(join(onLine, parallel), {angle});
  if (joint.type == "cylindrical") return join(onLine, parallel);
  if (joint.type == "universal") return join(together, {dot(e1, s2)});
  if (joint.type == "spherical") return together;
  if (joint.type == "planar") return join({dot(d, e1)}, parallel);
  if (joint.type == "weld") return join(join(together, parallel), {angle});
  if (joint.type == "point_on_line") return onLine;
  if (joint.type == "point_on_plane") return {dot(d, e1)};
  if (joint.type == "screw") {
    Jet thread = dot(d, e1);
    const double lead = joint.pitch / (2.0 * std::numbers::pi);
    thread.value -= lead * angle.value;
    thread.rate -= lead * angle.rate;
    thread.acceleration -= lead * angle.acceleration;
    return join(join(onLine, parallel), {thread});
  }
  const VectorJet rod =
      point(joint.second, joint.place + joint.axis) - point(joint.first, joint.place);
  Jet length = dot(rod, rod);
  length.value -= joint.axis.squaredNorm();
  return {length};
}

void expectZero(const std::string& joint, const char* what, double value, double scale) {
  if (std::abs(value) <= kTolerance * scale) return;
  char text[160];
  std::snprintf(text, sizeof text, "joint %s: %s %.3g of %.3g", joint.c_str(), what, value, scale);
  throw Failure(text);
}

}  // namespace

bool checkStart(Study& study) {
  const Trajectory& run = study.base();
  const model::Model model = study.build({});
  const Machine& machine = study.machine();
  const std::vector<NodeMotion> start = readMotion(study, model, run, 0, run.first);
  const std::vector<NodeMotion> end = readMotion(study, model, run, run.times.size() - 1, run.last);
  const double length = study.scale(kLength), velocity = study.scale(kVelocity);
  const double acceleration = study.scale(kAcceleration);
  for (const JointFacts& joint : machine.joints) {
    for (const Jet& jet : calcConstraints(machine, joint, start)) {
      expectZero(joint.name, "a gap at the start,", jet.value, length);
      expectZero(joint.name, "a rate of the gap at the start,", jet.rate, velocity);
      expectZero(joint.name, "an acceleration of the gap at the start,", jet.acceleration,
                 acceleration);
    }
    if (joint.type == "screw") continue;  // its angle is not that of the start
    for (const Jet& jet : calcConstraints(machine, joint, end)) {
      expectZero(joint.name, "a gap at the end,", jet.value, length);
    }
  }
  system::Assembler assembler(model.system());
  Eigen::VectorXd residual;
  assembler.calcResidual(run.first, residual);
  for (const system::Kind kind : {system::Kind::kMotion, system::Kind::kMultiplier}) {
    double largest = 0.0;
    for (int u = 0; u < residual.size(); ++u) {
      if (model.system().kinds()[u] == kind) largest = std::max(largest, std::abs(residual[u]));
    }
    expectZero("all", "the equations at the start are off by", largest,
               study.scale(kind == system::Kind::kMotion ? kForce : kLength));
  }
  return true;
}

}  // namespace flexloop::random
