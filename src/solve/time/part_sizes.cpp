#include "solve/time/part_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "solve/machine_size.hpp"

namespace flexloop::solve {
namespace {

using system::Kind;
using system::Node;
using system::UnknownIndex;

// An acceleration that moves a part in a step by this share of its size is none.
constexpr double kTinyMove = 1e-15;
// Nominal steps in which a size halves that nothing renews. Where an acceleration passes zero a guess errs by less.
constexpr double kFadingSteps = 8.0;
// Rotations move a part over its size: neither is judged as if it were alone.
constexpr double kOther = 0.1;

double calcRootMean(double squares, int count) {
  return count > 0 ? std::sqrt(squares / count) : 0.0;
}

}  // namespace

PartSizes::PartSizes(const system::System& system, std::vector<int> parts)
    : system_(&system), part_(std::move(parts)) {
  int count = 0;
  for (const int part : part_) count = std::max(count, part + 1);
  sizes_.resize(count);
  what_.resize(part_.size(), What::kNothing);
  for (int u = 0; u < static_cast<int>(part_.size()); ++u) {
    if (part_[u] < 0) continue;
    const bool isForce = system.kinds()[u] == Kind::kMultiplier;
    const bool isTurn = !isForce && system.isRotation(UnknownIndex{u});
    what_[u] = isForce ? What::kForce : isTurn ? What::kTurn : What::kMove;
    PartSize& size = sizes_[part_[u]];
    ++(isForce ? size.forces : isTurn ? size.rotations : size.translations);
  }
  sums_ = sizes_;
}

// A machine in one part reaches as far as the nodes that hold it.
void PartSizes::raiseLengths(const system::State& state) {
  for (std::size_t i = 0; i < state.frames.size(); ++i) {
    const Node& node = system_->nodes()[i];
    const double distance = state.frames[i].x.norm();
    if (node.count > 0) {
      double& length = sizes_[part_[node.firstUnknown]].length;
      length = std::max(length, distance);
    } else if (count() == 1) {
      sizes_.front().length = std::max(sizes_.front().length, distance);
    }
  }
}

void PartSizes::measure(const system::State& state, const linalg::SparseMatrix& M) {
  std::vector<double> moves(sizes_.size(), 0.0), turns(sizes_.size(), 0.0);
  std::vector<int> moving(sizes_.size(), 0), turning(sizes_.size(), 0);
  for (PartSize& size : sizes_) size.length = 0.0;
  for (const Node& node : system_->nodes()) {
    if (node.count == 0) continue;
    double mass = 0.0, inertia = 0.0;
    const int p = part_[node.firstUnknown];
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      const bool isTurn = system_->isRotation(UnknownIndex{u});
      const double m = M.coeff(u, u);
      double& largest = isTurn ? inertia : mass;
      largest = std::max(largest, m);
      if (m <= 0.0) continue;
      (isTurn ? turns : moves)[p] += m;
      ++(isTurn ? turning : moving)[p];
    }
    if (mass > 0.0) sizes_[p].length = std::max(sizes_[p].length, std::sqrt(inertia / mass));
  }
  raiseLengths(state);
  const double machine = findMachineSize(*system_, state, M);
  for (int p = 0; p < count(); ++p) {
    PartSize& size = sizes_[p];
    if (!(size.length > 0.0)) size.length = machine;
    if (moving[p] > 0) {
      size.mass = moves[p] / moving[p];
    } else if (turning[p] > 0) {
      size.mass = turns[p] / turning[p] / (size.length * size.length);
    }
  }
}

std::vector<double> PartSizes::findLargestMoves(const Eigen::VectorXd& moves) const {
  std::vector<double> largest;
  findLargestMoves(moves, largest);
  return largest;
}

void PartSizes::findLargestMoves(const Eigen::VectorXd& moves, std::vector<double>& largest) const {
  largest.assign(sizes_.size(), 0.0);
  for (int u = 0; u < static_cast<int>(part_.size()); ++u) {
    if (what_[u] != What::kMove && what_[u] != What::kTurn) continue;
    const double arm = what_[u] == What::kTurn ? 1.0 : of(u).length;
    const double move = std::isfinite(moves[u]) ? std::abs(moves[u]) / arm
                                                : std::numeric_limits<double>::infinity();
    largest[part_[u]] = std::max(largest[part_[u]], move);
  }
}

std::vector<double> PartSizes::calcMeanInertias(const linalg::SparseMatrix& M) const {
  std::vector<double> sums(sizes_.size(), 0.0);
  std::vector<int> counts(sizes_.size(), 0);
  for (int u = 0; u < static_cast<int>(part_.size()); ++u) {
    const double inertia = what_[u] == What::kTurn ? M.coeff(u, u) : 0.0;
    if (inertia <= 0.0) continue;
    sums[part_[u]] += inertia;
    ++counts[part_[u]];
  }
  for (std::size_t p = 0; p < sums.size(); ++p) sums[p] /= std::max(counts[p], 1);
  return sums;
}

void PartSizes::raise(const system::State& state, const Eigen::VectorXd& acceleration,
                      const Eigen::VectorXd& gradient, double step, double forceShare,
                      double kept) {
  for (PartSize& sum : sums_) sum.translation = sum.rotation = sum.force = 0.0;
  for (int u = 0; u < static_cast<int>(part_.size()); ++u) {
    const double a = acceleration[u], force = gradient[u] * state.value[u];
    if (what_[u] == What::kMove) sums_[part_[u]].translation += a * a;
    if (what_[u] == What::kTurn) sums_[part_[u]].rotation += a * a;
    if (what_[u] == What::kForce) sums_[part_[u]].force += force * force;
  }
  raiseLengths(state);
  const double gravity = system_->gravity().norm();
  const double faded = std::pow(kept, 1.0 / kFadingSteps);
  for (int p = 0; p < count(); ++p) {
    PartSize& size = sizes_[p];
    const PartSize& sum = sums_[p];
    const double moves = std::max({gravity, kTinyMove * size.length / (step * step),
                                   calcRootMean(sum.translation, size.translations)});
    const double turns = calcRootMean(sum.rotation, size.rotations);
    const auto include = [&](double before, double& translation, double& rotation) {
      translation = std::max(before * translation, moves);
      rotation = std::max({before * rotation, turns, kOther * translation / size.length});
      translation = std::max(translation, kOther * rotation * size.length);
    };
    include(faded, size.translation, size.rotation);
    include(kept, size.recentTranslation, size.recentRotation);
    size.force = std::max({faded * size.force, calcRootMean(sum.force, size.forces),
                           forceShare * size.mass * size.translation});
  }
}

Eigen::VectorXd PartSizes::lengths() const {
  double largest = 0.0;
  for (const PartSize& size : sizes_) largest = std::max(largest, size.length);
  Eigen::VectorXd lengths =
      Eigen::VectorXd::Constant(static_cast<Eigen::Index>(part_.size()), largest);
  for (int u = 0; u < lengths.size(); ++u) {
    if (part_[u] >= 0) lengths[u] = sizes_[part_[u]].length;
  }
  return lengths;
}

void PartSizes::takeBack(const std::vector<PartSize>& sizes) {
  const bool areOwn = std::equal(sizes.begin(), sizes.end(), sizes_.begin(), sizes_.end(),
                                 [](const PartSize& a, const PartSize& b) {
                                   return a.translations == b.translations &&
                                          a.rotations == b.rotations && a.forces == b.forces;
                                 });
  if (!areOwn) throw std::invalid_argument("the parts of another machine");
  sizes_ = sizes;
}

}  // namespace flexloop::solve
