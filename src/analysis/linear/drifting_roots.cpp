#include "analysis/linear/drifting_roots.hpp"

#include <algorithm>
#include <cmath>

#include "base/text_format.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/roots/pencil_scaling.hpp"
#include "linalg/roots/root_refinement.hpp"
#include "solve/consistent_accelerations.hpp"

namespace flexloop::analysis {
namespace {

using linalg::Eigenpair;
using linalg::SparseMatrix;
using system::Kind;
using system::Node;
using system::State;

constexpr double kFar = 0.25;      // of a root
constexpr double kStep = 1e-3;     // rad, or by the velocity, that the machine moves on
constexpr int kMostFollowed = 40;  // roots

struct Tangents {
  SparseMatrix K, C, M;
};

Tangents calcTangents(const model::Model& model, const State& state) {
  const solve::MachineLoan machine = model.borrowMachine();
  Tangents tangents;
  Eigen::VectorXd residual;
  machine->assembler().calcResidual(state, residual);
  machine->assembler().calcTangents(state, tangents.K, tangents.C, tangents.M);
  return tangents;
}

// Rates of the body twists, in the unknowns: zero for a machine that turns or travels on steadily.
Eigen::VectorXd findAccelerations(const system::System& system, const State& state) {
  Eigen::VectorXd accelerations = Eigen::VectorXd::Zero(system.unknowns());
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const Node& node = system.nodes()[i];
    if (node.count == 0) continue;
    math::Vec6<double> twist, twistRate;
    system::calcTwist(node, state.frames[i], state.rate.data() + node.firstUnknown,
                      state.acceleration.data() + node.firstUnknown, twist, twistRate);
    accelerations.segment(node.firstUnknown, node.count) =
        system::calcMap(node, state.frames[i]).leftCols(node.count).transpose() * twistRate;
  }
  return accelerations;
}

Eigen::VectorXcd motionsOf(const system::System& system, Eigen::VectorXcd shape) {
  for (int u = 0; u < shape.size(); ++u) {
    if (system.kinds()[u] != Kind::kMotion) shape[u] = 0.0;
  }
  return shape;
}

// Forces turn with a node or do not: Σ |f| |δx| |δθ| + |t| |δθ|² is as much as the stiffness of forces and torques may be.
double calcLoadStiffness(const system::System& system, const Eigen::VectorXd& force,
                         const Eigen::VectorXcd& shape) {
  double sum = 0.0;
  for (const Node& node : system.nodes()) {
    double push = 0.0, torque = 0.0, move = 0.0, turn = 0.0;
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      const bool isRotation = system.isRotation({u});
      (isRotation ? torque : push) += force[u] * force[u];
      (isRotation ? turn : move) += std::norm(shape[u]);
    }
    sum += std::sqrt(push * move * turn) + std::sqrt(torque) * turn;
  }
  return sum;
}

// (18.22)
class AccelerationDrift {
 public:
  AccelerationDrift(const model::Model& model, const State& state)
      : system_(model.system()), accelerations_(findAccelerations(system_, state)) {
    if (isNone()) return;
    tangents_ = calcTangents(model, state);
    forces_ = tangents_.M * accelerations_;
  }

  bool isNone() const { return accelerations_.isZero(0.0); }

  double calc(const LinearModel& linear, const Eigenpair& pair) const {
    const Eigen::VectorXcd z = motionsOf(system_, linear.expansion * pair.vector);
    const double stiffness = calcLoadStiffness(system_, forces_, z);
    if (stiffness == 0.0) return 0.0;
    const std::complex<double> inertia = z.dot((tangents_.M * z).eval());
    const std::complex<double> slope = z.dot((tangents_.C * z).eval()) + 2.0 * pair.value * inertia;
    return std::min(std::sqrt(stiffness / std::abs(inertia)), stiffness / std::abs(slope));
  }

  // Of a machine without a root but zero: the rate of the largest angular acceleration a that its motions z share, (Zᵀ M Z) η = Zᵀ p.
  // A free fall has none but rounding.
  double calcOfZero(const LinearModel& linear, const std::vector<Eigenpair>& pairs) const {
    constexpr double kRounding = 1e-9;
    Eigen::MatrixXd Z(accelerations_.size(), std::ssize(pairs));
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const Eigen::VectorXd z = motionsOf(system_, linear.expansion * pairs[k].vector).real();
      Z.col(static_cast<Eigen::Index>(k)) = z / std::sqrt(z.dot((tangents_.M * z).eval()));
    }
    if (!Z.allFinite()) return 0.0;  // an idle integral
    const Eigen::MatrixXd masses = Z.transpose() * (tangents_.M * Z);
    const Eigen::VectorXd shares =
        linalg::DenseLu<double>(masses).solve(Eigen::MatrixXd(Z.transpose() * forces_));
    const Eigen::VectorXd sum = Z * shares;
    double largest = 0.0, terms = 0.0;
    for (int u = 0; u < sum.size(); ++u) {
      if (system_.kinds()[u] != Kind::kMotion || !system_.isRotation({u})) continue;
      largest = std::max(largest, std::abs(sum[u]));
      terms = std::max(terms, Z.row(u).cwiseAbs().maxCoeff() * shares.cwiseAbs().maxCoeff());
    }
    if (!(largest > kRounding * terms)) return 0.0;
    return std::isfinite(largest) ? std::sqrt(largest) : 0.0;
  }

  // How long it takes the machine to change its velocities by a share of them.
  double findTime(const State& state) const {
    Eigen::VectorXd rate = state.rate;
    for (int u = 0; u < rate.size(); ++u) {
      if (system_.kinds()[u] != Kind::kMotion) rate[u] = 0.0;
    }
    const double energy = rate.dot((tangents_.M * rate).eval());
    const double change = accelerations_.dot(forces_);
    return energy > 0.0 && change > 0.0 ? kStep * std::sqrt(energy / change) : INFINITY;
  }

 private:
  const system::System& system_;
  Eigen::VectorXd accelerations_, forces_;
  Tangents tangents_;
};

