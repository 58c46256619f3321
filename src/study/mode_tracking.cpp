#include "study/mode_tracking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/dense/dense_lu.hpp"

namespace flexloop::study {
namespace {

using analysis::Mode;
using Complex = std::complex<double>;

constexpr double kClear = 0.9;    // MAC of a mode that is the same
constexpr double kParted = 1.2;   // cost from which modes have nothing in common; 2 is the largest
constexpr double kFarAway = 0.5;  // the same for roots alone

double calcMac(const ModePoint& a, int i, const ModePoint& b, int j) {
  const RootVectors &u = a.vectors[i], &v = b.vectors[j];
  const Complex s = a.modes[i].eigenvalue, t = b.modes[j].eigenvalue;
  const double across = std::abs(a.roots->calcSlopes(s, t, u.left, v.right).value() *
                                 b.roots->calcSlopes(s, t, v.left, u.right).value());
  const double own = std::abs(u.slope * v.slope);
  // e^{−sτ} of a root that decays fast is beyond all numbers where the delay is much longer.
  if (!std::isfinite(across) || !std::isfinite(own)) return 0.0;
  // Where two roots meet, their slopes vanish and both shapes are the same.
  return across >= own ? 1.0 : across / own;
}

// The root of the old vectors in the new model: one step of Newton (24.9).
Complex predict(const ModePoint& before, int i, const ModePoint& after) {
  const Complex s = before.modes[i].eigenvalue;
  const RootVectors& vectors = before.vectors[i];
  const Complex form = after.roots->calcForms(s, vectors.left, vectors.right).value();
  const Complex predicted =
      s - form / after.roots->calcSlopes(s, s, vectors.left, vectors.right).value();
  return std::isfinite(std::abs(predicted)) ? predicted : s;
}

// By the way that the root goes: never more than one.
double calcMiss(Complex from, Complex predicted, Complex to) {
  const double way = std::abs(predicted - from) + std::abs(to - from);
  const double smallest = std::numeric_limits<double>::epsilon() * std::abs(from);
  return std::abs(predicted - to) / std::max({way, 1e3 * smallest, 1e-300});
}

struct Comparison {
  Eigen::MatrixXd mac, cost;
  double parted = kParted;
};

Comparison compareRoots(const ModePoint& before, const ModePoint& after) {
  Comparison result{{}, Eigen::MatrixXd(before.modes.size(), after.modes.size()), kFarAway};
  for (Eigen::Index i = 0; i < result.cost.rows(); ++i) {
    for (Eigen::Index j = 0; j < result.cost.cols(); ++j) {
      const Complex a = before.modes[i].eigenvalue, b = after.modes[j].eigenvalue;
      result.cost(i, j) = std::abs(a - b) / std::max(std::abs(a) + std::abs(b), 1e-300);
    }
  }
  return result;
}

Comparison compareShapes(const ModePoint& before, const ModePoint& after) {
  Comparison result{Eigen::MatrixXd(before.modes.size(), after.modes.size()),
                    Eigen::MatrixXd(before.modes.size(), after.modes.size()), kParted};
  for (int i = 0; i < result.cost.rows(); ++i) {
    const Complex predicted = predict(before, i, after);
    for (int j = 0; j < result.cost.cols(); ++j) {
      result.mac(i, j) = calcMac(before, i, after, j);
      result.cost(i, j) =
          1.0 - result.mac(i, j) +
          calcMiss(before.modes[i].eigenvalue, predicted, after.modes[j].eigenvalue);
    }
  }
  return result;
}

// Repeated roots share their shapes in any mixture: the MAC of all of them together.
double calcSharedMac(const ModePoint& before, int i, const ModePoint& after, int j,
                     const Eigen::MatrixXd& mac) {
  double sum = 0.0;
  int rows = 0, columns = 0;
  for (int k = 0; k < mac.rows(); ++k) {
    if (!areRepeated(before.modes[k].eigenvalue, before.modes[i].eigenvalue)) continue;
    ++rows;
    columns = 0;
    for (int l = 0; l < mac.cols(); ++l) {
      if (!areRepeated(after.modes[l].eigenvalue, after.modes[j].eigenvalue)) continue;
      ++columns;
      sum += mac(k, l);
    }
  }
  return sum / std::min(rows, columns);
}

// Two real roots become one pair, or a pair two real roots: one of three tracks begins or ends there, and no step
// is short enough for the shapes to stay the same.
bool isMeeting(Complex before, Complex after) {
  return (before.imag() == 0.0) != (after.imag() == 0.0);
}

// New columns that lie in the space of the old ones, each as near to its goal as the form B allows.
Eigen::MatrixXcd project(const Eigen::MatrixXcd& columns, const Eigen::MatrixXcd& form,
                         const Eigen::MatrixXcd& goals) {
  Eigen::MatrixXcd projected = columns * linalg::solveDense(form, goals);
  projected.colwise().normalize();
  return projected;
}

struct Repeated {
  std::vector<int> before, after;  // modes
};

// The modes of the root of mode j, if all of them come from somewhere.
Repeated findRepeated(const ModePoint& after, const ModeMatch& match, int j) {
  Repeated cluster;
  int size = 0;
  for (int k = 0; k < static_cast<int>(after.modes.size()); ++k) {
    if (!areRepeated(after.modes[k].eigenvalue, after.modes[j].eigenvalue)) continue;
    if (k < j) return {};  // it had its turn
    ++size;
    const auto from = std::find(match.next.begin(), match.next.end(), k);
    if (from == match.next.end()) continue;
    cluster.before.push_back(static_cast<int>(from - match.next.begin()));
    cluster.after.push_back(k);
  }
  return size == static_cast<int>(cluster.after.size()) ? cluster : Repeated{};
}

// The Hungarian method: rows enter one by one, each along the cheapest chain of exchanges. Potentials keep the
// reduced costs of all pairs not negative and those of assigned pairs zero. There are at least as many columns as
// rows; those that the matrix does not have are dear.
class Assignment {
 public:
  explicit Assignment(const Eigen::MatrixXd& cost)
      : cost_(cost),
        columns_(static_cast<int>(std::max(cost.rows(), cost.cols()))),
        dear_(cost.size() > 0 ? 10.0 * (1.0 + cost.maxCoeff()) : 1.0),
        rowPotential_(cost.rows(), 0.0),
        columnPotential_(columns_, 0.0),
        rowOf_(columns_, -1) {}

