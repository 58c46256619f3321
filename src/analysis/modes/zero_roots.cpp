#include "analysis/modes/zero_roots.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/least_squares.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/dense/svd.hpp"
#include "linalg/roots/pencil_scaling.hpp"
#include "linalg/roots/root_refinement.hpp"
#include "linalg/roots/shift_invert.hpp"
#include "linalg/roots/zero_structure.hpp"

namespace flexloop::analysis {
namespace {

using linalg::Eigenpair;

constexpr double kBesideZero =
    1e-13;  // by the unit of time, where the vector of zero itself is found
constexpr double kSameVector = 1e-3;
constexpr double kSameShape =
    1e-8;  // what is left of a shape after those before it, in scaled units

constexpr double kFarSlower = 1e-3, kNoResistance = 1e3 * 2.2e-16;
// Uncertainty of a root relative to itself that no root has which rounding has moved away from zero.
constexpr double kCertain = 1e-8;
constexpr double kRealRoot = 1e-11, kSolved = 1e-10;
constexpr double kSameRoot = 1e-6;
constexpr int kMostAtOnce = 1500;  // unknowns of which all roots are found
constexpr int kSpareRoots = 4;     // beyond those that are missing, of which some may be known

// Rounding did not move it from zero, although a motion that only dampers hold has a vector of zero too.
bool isCertain(const Eigenpair& pair) {
  return pair.uncertainty >= 0.0 && pair.uncertainty < kCertain * std::abs(pair.value);
}

void sortBySize(std::vector<Eigenpair>& pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const Eigenpair& a, const Eigenpair& b) {
    return std::abs(a.value) < std::abs(b.value);
  });
}

// From the smallest on; pairs are sorted by size. What rounding may have moved from zero is there.
int countZeroRoots(const std::vector<Eigenpair>& pairs) {
  int count = 0;
  for (const Eigenpair& pair : pairs) {
    if (!linalg::mayBeZero(pair)) break;
    ++count;
  }
  return count;
}

// How far from zero the root may be. Of a double root rounding moves the square.
double findRadius(const Eigenpair& pair) {
  const double size = std::abs(pair.value);
  return size > 0.0 ? std::max(size, std::sqrt(2.0 * size * std::max(pair.uncertainty, 0.0))) : 0.0;
}

// The vectors of roots beside zero differ from those of zero by as much as the roots do.
class ZeroVectors {
 public:
  explicit ZeroVectors(const LinearModel& linear)
      : scaling_(linalg::findScalingForPivots(linear.pencil, linear.delays)),
        pencil_(linalg::applyScaling(linear.pencil, scaling_)),
        delays_(linalg::applyScaling(linear.delays, scaling_)),
        refinement_(pencil_, delays_, linear.groups) {}

  Eigen::VectorXcd scale(const Eigen::VectorXcd& vector) const {
    return (scaling_.columns.cwiseInverse().asDiagonal() * vector).normalized();
  }

  void improve(Eigenpair& pair) {
    const Eigen::VectorXcd scaled = scale(pair.vector);
    const Eigen::VectorXcd better = refinement_.findVector(kBesideZero, 1.0, scaled);
    const double before = linalg::calcResidual(pencil_, delays_, 0.0, scaled);
    pair.value = 0.0;
    pair.residual = before;
    // Of several free motions rounding prefers some; none may turn into another.
    if (std::abs(better.dot(scaled)) < 1.0 - kSameVector) return;
    const double after = linalg::calcResidual(pencil_, delays_, 0.0, better);
    if (!(after < before)) return;
    pair.residual = after;
    pair.vector = (scaling_.columns.asDiagonal() * better).normalized();
  }

  // To rounding, in scaled units.
  bool isUnresisted(const Eigenpair& pair) const {
    return !isCertain(pair) &&
           linalg::calcResidual(pencil_, delays_, 0.0, scale(pair.vector)) <= kNoResistance;
  }

  linalg::ZeroStructure findStructure(const std::vector<int>& groups, int expected) const {
    return linalg::findZeroStructure(pencil_, groups, expected);
  }

  // From an approximation in the units of the machine.
  void refine(Eigenpair& pair) {
    pair.value /= scaling_.rate;
    pair.vector = scale(pair.vector);
    refinement_.improve(pair);
    pair.value *= scaling_.rate;
    pair.uncertainty *= scaling_.rate;
    pair.vector = (scaling_.columns.asDiagonal() * pair.vector).normalized();
  }

