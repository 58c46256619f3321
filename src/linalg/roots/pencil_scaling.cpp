#include "linalg/roots/pencil_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "linalg/roots/motion_units.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::VectorXd;

// Conjugate gradients: 20 products settle the scale of each unknown beside those that it meets, which is what counts; a
// small pencil gets as many as it needs.
constexpr int kProducts = 20, kProductsOfSmall = 400, kSmall = 2000;
constexpr double kSettled = 1e-2;  // of a factor of two
// An entry so many factors of two below the largest of its row and below that of its column is round-off.
constexpr double kRoundOff = 44.0;
// So far below both it is what rounding has left of round-off, such as the damping along an axis across a damper.
constexpr double kRoundOffOfRoundOff = 96.0;
// One that is so far below the fit may be.
constexpr double kDoubtful = 22.0;
constexpr int kRounds = 3, kEquilibrations = 4;
// Beside units that are fixed each halves what is left.
constexpr int kHalvings = 12;

using Entry = PencilEntry;

bool isAt(const SparseMatrix& matrix, SparseMatrix::InnerIterator& it, int row) {
  while (it && it.row() < row) ++it;
  return matrix.nonZeros() > 0 && it && it.row() == row && it.value() != 0.0;
}

std::vector<Entry> findEntries(const QuadraticPencil& pencil, const DelayTerms& delays) {
  std::vector<Entry> entries;
  entries.reserve(pencil.K.nonZeros() + pencil.C.nonZeros() + pencil.M.nonZeros());
  const auto add = [&](int row, int column, double value, float power) {
    if (value == 0.0 || !std::isfinite(value)) return;
    entries.push_back({row, column, static_cast<float>(std::log2(std::abs(value))), power});
  };
  for (int j = 0; j < pencil.size(); ++j) {
    for (SparseMatrix::InnerIterator it(pencil.K, j); it; ++it) {
      add(static_cast<int>(it.row()), j, it.value(), 0.0F);
    }
    for (SparseMatrix::InnerIterator it(pencil.M, j); it; ++it) {
      add(static_cast<int>(it.row()), j, it.value(), 2.0F);
    }
    SparseMatrix::InnerIterator inK(pencil.K, j), inM(pencil.M, j);
    for (SparseMatrix::InnerIterator it(pencil.C, j); it; ++it) {
      const int row = static_cast<int>(it.row());
      const bool isStiff = isAt(pencil.K, inK, row), isHeavy = isAt(pencil.M, inM, row);
      if (!(isStiff && isHeavy)) add(row, j, it.value(), 1.0F);
    }
  }
  for (const DelayTerm& term : delays) add(term.row, term.column, term.factor, 0.0F);
  return entries;
}