  int rowOf(int column) const { return rowOf_[column]; }

  void add(int row) {
    Chain chain{std::vector<double>(columns_, std::numeric_limits<double>::infinity()),
                std::vector<int>(columns_, -1), std::vector<bool>(columns_, false)};
    int column = -1;
    do {
      column = extend(chain, column < 0 ? row : rowOf_[column], column, row);
    } while (rowOf_[column] >= 0);
    while (column >= 0) {
      const int before = chain.from[column];
      rowOf_[column] = before < 0 ? row : rowOf_[before];
      column = before;
    }
  }

 private:
  struct Chain {
    std::vector<double> least;  // reduced cost of getting to a column
    std::vector<int> from;      // the column before it
    std::vector<bool> done;
  };

  double costOf(int row, int column) const {
    return column < cost_.cols() ? cost_(row, column) : dear_;
  }

  // The next column of the chain, after all costs were reduced by what it takes to get there.
  int extend(Chain& chain, int current, int column, int row) {
    int best = -1;
    for (int c = 0; c < columns_; ++c) {
      if (chain.done[c]) continue;
      const double reduced = costOf(current, c) - rowPotential_[current] - columnPotential_[c];
      if (reduced < chain.least[c]) {
        chain.least[c] = reduced;
        chain.from[c] = column;
      }
      if (best < 0 || chain.least[c] < chain.least[best]) best = c;
    }
    const double change = chain.least[best];
    rowPotential_[row] += change;
    for (int c = 0; c < columns_; ++c) {
      if (chain.done[c]) {
        rowPotential_[rowOf_[c]] += change;
        columnPotential_[c] -= change;
      } else {
        chain.least[c] -= change;
      }
    }
    chain.done[best] = true;
    return best;
  }

  const Eigen::MatrixXd& cost_;
  int columns_;
  double dear_;
  std::vector<double> rowPotential_, columnPotential_;
  std::vector<int> rowOf_;
};

}  // namespace

void alignRepeated(const ModePoint& before, const ModeMatch& match, ModePoint& after) {
  if (!before.roots->hasSameUnknowns(*after.roots)) return;
  for (int j = 0; j < static_cast<int>(after.modes.size()); ++j) {
    const Complex s = after.modes[j].eigenvalue;
    const Repeated cluster = s != 0.0 ? findRepeated(after, match, j) : Repeated{};
    const int size = static_cast<int>(cluster.after.size());
    if (size < 2) continue;
    Eigen::MatrixXcd Z(after.vectors[j].right.size(), size), W = Z, oldZ = Z, oldW = Z;
    for (int i = 0; i < size; ++i) {
      Z.col(i) = after.vectors[cluster.after[i]].right;
      W.col(i) = after.vectors[cluster.after[i]].left;
      oldZ.col(i) = before.vectors[cluster.before[i]].right;
      oldW.col(i) = before.vectors[cluster.before[i]].left;
    }
    const Eigen::MatrixXcd form = after.roots->calcSlopes(s, s, W, Z);
    const Eigen::MatrixXcd newZ = project(Z, form, after.roots->calcSlopes(s, s, W, oldZ));
    const Eigen::MatrixXcd newW =
        project(W, form.transpose(), after.roots->calcSlopes(s, s, oldW, Z).transpose());
    if (!newZ.allFinite() || !newW.allFinite()) continue;
    for (int i = 0; i < size; ++i) {
      RootVectors& vectors = after.vectors[cluster.after[i]];
      vectors.right = newZ.col(i);
      vectors.left = newW.col(i);
      vectors.slope = after.roots->calcSlopes(s, s, vectors.left, vectors.right).value();
    }
  }
}

ModeMatch matchModes(const ModePoint& before, const ModePoint& after,
                     const std::vector<bool>& important) {
  const bool hasShapes = before.roots->hasSameUnknowns(*after.roots);
  const Comparison compared =
      hasShapes ? compareShapes(before, after) : compareRoots(before, after);
  ModeMatch match{assignLeastCost(compared.cost), true};
  for (int i = 0; i < static_cast<int>(match.next.size()); ++i) {
    const int j = match.next[i];
    if (j >= 0 && compared.cost(i, j) > compared.parted) match.next[i] = -1;
    if (!hasShapes || !important[i]) continue;
    if (j < 0 || isMeeting(before.modes[i].eigenvalue, after.modes[j].eigenvalue)) continue;
    if (match.next[i] < 0 || calcSharedMac(before, i, after, j, compared.mac) < kClear) {
      match.isClear = false;
    }
  }
  return match;
}

std::vector<int> assignLeastCost(const Eigen::MatrixXd& cost) {
  Assignment assignment(cost);
  for (int row = 0; row < cost.rows(); ++row) assignment.add(row);
  std::vector<int> next(cost.rows(), -1);
  for (int c = 0; c < static_cast<int>(cost.cols()); ++c) {
    if (assignment.rowOf(c) >= 0) next[assignment.rowOf(c)] = c;
  }
  return next;
}

}  // namespace flexloop::study
