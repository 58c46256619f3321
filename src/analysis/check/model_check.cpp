#include "analysis/check/model_check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/check/model_findings.hpp"
#include "solve/prepared_machine.hpp"
#include "system/switching.hpp"

namespace flexloop::analysis {
namespace {

using math::Vec3;
using system::Kind;

// The kinetic energy as if everything moved as one rigid body with the velocity v of the origin and
// the angular velocity omega; held nodes too.
class RigidMotion {
 public:
  RigidMotion(const system::System& system, const system::State& state)
      : system_(system), still_(Eigen::VectorXd::Zero(system.unknowns())) {
    motion_.nodes.resize(state.frames.size());
    for (std::size_t i = 0; i < state.frames.size(); ++i) {
      motion_.nodes[i].frame = state.frames[i];
      motion_.nodes[i].twistRate.setZero();
    }
    motion_.value = state.value.data();
    motion_.rate = motion_.acceleration = still_.data();
    motion_.history = state.history.data();
    motion_.records = state.records.data();
  }

  double calcEnergy(const Vec3<double>& v, const Vec3<double>& omega) {
    for (system::NodeMotion& node : motion_.nodes) {
      const auto& frame = node.frame;
      node.twist.head<3>() = frame.R.transpose() * (v + math::cross<double>(omega, frame.x));
      node.twist.tail<3>() = frame.R.transpose() * omega;
    }
    system::Energy sum;
    for (const auto& [energy, elements] : system_.roles().energetic) {
      for (int e = 0; e < elements; ++e) sum += energy->energy(motion_, {}, e);
    }
    return sum.kinetic;
  }

 private:
  const system::System& system_;
  Eigen::VectorXd still_;
  system::Motion motion_;
};

}  // namespace

// With T(v, ω) = ½ m v² + m v·(ω × c) + ½ ωᵀJ₀ω all properties follow from a few energies.
MassProperties calcMassProperties(const system::System& system, const system::State& state) {
  RigidMotion motion(system, state);
  const Vec3<double> zero = Vec3<double>::Zero();
  MassProperties result;
  result.mass = 2.0 * motion.calcEnergy(Vec3<double>::UnitX(), zero);
  if (result.mass <= 0.0) return result;
  Vec3<double> moments;  // ½ J₀ of each axis
  for (int i = 0; i < 3; ++i) moments[i] = motion.calcEnergy(zero, Vec3<double>::Unit(i));
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    // e_k·(e_i × c) is c_j. With a speed of the size of ω × c nothing is lost in machines of any size.
    const double speed = std::sqrt(2.0 * moments[i] / result.mass);
    const auto energyWith = [&](double v) {
      return motion.calcEnergy(v * Vec3<double>::Unit(k), Vec3<double>::Unit(i));
    };
    if (speed > 0.0) {
      result.centre[j] = (energyWith(speed) - energyWith(-speed)) / (2.0 * result.mass * speed);
    }
    const double mixed = motion.calcEnergy(zero, Vec3<double>::Unit(i) + Vec3<double>::Unit(j));
    result.inertia(i, i) = 2.0 * moments[i];
    result.inertia(i, j) = result.inertia(j, i) = mixed - moments[i] - moments[j];
  }
  const Vec3<double>& c = result.centre;
  result.inertia -= result.mass * (c.dot(c) * math::Mat3<double>::Identity() - c * c.transpose());
  return result;
}

namespace {

// Constraints that come and go are open before anything has been decided: they are no redundant ones.
void leaveOutSwitches(const system::System& system, CheckReport& report) {
  for (const system::Switch& s : system::findSwitches(system)) {
    for (const system::UnknownIndex row :
         {s.set->multiplier(s.index), s.set->secondMultiplier(s.index)}) {
      const std::vector<std::string> alone{system.equationName(row)};
      report.constraints -= static_cast<int>(std::erase(report.redundantGroups, alone));
    }
  }
}

}  // namespace

CheckReport checkModel(const model::Model& model, const system::Registry& registry) {
  const system::System& system = model.system();
  CheckReport report;
  for (const system::Item& item : model.description().items) {
    if (item.facts().isBox) report.boxes.push_back(item.name());
    const auto section =
        std::find_if(report.items.begin(), report.items.end(),
                     [&](const auto& entry) { return entry.first == item.section(); });
    if (section == report.items.end()) {
      report.items.push_back({item.section(), {item.name()}});
    } else {
      section->second.push_back(item.name());
    }
  }
  report.nodes = static_cast<int>(system.nodes().size()) - 1;
  for (const auto& set : system.sets()) {
    report.elements.emplace_back(std::string(set->type()), set->size());
  }
  const auto count = [&](Kind kind) {
    return static_cast<int>(std::count(system.kinds().begin(), system.kinds().end(), kind));
  };
  const auto redundancy = model.borrowMachine()->redundancy(system.start());
  report.freedoms = redundancy->freedoms;
  report.constraints = redundancy->constraints;
  report.independentConstraints = redundancy->rank;
  report.redundantGroups = redundancy->groups;
  leaveOutSwitches(system, report);
  report.states = count(Kind::kState);
  report.signals = count(Kind::kSignal);
  report.mass = calcMassProperties(system, system.start());
  report.hasDrives = hasDrives(model.description());
  report.findings = findDoubts(model, registry, report.mobility());
  return report;
}

}  // namespace flexloop::analysis