double medianOf(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// c/k of an unknown, zero where there is none. Units of unknowns and equations do not matter to it.
double calcDampingTime(const QuadraticPencil& pencil, int i) {
  const double k = std::abs(pencil.K.coeff(i, i));
  return k > 0.0 ? std::abs(pencil.C.coeff(i, i)) / k : 0.0;
}

// Whether the damping of an unknown is what rounding has left of that of another, as across a damper along an axis that
// is turned: its time c/k is then that far below the longest, or half as far below that of an unknown to which it is
// coupled, or below the coupling itself.
bool isDampingRoundOff(const QuadraticPencil& pencil, int i, double longest) {
  const double time = calcDampingTime(pencil, i);
  if (time < std::exp2(-kRoundOff) * longest) return true;
  const double k = std::abs(pencil.K.coeff(i, i)), limit = std::exp2(0.5 * kRoundOff) * time;
  for (SparseMatrix::InnerIterator it(pencil.C, i); it; ++it) {
    const double other = std::abs(pencil.K.coeff(it.row(), it.row()));
    if (it.row() == i || it.value() == 0.0 || other == 0.0) continue;
    if (calcDampingTime(pencil, static_cast<int>(it.row())) > limit) return true;
    if (std::abs(it.value()) > limit * std::sqrt(k) * std::sqrt(other)) return true;
  }
  return false;
}

// log2 of how fast each unknown would be alone, √(k/m) or k/c. Units of unknowns and equations do not matter to these
// ratios. Stiffnesses of freedoms that joints hold may be nothing but round-off: rates whose squares are that far below
// the largest do not count; nor does k/c where the damping is round-off. Light freedoms are far off as well; the median
// is not. Where all stiffness is round-off beside what rates do, as in a rotor that spins freely, these rates c/m count.
std::optional<double> findRate(const QuadraticPencil& pencil, const DelayTerms& delays) {
  std::vector<double> rates, ofDamping;
  double longest = 0.0;
  for (int i = 0; i < pencil.size(); ++i) longest = std::max(longest, calcDampingTime(pencil, i));
  for (int i = 0; i < pencil.size(); ++i) {
    const double k = std::abs(pencil.K.coeff(i, i)), m = std::abs(pencil.M.coeff(i, i));
    double c = std::abs(pencil.C.coeff(i, i));
    if (k > 0.0 && m > 0.0) rates.push_back(0.5 * (std::log2(k) - std::log2(m)));
    if (k > 0.0 && m == 0.0 && c > 0.0 && !isDampingRoundOff(pencil, i, longest)) {
      rates.push_back(std::log2(k) - std::log2(c));
    }
    if (m == 0.0) continue;
    for (SparseMatrix::InnerIterator it(pencil.C, i); it; ++it) {
      const double other = std::abs(pencil.M.coeff(it.row(), it.row()));
      const double both = std::abs(it.value() * pencil.C.coeff(i, it.row()));
      if (other > 0.0) c = std::max(c, std::sqrt(both) * std::sqrt(m / other));
    }
    if (c > 0.0) ofDamping.push_back(std::log2(c) - std::log2(m));
  }
  for (const DelayTerm& term : delays) rates.push_back(-std::log2(term.delay));
  const auto largestOf = [](const std::vector<double>& all) {
    return all.empty() ? -INFINITY : *std::max_element(all.begin(), all.end());
  };
  if (largestOf(rates) < largestOf(ofDamping) - 0.5 * kRoundOff) rates = std::move(ofDamping);
  const double least = largestOf(rates) - 0.5 * kRoundOff;
  std::erase_if(rates, [least](double rate) { return rate < least; });
  return rates.empty() ? std::nullopt : std::optional(medianOf(rates));
}

// min Σ weight (log2 |entry| + power·rate + row + column)², by conjugate gradients on its normal equations. Where a factor may
// go to a row or to a column, the start decides.
class LeastSquares {
 public:
  LeastSquares(const std::vector<Entry>& entries, int size, bool isRateFixed)
      : entries_(entries), size_(size), free_(VectorXd::Ones(2 * size + 1)) {
    if (isRateFixed) free_[2 * size] = 0.0;
  }

  // Rows and columns that keep their units.
  void fix(const std::vector<bool>& isFixed) {
    for (int i = 0; i < size_; ++i) {
      if (isFixed[i]) free_[i] = free_[size_ + i] = 0.0;
    }
  }

  void solve(PencilUnits& x) const {
    VectorXd r = -gradient(x, 1.0), diagonal = findDiagonal();
    VectorXd z = r.cwiseQuotient(diagonal), p = z;
    double rz = r.dot(z);
    const int products = size_ <= kSmall ? kProductsOfSmall : kProducts;
    for (int k = 0; k < products && z.lpNorm<Eigen::Infinity>() > kSettled; ++k) {
      const VectorXd q = gradient(split(p), 0.0);
      const double pq = p.dot(q);
      if (!(pq > 0.0)) return;
      const double step = rz / pq;
      add(step, split(p), x);
      r -= step * q;
      z = r.cwiseQuotient(diagonal);
      const double next = r.dot(z);
      p = z + next / rz * p;
      rz = next;
    }
  }

 private:
  // Of half the sum of squares; `share` of the logarithms of the entries counts.
  VectorXd gradient(const PencilUnits& x, double share) const {
    VectorXd g = VectorXd::Zero(2 * size_ + 1);
    double ofRate = 0.0;
    // Entries are stored by columns.
    for (std::size_t k = 0; k < entries_.size();) {
      const int column = entries_[k].column;
      const double columnSize = x.columns[column];
      double ofColumn = 0.0;
      for (; k < entries_.size() && entries_[k].column == column; ++k) {
        const Entry& entry = entries_[k];
        const double size = share * entry.size + entry.power * x.rate + x.rows[entry.row];
        const double e = entry.weight * (size + columnSize);
        g[entry.row] += e;
        ofColumn += e;
        ofRate += entry.power * e;
      }
      g[size_ + column] += ofColumn;
    }
    g[2 * size_] = ofRate;
    return g.cwiseProduct(free_);
  }

  VectorXd findDiagonal() const {
    VectorXd d = VectorXd::Zero(2 * size_ + 1);
    for (const Entry& entry : entries_) {
      d[entry.row] += entry.weight;
      d[size_ + entry.column] += entry.weight;
      d[2 * size_] += entry.weight * entry.power * entry.power;
    }
    return (d.array() > 0.0).select(d, 1.0);
  }

  PencilUnits split(const VectorXd& x) const {
    return {x.head(size_), x.segment(size_, size_), x[2 * size_]};
  }

  static void add(double step, const PencilUnits& change, PencilUnits& x) {
    x.rows += step * change.rows;
    x.columns += step * change.columns;
    x.rate += step * change.rate;
  }

  const std::vector<Entry>& entries_;
  int size_;
  VectorXd free_;  // one, or zero of what is fixed
};

struct Largest {
  VectorXd rows, columns;
};

Largest findLargest(const std::vector<Entry>& entries, const PencilUnits& x) {
  const auto n = x.rows.size();
  Largest largest{VectorXd::Constant(n, -INFINITY), VectorXd::Constant(n, -INFINITY)};
  for (const Entry& entry : entries) {
    const double size = x.sizeOf(entry);
    largest.rows[entry.row] = std::max(largest.rows[entry.row], size);
    largest.columns[entry.column] = std::max(largest.columns[entry.column], size);
  }
  return largest;
}

// An entry that is more than a factor of two below the fit counts as the modulus of its distance rather than as the
// square: round-off may be more frequent than all else and would draw the scales towards itself. False if none is in doubt.
bool reweigh(const PencilUnits& x, std::vector<Entry>& entries) {
  bool any = false;
  for (Entry& entry : entries) {
    const double size = x.sizeOf(entry);
    any = any || size < -kDoubtful;
    entry.weight = size < -1.0 ? static_cast<float>(-1.0 / size) : 1.0F;
  }
  return any;
}

bool dropRoundOff(const PencilUnits& x, std::vector<Entry>& entries) {
  const Largest largest = findLargest(entries, x);
  return std::erase_if(entries, [&](const Entry& entry) {
           const double size = x.sizeOf(entry) + kRoundOff;
           return size < largest.rows[entry.row] && size < largest.columns[entry.column];
         }) > 0;
}

void equilibrate(const std::vector<Entry>& entries, PencilUnits& x) {
  for (int round = 0; round < kEquilibrations; ++round) {
    const Largest largest = findLargest(entries, x);
    const auto half = [](const VectorXd& sizes) -> VectorXd {
      return sizes.array().isFinite().select(0.5 * sizes, 0.0);
    };
    x.rows -= half(largest.rows);
    x.columns -= half(largest.columns);
  }
}

// Motions have symmetric stiffness and mass, but for a few entries, and pivots on the diagonal lose no digits where all
// diagonals are one. What is no motion follows.
void settleMotions(const std::vector<Entry>& entries, PencilUnits& x) {
  const auto n = static_cast<int>(x.rows.size());
  const std::vector<bool> isMotion = setMotionUnits(entries, x);
  LeastSquares others(entries, n, /*isRateFixed=*/true);
  others.fix(isMotion);
  others.solve(x);
  for (int round = 0; round < kHalvings; ++round) {
    const Largest largest = findLargest(entries, x);
    for (int i = 0; i < n; ++i) {
      if (isMotion[i]) continue;
      if (std::isfinite(largest.rows[i])) x.rows[i] -= 0.5 * largest.rows[i];
      if (std::isfinite(largest.columns[i])) x.columns[i] -= 0.5 * largest.columns[i];
    }
  }
}

VectorXd calcPowers(const VectorXd& logarithms) {
  return logarithms.unaryExpr([](double x) { return std::exp2(std::round(x)); });
}

SparseMatrix scaleMatrix(const SparseMatrix& matrix, const PencilScaling& scaling, double factor) {
  SparseMatrix scaled = matrix;
  for (int j = 0; j < scaled.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(scaled, j); it; ++it) {
      it.valueRef() *= scaling.rows[it.row()] * factor * scaling.columns[j];
    }
  }
  return scaled;
}