  // [1/s]: rounding hides slower roots.
  double calcHidden(const linalg::ZeroStructure& structure) const {
    return structure.resolution * scaling_.rate;
  }

  Eigenpair makePair(const Eigen::VectorXd& scaled, double resolution) const {
    Eigenpair pair{0.0, scaled.cast<std::complex<double>>(), 0.0};
    pair.residual = linalg::calcResidual(pencil_, delays_, 0.0, pair.vector);
    pair.vector = (scaling_.columns.asDiagonal() * pair.vector).normalized();
    pair.uncertainty = resolution * scaling_.rate;
    return pair;
  }

  // Roots that rounding had mixed with zero are slower than all others that are known.
  void addSlow(std::vector<Eigenpair> slow, std::vector<Eigenpair>& pairs) const {
    const std::vector<Eigenpair> known = pairs;
    for (Eigenpair& pair : slow) addSlow(pair, known, pairs);
  }

 private:
  void addSlow(Eigenpair& slow, const std::vector<Eigenpair>& known,
               std::vector<Eigenpair>& pairs) const {
    if (slow.value.imag() < 0.0 || linalg::mayBeZero(slow) || slow.residual > kSolved) return;
    slow.value *= scaling_.rate;
    slow.uncertainty *= scaling_.rate;
    if (std::abs(slow.value.imag()) <= kRealRoot * std::abs(slow.value)) {
      slow.value = slow.value.real();
    }
    const auto isSlower = [&](const Eigenpair& other) {
      return std::abs(other.value) < (1.0 + kSameVector) * std::abs(slow.value);
    };
    if (std::any_of(known.begin(), known.end(), isSlower)) return;
    slow.vector = (scaling_.columns.asDiagonal() * slow.vector).normalized();
    pairs.push_back(slow);
  }

  linalg::PencilScaling scaling_;
  linalg::QuadraticPencil pencil_;
  linalg::DelayTerms delays_;
  linalg::RootRefinement refinement_;
};

// Of the first vectors, those that differ most from each other and make all others.
std::vector<bool> findIndependent(const std::vector<Eigenpair>& pairs, int count,
                                  const ZeroVectors& zero) {
  std::vector<bool> chosen(count, false);
  if (count == 0) return chosen;
  Eigen::MatrixXcd vectors(pairs.front().vector.size(), count);
  for (int i = 0; i < count; ++i) vectors.col(i) = zero.scale(pairs[i].vector);
  const linalg::PivotedQr<std::complex<double>> qr(vectors);
  for (Eigen::Index i = 0; i < qr.rank(kSameShape); ++i) chosen[qr.column(i)] = true;
  return chosen;
}

// By bounds alone: what rounding may have moved from zero is zero.
void mergeByBounds(ZeroVectors& vectors, int zeros, std::vector<Eigenpair>& pairs) {
  const std::vector<bool> isNew = findIndependent(pairs, zeros, vectors);
  std::vector<Eigenpair> kept;
  for (int i = 0; i < static_cast<int>(pairs.size()); ++i) {
    if (i < zeros && !isNew[i]) continue;
    if (i < zeros) {
      pairs[i].uncertainty = findRadius(pairs[i]);
      vectors.improve(pairs[i]);
    }
    kept.push_back(std::move(pairs[i]));
  }
  pairs = std::move(kept);
}

// Roots that may be zero, whatever their own bound says: far slower than others, or with a vector that meets no resistance.
bool mayBeChain(const LinearModel& linear, const Eigenpair& pair, double largest) {
  return linalg::mayBeZero(pair) || std::abs(pair.value) < kFarSlower * largest ||
         (!isCertain(pair) &&
          linalg::calcResidual(linear.pencil, 0.0, pair.vector) <= kNoResistance);
}

int countRoots(const Eigenpair& pair) {
  return pair.value.imag() != 0.0 ? 2 : 1;
}

// How many of the pairs, the smallest first, are roots at zero. Rounding moves those of long chains farther than bounds
// tell; but it does not change how many they are.
int countByStructure(const ZeroVectors& vectors, const linalg::ZeroStructure& structure,
                     int candidates, const std::vector<Eigenpair>& pairs) {
  int count = 0, roots = 0;
  // A search about zero gives each motion once; of all roots single ones may be zero to the last digit.
  const auto exact = std::count_if(pairs.begin(), pairs.end(),
                                   [](const Eigenpair& pair) { return pair.value == 0.0; });
  const bool areMerged = exact >= structure.vectors.cols();
  for (; count < candidates; ++count) {
    const Eigenpair& pair = pairs[count];
    const bool isZero = linalg::mayBeZero(pair) || vectors.isUnresisted(pair) ||
                        (!areMerged && roots < structure.multiplicity);
    if (!isZero) break;
    roots += countRoots(pair);
  }
  return count;
}