double findSlowest(const std::vector<Eigenpair>& pairs) {
  double slowest = INFINITY;
  for (const Eigenpair& pair : pairs) {
    if (pair.value != 0.0) slowest = std::min(slowest, std::abs(pair.value));
  }
  return slowest;
}

// Every node goes on with its twist and its rate of it.
bool moveOn(const model::Model& model, double time, State& state) {
  const system::System& system = model.system();
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const Node& node = system.nodes()[i];
    if (node.count == 0) continue;
    math::Frame<double>& frame = state.frames[i];
    math::Vec6<double> twist, twistRate;
    system::calcTwist(node, frame, state.rate.data() + node.firstUnknown,
                      state.acceleration.data() + node.firstUnknown, twist, twistRate);
    frame = math::compose(frame, math::expSE3<double>(time * (twist + 0.5 * time * twistRate)));
    state.rate.segment(node.firstUnknown, node.count) =
        system::calcMap(node, frame).leftCols(node.count).transpose() * (twist + time * twistRate);
  }
  const solve::MachineLoan machine = model.borrowMachine();
  machine->begin(state);
  return solve::calcAccelerations(*machine, state);
}

// The same root a little later, and how far it has moved.
class FollowedRoots {
 public:
  explicit FollowedRoots(const LinearModel& later)
      : scaling_(linalg::findScalingForPivots(later.pencil, later.delays)),
        pencil_(linalg::applyScaling(later.pencil, scaling_)),
        refinement_(pencil_, linalg::applyScaling(later.delays, scaling_), later.groups) {}

  double findMove(const Eigenpair& pair) {
    Eigenpair scaled{pair.value / scaling_.rate,
                     scaling_.columns.cwiseInverse().asDiagonal() * pair.vector};
    scaled.vector.normalize();
    if (!refinement_.improve(scaled)) return 0.0;
    return std::abs(scaled.value * scaling_.rate - pair.value);
  }

 private:
  linalg::PencilScaling scaling_;
  linalg::QuadraticPencil pencil_;
  linalg::RootRefinement refinement_;
};

// (18.23)
void addVelocityDrift(const model::Model& model, const State& state, const LinearView& view,
                      double time, const LinearModel& linear, const std::vector<Eigenpair>& pairs,
                      std::vector<double>& drifts) {
  State next = state;
  if (!std::isfinite(time) || !moveOn(model, time, next)) return;
  const LinearModel later = linearize(model, next, view);
  if (later.unknowns != linear.unknowns || later.turning.axes != linear.turning.axes) return;
  FollowedRoots followed(later);
  int count = 0;
  for (std::size_t k = 0; k < pairs.size() && count < kMostFollowed; ++k) {
    if (pairs[k].value == 0.0) continue;
    ++count;
    const double drift = followed.findMove(pairs[k]) / time / std::abs(pairs[k].value);
    if (std::isfinite(drift)) drifts[k] = std::max(drifts[k], drift);
  }
}

}  // namespace

std::vector<double> calcDrifts(const model::Model& model, const State& state,
                               const LinearView& view, const LinearModel& linear,
                               const std::vector<Eigenpair>& pairs, bool areOfPencil) {
  std::vector<double> drifts(pairs.size(), 0.0);
  const AccelerationDrift acceleration(model, state);
  if (acceleration.isNone() || pairs.empty()) return drifts;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (pairs[k].value == 0.0) continue;
    const double drift = acceleration.calc(linear, pairs[k]);
    if (std::isfinite(drift)) drifts[k] = drift;
  }
  if (!std::isfinite(findSlowest(pairs))) {
    std::fill(drifts.begin(), drifts.end(), acceleration.calcOfZero(linear, pairs));
    return drifts;
  }
  const double time = acceleration.findTime(state);
  const bool isSteady = linear.turning.isSteady && kStep / time < kStep * findSlowest(pairs);
  if (!areOfPencil || isSteady) return drifts;
  const double turnTime = kStep / linear.turning.speed;  // infinite where nothing turns
  addVelocityDrift(model, state, view, std::min(turnTime, time), linear, pairs, drifts);
  return drifts;
}

std::string describeDrifts(const std::vector<Eigenpair>& pairs, const std::vector<double>& drifts) {
  const double slowest = findSlowest(pairs);
  double worst = 0.0;
  for (std::size_t k = 0; k < drifts.size(); ++k) {
    const double size = std::isfinite(slowest) ? slowest : 0.0;
    if (drifts[k] > 0.0) {
      worst = std::max(worst, drifts[k] / std::max(std::abs(pairs[k].value), size));
    }
  }
  if (!(worst > kFar)) return "";
  return base::formatText(
      "the machine accelerates at this state: its motion changes roots by %s their size within "
      "their own time constants, so they hold for this instant only\n  hint: `--about equilibrium` "
      "and `--about steady` find the roots about rest and steady motion; `flexloop run` shows what "
      "the machine does",
      worst < 10.0 ? base::formatText("up to %.0f %% of", 100.0 * worst).c_str() : "many times");
}

}  // namespace flexloop::analysis