// Of damping alone: what is missing from it makes no equation singular.
void dropRoundOffOfRoundOff(QuadraticPencil& pencil) {
  const auto n = pencil.size();
  VectorXd rows = VectorXd::Zero(n), columns = VectorXd::Zero(n);
  for (const SparseMatrix* matrix : {&pencil.K, &pencil.C, &pencil.M}) {
    for (int j = 0; j < n; ++j) {
      for (SparseMatrix::InnerIterator it(*matrix, j); it; ++it) {
        rows[it.row()] = std::max(rows[it.row()], std::abs(it.value()));
        columns[j] = std::max(columns[j], std::abs(it.value()));
      }
    }
  }
  const double share = std::exp2(-kRoundOffOfRoundOff);
  for (int j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator it(pencil.C, j); it; ++it) {
      if (std::abs(it.value()) < share * std::min(rows[it.row()], columns[j])) it.valueRef() = 0.0;
    }
  }
}

enum class Pivots : std::uint8_t { kAny, kOnDiagonal };

// The units of all entries, and those entries without what is round-off in these units.
PencilUnits fit(std::vector<Entry>& entries, int size, std::optional<double> rate) {
  PencilUnits x{VectorXd::Zero(size), VectorXd::Zero(size), std::round(rate.value_or(0.0))};
  const LeastSquares squares(entries, size, rate.has_value());
  squares.solve(x);
  PencilUnits robust = x;
  for (int round = 0; round < kRounds && reweigh(robust, entries); ++round) squares.solve(robust);
  const bool hasRoundOff = dropRoundOff(robust, entries);
  for (Entry& entry : entries) entry.weight = 1.0F;
  if (hasRoundOff) squares.solve(x = robust);
  return x;
}