int countRoots(const std::vector<Eigenpair>& pairs, int count) {
  int roots = 0;
  for (int i = 0; i < count; ++i) roots += countRoots(pairs[i]);
  return roots;
}

// More roots may be zero by their bounds than the structure has, `zeros`: seen from the fast ones of a stiff machine slow ones
// drown in rounding. They are found again by inverse iteration about zero itself, which gives each motion at zero once. False if
// not all of them are.
bool findSlowRoots(const LinearModel& linear, ZeroVectors& vectors, int doubtful, int zeros,
                   std::vector<Eigenpair>& pairs) {
  // Those of large machines were found so.
  if (linear.pencil.size() > kMostAtOnce) return false;
  int missing = countRoots(pairs, doubtful) - zeros;
  linalg::NearestOptions nearest;
  nearest.count = missing + zeros + kSpareRoots;
  nearest.groups = linear.groups;
  linalg::NearestResult found = linalg::findNearest(linear.pencil, nearest);
  if (!found.converged()) return false;
  std::vector<Eigenpair> known(pairs.begin() + doubtful, pairs.end()), slow;
  for (Eigenpair& pair : found.pairs) {
    if (zeros > 0 && pair.value == 0.0) {
      slow.push_back(std::move(pair));
      continue;
    }
    const auto same = std::find_if(known.begin(), known.end(), [&](const Eigenpair& other) {
      return std::abs(other.value - pair.value) <= kSameRoot * std::abs(pair.value);
    });
    // Of equal roots the vectors that were found together are independent.
    const bool isKnown = same != known.end();
    if (!isKnown && missing <= 0) continue;
    if (isKnown) known.erase(same);
    if (!isKnown) missing -= countRoots(pair);
    vectors.refine(pair);
    slow.push_back(std::move(pair));
  }
  if (missing > 0) return false;
  slow.insert(slow.end(), known.begin(), known.end());
  pairs = std::move(slow);
  sortBySize(pairs);
  return true;
}

// Vectors in which each moves something that the others leave alone: one for each idle integral, one for each part.
Eigen::MatrixXd separate(const Eigen::MatrixXd& vectors) {
  if (vectors.cols() == 0) return vectors;
  const linalg::PivotedQr<double> qr(vectors.transpose());
  Eigen::MatrixXd rows(vectors.cols(), vectors.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    rows.row(i) = vectors.row(qr.column(i));
  }
  Eigen::MatrixXd separated = vectors * linalg::DenseLu<double>(rows).inverse();
  const double roundOff = kSameShape * separated.cwiseAbs().maxCoeff();
  return (separated.cwiseAbs().array() < roundOff).select(0.0, separated);
}

// Those that move nothing apart from those that do.
Eigen::MatrixXd separateIdle(const system::System& system, const LinearModel& linear,
                             const Eigen::MatrixXd& vectors) {
  Eigen::MatrixXd motion = vectors;
  for (Eigen::Index u = 0; u < motion.rows(); ++u) {
    const int unknown = linear.unknowns[u];
    const bool isMotion = unknown >= 0 && system.kinds()[unknown] == system::Kind::kMotion;
    if (!isMotion) motion.row(u).setZero();
  }
  const linalg::Svd<double> svd = linalg::findSvd(linalg::findTriangle(motion));
  const auto moving = (svd.values.array() > kSameShape).count();
  const auto idle = vectors.cols() - moving;
  const Eigen::MatrixXd turned = vectors * svd.V;
  Eigen::MatrixXd all(vectors.rows(), vectors.cols());
  all.leftCols(moving) = separate(turned.leftCols(moving));
  all.rightCols(idle) = separate(turned.rightCols(idle));
  return all;
}

int countCandidates(const LinearModel& linear, const std::vector<Eigenpair>& pairs) {
  const double largest = pairs.empty() ? 0.0 : std::abs(pairs.back().value);
  int candidates = 0;
  while (candidates < static_cast<int>(pairs.size()) &&
         mayBeChain(linear, pairs[candidates], largest)) {
    ++candidates;
  }
  return candidates;
}

