#include "linalg/roots/motion_units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

#include "base/disjoint_sets.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::VectorXd;

// Couplings of motions below this say nothing about units: log2 of a_ij a_ji/(a_ii a_jj), which is a quarter to a
// sixteenth between neighbours of a mesh.
constexpr double kWeakest = -20.0;

enum class Kind : std::uint8_t { kMotions, kForce, kSignal };

// Two unknowns, and how strongly they are coupled: log2 of a_ij a_ji/(a_ii a_jj), and of a_ij/a_ji.
struct Coupling {
  int first = 0, second = 0;
  Kind kind = Kind::kMotions;
  double strength = 0.0, asymmetry = 0.0;
};

class MotionUnits {
 public:
  MotionUnits(const std::vector<PencilEntry>& entries, PencilUnits& units)
      : units_(units),
        raw_{VectorXd::Zero(units.rows.size()), VectorXd::Zero(units.rows.size()), units.rate},
        isMotion_(units.rows.size(), false),
        diagonal_(VectorXd::Constant(units.rows.size(), -INFINITY)) {
    for (const PencilEntry& entry : entries) {
      if (entry.row != entry.column) continue;
      double& largest = diagonal_[entry.row];
      largest = std::max(largest, raw_.sizeOf(entry));
      if (entry.power == 2.0F) isMotion_[entry.row] = true;
    }
    findCouplings(entries);
    compareWithStrongest();
  }

  std::vector<bool> set() {
    const VectorXd asymmetry = findAsymmetry();
    for (int i = 0; i < size(); ++i) {
      if (!isMotion_[i]) continue;
      units_.rows[i] = -0.5 * (diagonal_[i] + asymmetry[i]);
      units_.columns[i] = -0.5 * (diagonal_[i] - asymmetry[i]);
    }
    return isMotion_;
  }

 private:
  int size() const { return static_cast<int>(isMotion_.size()); }
  void findCouplings(const std::vector<PencilEntry>& entries);
  void add(int first, int second, double upper, double lower);
  void compareWithStrongest();
  VectorXd findAsymmetry();
  void centre(const std::vector<int>& members, VectorXd& asymmetry) const;

  PencilUnits& units_;
  PencilUnits raw_;  // those of the pencil itself, but for the rate
  std::vector<bool> isMotion_;
  VectorXd diagonal_;
  std::vector<Coupling> couplings_;
};

// Of entries that have a counterpart on the other side of the diagonal, with a motion at least at one end.
void MotionUnits::findCouplings(const std::vector<PencilEntry>& entries) {
  struct OfPair {
    int first, second;
    bool isUpper;
    double size;
  };
  std::vector<OfPair> pairs;
  for (const PencilEntry& entry : entries) {
    if (entry.row == entry.column || !(isMotion_[entry.row] || isMotion_[entry.column])) continue;
    const auto [first, second] = std::minmax(entry.row, entry.column);
    pairs.push_back({first, second, entry.row < entry.column, raw_.sizeOf(entry)});
  }
  std::sort(pairs.begin(), pairs.end(), [](const OfPair& a, const OfPair& b) {
    return std::tie(a.first, a.second) < std::tie(b.first, b.second);
  });
  for (std::size_t k = 0; k < pairs.size();) {
    const int first = pairs[k].first, second = pairs[k].second;
    double upper = -INFINITY, lower = -INFINITY;
    for (; k < pairs.size() && pairs[k].first == first && pairs[k].second == second; ++k) {
      double& largest = pairs[k].isUpper ? upper : lower;
      largest = std::max(largest, pairs[k].size);
    }
    if (std::isfinite(upper) && std::isfinite(lower)) add(first, second, upper, lower);
  }
}

void MotionUnits::add(int first, int second, double upper, double lower) {
  Kind kind = Kind::kMotions;
  double strength = upper + lower;
  for (const int i : {first, second}) {
    if (isMotion_[i]) {
      strength -= diagonal_[i];
    } else {
      kind = std::isfinite(diagonal_[i]) ? Kind::kSignal : Kind::kForce;
    }
  }
  if (kind == Kind::kMotions && strength < kWeakest) return;
  couplings_.push_back({first, second, kind, strength, upper - lower});
}

// The size of what is no motion says nothing: its couplings are compared with its strongest one.
void MotionUnits::compareWithStrongest() {
  VectorXd strongest = VectorXd::Constant(size(), -INFINITY);
  const auto other = [&](const Coupling& c) { return isMotion_[c.first] ? c.second : c.first; };
  for (const Coupling& c : couplings_) {
    if (c.kind != Kind::kMotions) strongest[other(c)] = std::max(strongest[other(c)], c.strength);
  }
  for (Coupling& c : couplings_) {
    if (c.kind != Kind::kMotions) c.strength -= strongest[other(c)];
  }
}

// By motion, log2 of the factor by which its row is too large beside its column: along a tree of the strongest couplings,
// those of motions first, then those by forces of joints, and those by signals last, whose gains may be anything.
VectorXd MotionUnits::findAsymmetry() {
  std::stable_sort(couplings_.begin(), couplings_.end(), [](const Coupling& a, const Coupling& b) {
    return std::tuple(a.kind, -a.strength) < std::tuple(b.kind, -b.strength);
  });
  base::DisjointSets sets(size());
  std::vector<std::vector<std::pair<int, double>>> next(size());
  for (const Coupling& c : couplings_) {
    if (!sets.join(c.first, c.second)) continue;
    next[c.first].emplace_back(c.second, -c.asymmetry);
    next[c.second].emplace_back(c.first, c.asymmetry);
  }
  VectorXd asymmetry = VectorXd::Zero(size());
  std::vector<bool> isSeen(size(), false);
  std::vector<int> path, members;
  for (int root = 0; root < size(); ++root) {
    if (!isMotion_[root] || isSeen[root]) continue;
    path = {root};
    members.clear();
    isSeen[root] = true;
    while (!path.empty()) {
      const int i = path.back();
      path.pop_back();
      members.push_back(i);
      for (const auto& [j, change] : next[i]) {
        if (isSeen[j]) continue;
        isSeen[j] = true;
        asymmetry[j] = asymmetry[i] + change;
        path.push_back(j);
      }
    }
    centre(members, asymmetry);
  }
  return asymmetry;
}

// Between motions that nothing couples strongly, the units of the pencil itself decide: its forces are conjugate to its
// motions.
void MotionUnits::centre(const std::vector<int>& members, VectorXd& asymmetry) const {
  double sum = 0.0, count = 0.0;
  for (const int i : members) {
    if (!isMotion_[i]) continue;
    sum += asymmetry[i];
    count += 1.0;
  }
  for (const int i : members) asymmetry[i] -= sum / count;
}

}  // namespace

std::vector<bool> setMotionUnits(const std::vector<PencilEntry>& entries, PencilUnits& units) {
  return MotionUnits(entries, units).set();
}

}  // namespace flexloop::linalg
