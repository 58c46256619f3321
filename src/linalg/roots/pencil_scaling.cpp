#include "linalg/roots/pencil_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/disjoint_sets.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::VectorXd;

// Conjugate gradients: 20 products settle the scale of each unknown beside those that it meets, which is what counts; a
// small pencil gets as many as it needs.
constexpr int kProducts = 20, kProductsOfSmall = 400, kSmall = 2000;
constexpr double kSettled = 1e-2;  // of a factor of two
// An entry so many factors of two below the largest of its row and below that of its column is round-off.
constexpr double kRoundOff = 44.0;
// One that is so far below the fit may be.
constexpr double kDoubtful = 22.0;
constexpr int kRounds = 3, kEquilibrations = 4;

struct Entry {
  int row, column;
  float size;   // log2 of its modulus
  float power;  // of s
  float weight = 1.0F;
};

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

// log2 of how fast each unknown would be alone, √(k/m) or k/c. Units of unknowns and equations do not matter to these
// ratios. Stiffnesses of freedoms that joints hold may be nothing but round-off: rates whose squares are that far below
// the largest do not count. Light freedoms are far off as well; the median is not. Where all stiffness is round-off
// beside what rates do, as in a rotor that spins freely, these rates c/m count.
std::optional<double> findRate(const QuadraticPencil& pencil, const DelayTerms& delays) {
  std::vector<double> rates, ofDamping;
  for (int i = 0; i < pencil.size(); ++i) {
    const double k = std::abs(pencil.K.coeff(i, i)), m = std::abs(pencil.M.coeff(i, i));
    double c = std::abs(pencil.C.coeff(i, i));
    if (k > 0.0 && m > 0.0) rates.push_back(0.5 * (std::log2(k) - std::log2(m)));
    if (k > 0.0 && m == 0.0 && c > 0.0) rates.push_back(std::log2(k) - std::log2(c));
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

// log2 of R, S and ρ
struct Logarithms {
  VectorXd rows, columns;
  double rate = 0.0;

  double sizeOf(const Entry& entry) const {
    return entry.size + entry.power * rate + rows[entry.row] + columns[entry.column];
  }
};

// min Σ weight (log2 |entry| + power·rate + row + column)², by conjugate gradients on its normal equations. Where a factor may
// go to a row or to a column, the start decides.
class LeastSquares {
 public:
  LeastSquares(const std::vector<Entry>& entries, int size, bool isRateFixed)
      : entries_(entries), size_(size), rateShare_(isRateFixed ? 0.0 : 1.0) {}

  void solve(Logarithms& x) const {
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
  VectorXd gradient(const Logarithms& x, double share) const {
    VectorXd g = VectorXd::Zero(2 * size_ + 1);
    double ofRate = 0.0;
    // Entries stand by columns.
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
    g[2 * size_] = rateShare_ * ofRate;
    return g;
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

  Logarithms split(const VectorXd& x) const {
    return {x.head(size_), x.segment(size_, size_), x[2 * size_]};
  }

  static void add(double step, const Logarithms& change, Logarithms& x) {
    x.rows += step * change.rows;
    x.columns += step * change.columns;
    x.rate += step * change.rate;
  }

  const std::vector<Entry>& entries_;
  int size_;
  double rateShare_;
};

struct Largest {
  VectorXd rows, columns;
};

Largest findLargest(const std::vector<Entry>& entries, const Logarithms& x) {
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
bool reweigh(const Logarithms& x, std::vector<Entry>& entries) {
  bool any = false;
  for (Entry& entry : entries) {
    const double size = x.sizeOf(entry);
    any = any || size < -kDoubtful;
    entry.weight = size < -1.0 ? static_cast<float>(-1.0 / size) : 1.0F;
  }
  return any;
}

bool dropRoundOff(const Logarithms& x, std::vector<Entry>& entries) {
  const Largest largest = findLargest(entries, x);
  return std::erase_if(entries, [&](const Entry& entry) {
           const double size = x.sizeOf(entry) + kRoundOff;
           return size < largest.rows[entry.row] && size < largest.columns[entry.column];
         }) > 0;
}

void equilibrate(const std::vector<Entry>& entries, Logarithms& x) {
  for (int round = 0; round < kEquilibrations; ++round) {
    const Largest largest = findLargest(entries, x);
    const auto half = [](const VectorXd& sizes) -> VectorXd {
      return sizes.array().isFinite().select(0.5 * sizes, 0.0);
    };
    x.rows -= half(largest.rows);
    x.columns -= half(largest.columns);
  }
}

// Two motions, and how strongly they are coupled: log2 of a_ij a_ji/(a_ii a_jj), and of a_ij/a_ji.
struct Coupling {
  int first = 0, second = 0;
  double strength = 0.0, asymmetry = 0.0;
};

struct Motions {
  std::vector<bool> is;  // by unknown
  VectorXd diagonal;     // log2 of its largest
  std::vector<Coupling> couplings;
};

// In the units of x.
Motions findMotions(const std::vector<Entry>& entries, const Logarithms& x) {
  const auto n = x.rows.size();
  Motions motions{std::vector<bool>(n, false), VectorXd::Constant(n, -INFINITY), {}};
  for (const Entry& entry : entries) {
    if (entry.row != entry.column) continue;
    double& largest = motions.diagonal[entry.row];
    largest = std::max(largest, x.sizeOf(entry));
    if (entry.power == 2.0F) motions.is[entry.row] = true;
  }
  // By pair, the largest entries of both triangles.
  struct OfPair {
    int first, second;
    bool isUpper;
    double size;
  };
  std::vector<OfPair> pairs;
  for (const Entry& entry : entries) {
    if (entry.row == entry.column || !motions.is[entry.row] || !motions.is[entry.column]) continue;
    const auto [first, second] = std::minmax(entry.row, entry.column);
    pairs.push_back({first, second, entry.row < entry.column, x.sizeOf(entry)});
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
    if (!std::isfinite(upper) || !std::isfinite(lower)) continue;
    motions.couplings.push_back({first, second,
                                 upper + lower - motions.diagonal[first] - motions.diagonal[second],
                                 upper - lower});
  }
  return motions;
}

// By motion, half of log2 of the factor by which its row is too large beside its column, from the strongest couplings.
VectorXd findAsymmetry(Motions& motions) {
  const auto n = static_cast<int>(motions.is.size());
  std::stable_sort(motions.couplings.begin(), motions.couplings.end(),
                   [](const Coupling& a, const Coupling& b) { return a.strength > b.strength; });
  base::DisjointSets sets(n);
  std::vector<std::vector<std::pair<int, double>>> next(n);
  for (const Coupling& c : motions.couplings) {
    if (!sets.join(c.first, c.second)) continue;
    next[c.first].emplace_back(c.second, -0.5 * c.asymmetry);
    next[c.second].emplace_back(c.first, 0.5 * c.asymmetry);
  }
  VectorXd asymmetry = VectorXd::Zero(n);
  std::vector<bool> isSeen(n, false);
  std::vector<int> path;
  for (int root = 0; root < n; ++root) {
    if (!motions.is[root] || isSeen[root]) continue;
    std::vector<int> members;
    path = {root};
    isSeen[root] = true;
    double sum = 0.0;
    while (!path.empty()) {
      const int i = path.back();
      path.pop_back();
      members.push_back(i);
      sum += asymmetry[i];
      for (const auto& [j, change] : next[i]) {
        if (isSeen[j]) continue;
        isSeen[j] = true;
        asymmetry[j] = asymmetry[i] + change;
        path.push_back(j);
      }
    }
    for (const int i : members) asymmetry[i] -= sum / static_cast<double>(members.size());
  }
  return asymmetry;
}

// Motions have symmetric stiffness and mass, but for a few entries, and pivots on the diagonal lose no digits where all
// diagonals are one. Small entries that a load adds would draw rows and columns apart. What is no motion follows.
void settleMotions(const std::vector<Entry>& entries, Logarithms& x) {
  Motions motions = findMotions(entries, x);
  const VectorXd asymmetry = findAsymmetry(motions);
  const auto n = x.rows.size();
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!motions.is[i]) continue;
    x.rows[i] -= 0.5 * motions.diagonal[i] + asymmetry[i];
    x.columns[i] -= 0.5 * motions.diagonal[i] - asymmetry[i];
  }
  for (int round = 0; round < kEquilibrations; ++round) {
    const Largest largest = findLargest(entries, x);
    for (Eigen::Index i = 0; i < n; ++i) {
      if (motions.is[i]) continue;
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

enum class Pivots : std::uint8_t { kAny, kOnDiagonal };

PencilScaling balance(const QuadraticPencil& pencil, const DelayTerms& delays,
                      std::optional<double> rate, Pivots pivots = Pivots::kAny) {
  const int n = pencil.size();
  std::vector<Entry> entries = findEntries(pencil, delays);
  Logarithms x{VectorXd::Zero(n), VectorXd::Zero(n), std::round(rate.value_or(0.0))};
  const LeastSquares squares(entries, n, rate.has_value());
  squares.solve(x);
  Logarithms robust = x;
  for (int round = 0; round < kRounds && reweigh(robust, entries); ++round) squares.solve(robust);
  const bool hasRoundOff = dropRoundOff(robust, entries);
  for (Entry& entry : entries) entry.weight = 1.0F;
  if (hasRoundOff) squares.solve(x = robust);
  equilibrate(entries, x);
  if (pivots == Pivots::kOnDiagonal) settleMotions(entries, x);
  return {calcPowers(x.rows), calcPowers(x.columns), std::exp2(std::round(x.rate))};
}

}  // namespace

PencilScaling findScaling(const QuadraticPencil& pencil, const DelayTerms& delays) {
  return balance(pencil, delays, findRate(pencil, delays));
}

PencilScaling findScalingForPivots(const QuadraticPencil& pencil, const DelayTerms& delays) {
  return balance(pencil, delays, findRate(pencil, delays), Pivots::kOnDiagonal);
}

PencilScaling findScaling(const QuadraticPencil& pencil, double rate) {
  return balance(pencil, {}, std::log2(rate));
}

PencilScaling findScalingForPivots(const QuadraticPencil& pencil, double rate) {
  return balance(pencil, {}, std::log2(rate), Pivots::kOnDiagonal);
}

QuadraticPencil applyScaling(const QuadraticPencil& pencil, const PencilScaling& scaling) {
  return {scaleMatrix(pencil.K, scaling, 1.0), scaleMatrix(pencil.C, scaling, scaling.rate),
          scaleMatrix(pencil.M, scaling, scaling.rate * scaling.rate)};
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