// How many of the pairs are roots at zero, after slow ones that rounding had mixed with them are found again.
int separateZeros(const LinearModel& linear, ZeroVectors& vectors,
                  const linalg::ZeroStructure& structure, int candidates,
                  std::vector<Eigenpair>& pairs) {
  const int zeros = countByStructure(vectors, structure, candidates, pairs);
  if (countRoots(pairs, zeros) <= structure.multiplicity ||
      !findSlowRoots(linear, vectors, zeros, structure.multiplicity, pairs)) {
    return zeros;
  }
  return countByStructure(vectors, structure, countCandidates(linear, pairs), pairs);
}

// Where the structure does not decide.
void setByBounds(std::vector<Eigenpair>& pairs) {
  const std::size_t count = pairs.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!linalg::mayBeZero(pairs[i])) continue;
    const bool areTwo = pairs[i].value.imag() != 0.0;
    pairs[i].value = 0.0;
    // A copy of an element must not be made from the vector that grows.
    if (areTwo) pairs.push_back(Eigenpair(pairs[i]));
  }
}

}  // namespace

void mergeZeroRoots(const system::System& system, const LinearModel& linear,
                    std::vector<Eigenpair>& pairs) {
  sortBySize(pairs);
  const int candidates = countCandidates(linear, pairs);
  if (candidates == 0) return;
  ZeroVectors vectors(linear);
  const linalg::ZeroStructure structure = linear.delays.empty()
                                              ? vectors.findStructure(linear.groups, candidates)
                                              : linalg::ZeroStructure{};
  if (!structure.ok || structure.vectors.cols() == 0) {
    const int doubtful = countZeroRoots(pairs);
    if (structure.ok && doubtful > 0) {
      static_cast<void>(findSlowRoots(linear, vectors, doubtful, 0, pairs));
    }
    mergeByBounds(vectors, countZeroRoots(pairs), pairs);
    return;
  }
  const int zeros = separateZeros(linear, vectors, structure, candidates, pairs);
  std::vector<Eigenpair> others(pairs.begin() + zeros, pairs.end());
  const std::vector<bool> isNew = findIndependent(pairs, zeros, vectors);
  const auto independent = std::count(isNew.begin(), isNew.end(), true);
  // Vectors that were found belong to one motion each where the machine has several.
  if (independent == structure.vectors.cols()) {
    pairs.resize(zeros);
    mergeByBounds(vectors, zeros, pairs);
  } else {
    pairs.clear();
    const Eigen::MatrixXd separated = separateIdle(system, linear, structure.vectors);
    for (Eigen::Index j = 0; j < separated.cols(); ++j) {
      pairs.push_back(vectors.makePair(separated.col(j), structure.resolution));
    }
  }
  // Slower ones cannot be distinguished from zero, and those are known; what the structure has beside zero can.
  const double hidden = vectors.calcHidden(structure);
  for (Eigenpair& pair : pairs) pair.uncertainty = std::max(pair.uncertainty, hidden);
  std::erase_if(others, [&](const Eigenpair& pair) { return std::abs(pair.value) <= hidden; });
  vectors.addSlow(structure.other, others);
  pairs.insert(pairs.end(), others.begin(), others.end());
  sortBySize(pairs);
}

void setZeroRoots(const LinearModel& linear, std::vector<Eigenpair>& pairs) {
  sortBySize(pairs);
  const int candidates = countCandidates(linear, pairs);
  if (candidates == 0) return;
  LinearModel undelayed = linear;
  undelayed.delays.clear();
  ZeroVectors vectors(undelayed);
  const linalg::ZeroStructure structure = vectors.findStructure(linear.groups, candidates);
  const int doubtful = countZeroRoots(pairs);
  if (!structure.ok || structure.vectors.cols() == 0) {
    if (structure.ok && doubtful > 0) {
      static_cast<void>(findSlowRoots(undelayed, vectors, doubtful, 0, pairs));
    }
    setByBounds(pairs);
    return;
  }
  const int zeros = separateZeros(undelayed, vectors, structure, candidates, pairs);
  pairs.erase(pairs.begin(), pairs.begin() + zeros);
  vectors.addSlow(structure.other, pairs);
  const Eigenpair zero = vectors.makePair(structure.vectors.col(0), structure.resolution);
  pairs.insert(pairs.begin(), structure.multiplicity, zero);
  sortBySize(pairs);
}

}  // namespace flexloop::analysis