// Whether there is a stiffness of freedoms without mass that forces connect with others, as of a node welded to a body.
bool hasStiffnessWithoutMass(const QuadraticPencil& pencil) {
  for (int i = 0; i < pencil.size(); ++i) {
    if (pencil.K.coeff(i, i) == 0.0 || pencil.M.coeff(i, i) != 0.0) continue;
    for (SparseMatrix::InnerIterator it(pencil.K, i); it; ++it) {
      const auto other = it.row();
      if (other != i && it.value() != 0.0 && pencil.K.coeff(i, other) != 0.0) return true;
    }
  }
  return false;
}

// log2 of √(k/m) where the stiffness is that of freedoms without mass: joints connect their units with those of the bodies,
// and the masses in these units tell it. The bodies themselves may have no stiffness then, or the round-off of one.
std::optional<double> findRateAcrossJoints(const std::vector<Entry>& all, int size) {
  std::vector<Entry> stiffness, masses;
  for (const Entry& entry : all) {
    if (entry.power == 0.0F) stiffness.push_back(entry);
    if (entry.power == 2.0F && entry.row == entry.column) masses.push_back(entry);
  }
  if (masses.empty()) return std::nullopt;
  const PencilUnits units = fit(stiffness, size, 0.0);
  std::vector<double> rates;
  for (const Entry& mass : masses) rates.push_back(-0.5 * units.sizeOf(mass));
  return medianOf(rates);
}

PencilScaling balance(const QuadraticPencil& pencil, const DelayTerms& delays,
                      std::optional<double> givenRate, Pivots pivots = Pivots::kAny) {
  const int n = pencil.size();
  std::vector<Entry> entries = findEntries(pencil, delays);
  std::optional<double> rate = givenRate ? givenRate : findRate(pencil, delays);
  const double least = rate.value_or(-INFINITY) + 0.5 * kRoundOff;
  if (!givenRate && hasStiffnessWithoutMass(pencil)) {
    const std::optional<double> across = findRateAcrossJoints(entries, n);
    if (across && *across > least) rate = across;
  }
  PencilUnits x = fit(entries, n, rate);
  equilibrate(entries, x);
  if (pivots == Pivots::kOnDiagonal) settleMotions(entries, x);
  return {calcPowers(x.rows), calcPowers(x.columns), std::exp2(std::round(x.rate))};
}

}  // namespace

PencilScaling findScaling(const QuadraticPencil& pencil, const DelayTerms& delays) {
  return balance(pencil, delays, std::nullopt);
}

PencilScaling findScalingForPivots(const QuadraticPencil& pencil, const DelayTerms& delays) {
  return balance(pencil, delays, std::nullopt, Pivots::kOnDiagonal);
}

PencilScaling findScaling(const QuadraticPencil& pencil, double rate) {
  return balance(pencil, {}, std::log2(rate));
}

PencilScaling findScalingForPivots(const QuadraticPencil& pencil, double rate) {
  return balance(pencil, {}, std::log2(rate), Pivots::kOnDiagonal);
}

QuadraticPencil applyScaling(const QuadraticPencil& pencil, const PencilScaling& scaling) {
  QuadraticPencil scaled{scaleMatrix(pencil.K, scaling, 1.0),
                         scaleMatrix(pencil.C, scaling, scaling.rate),
                         scaleMatrix(pencil.M, scaling, scaling.rate * scaling.rate)};
  dropRoundOffOfRoundOff(scaled);
  return scaled;
}

DelayTerms applyScaling(const DelayTerms& delays, const PencilScaling& scaling) {
  DelayTerms scaled = delays;
  for (DelayTerm& term : scaled) {
    term.factor *= scaling.rows[term.row] * scaling.columns[term.column];
    term.delay *= scaling.rate;
  }
  return scaled;
}

}  // namespace flexloop::linalg
