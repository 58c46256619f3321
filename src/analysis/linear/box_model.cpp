#include "analysis/linear/box_model.hpp"

#include <algorithm>
#include <sstream>

#include "analysis/linear/identification.hpp"
#include "linalg/dense/pivoted_qr.hpp"

namespace flexloop::analysis {
namespace {

using control::BlockGains;
using control::BlockSet;
using control::BoxRealization;
using linalg::SparseMatrix;
using Triplets = std::vector<Eigen::Triplet<double, int>>;

// Share of the gains of an output: what differs less is a multiple of others.
constexpr double kSameGain = 1e-7;

// The entries of a pencil that change: some rows go, others come.
class PencilChange {
 public:
  explicit PencilChange(int unknowns) : size_(unknowns), isCleared_(unknowns, false) {}

  int addUnknown() { return size_++; }
  void clearRow(int row) { isCleared_[row] = true; }
  void addStiffness(int row, int column, double value) { K_.emplace_back(row, column, value); }
  void addDamping(int row, int column, double value) { C_.emplace_back(row, column, value); }

  void apply(linalg::QuadraticPencil& pencil) {
    pencil.K = rebuild(pencil.K, K_);
    pencil.C = rebuild(pencil.C, C_);
    pencil.M = rebuild(pencil.M, {});
  }

 private:
  SparseMatrix rebuild(const SparseMatrix& old, Triplets entries) const {
    std::erase_if(entries, [](const auto& entry) { return entry.value() == 0.0; });
    for (int c = 0; c < old.cols(); ++c) {
      for (SparseMatrix::InnerIterator it(old, c); it; ++it) {
        const int row = static_cast<int>(it.row());
        if (!isCleared_[row]) entries.emplace_back(row, c, it.value());
      }
    }
    SparseMatrix matrix(size_, size_);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

  int size_;
  std::vector<bool> isCleared_;
  Triplets K_, C_;
};

// Rows y − … = 0 without anything but y.
void clearOutputs(const BlockSet& set, int element, PencilChange& change) {
  for (int o = 0; o < set.outputs(element); ++o) {
    const int row = set.output(element, o).value;
    change.clearRow(row);
    change.addStiffness(row, row, 1.0);
  }
}

// As few integrals as have all these gains: k_i = L R, z' = R u, y = … + L z. One for a controller of
// reference − input, and none that only integrates a constant beside others.
struct Integrals {
  Eigen::MatrixXd L, R;

  explicit Integrals(const BlockGains& gains) {
    Eigen::MatrixXd ki(gains.outputs, gains.inputs);
    for (int o = 0; o < gains.outputs; ++o) {
      for (int i = 0; i < gains.inputs; ++i) ki(o, i) = gains.pair(o, i)[-1];
    }
    Eigen::VectorXd scale = ki.rowwise().lpNorm<Eigen::Infinity>();
    scale = (scale.array() > 0.0).select(scale, 1.0);
    const linalg::PivotedQr<double> qr(scale.cwiseInverse().asDiagonal() * ki);
    const Eigen::Index rank = ki.isZero(0.0) ? 0 : qr.rank(kSameGain);
    L = scale.asDiagonal() * qr.Q().leftCols(rank);
    R = qr.rows(rank);
  }
};

// (23.8) as rows of the pencil: s z − R u = 0 and y − kp u − L z − kd s u = 0.
void insertGains(const BlockSet& set, int element, const BlockGains& gains, PencilChange& change) {
  clearOutputs(set, element, change);
  const Integrals integrals(gains);
  std::vector<int> z;
  for (Eigen::Index k = 0; k < integrals.R.rows(); ++k) {
    z.push_back(change.addUnknown());
    change.addDamping(z[k], z[k], 1.0);
  }
  for (int i = 0; i < gains.inputs; ++i) {
    const int column = set.input(element, i).value;
    const double sign = set.sign(element, i);
    for (std::size_t k = 0; k < z.size(); ++k) {
      change.addStiffness(z[k], column, -sign * integrals.R(k, i));
    }
    for (int o = 0; o < gains.outputs; ++o) {
      const int row = set.output(element, o).value;
      change.addStiffness(row, column, -sign * gains.pair(o, i)[0]);
      change.addDamping(row, column, -sign * gains.pair(o, i)[1]);
    }
  }
  for (int o = 0; o < gains.outputs; ++o) {
    for (std::size_t k = 0; k < z.size(); ++k) {
      change.addStiffness(set.output(element, o).value, z[k], -integrals.L(o, k));
    }
  }
}

// s x − A x − B u = 0 and y − C x − D u = 0.
void insertStates(const BlockSet& set, int element, const BoxRealization& box,
                  PencilChange& change) {
  clearOutputs(set, element, change);
  std::vector<int> states;
  for (int k = 0; k < box.countStates(); ++k) states.push_back(change.addUnknown());
  const auto insert = [&](int row, const Eigen::RowVectorXd& ofStates,
                          const Eigen::RowVectorXd& ofInputs) {
    for (int k = 0; k < box.countStates(); ++k) change.addStiffness(row, states[k], -ofStates[k]);
    for (int i = 0; i < set.inputs(element); ++i) {
      change.addStiffness(row, set.input(element, i).value, -set.sign(element, i) * ofInputs[i]);
    }
  };
  for (int k = 0; k < box.countStates(); ++k) {
    change.addDamping(states[k], states[k], 1.0);
    insert(states[k], box.A.row(k), box.B.row(k));
  }
  for (int o = 0; o < set.outputs(element); ++o) {
    insert(set.output(element, o).value, box.C.row(o), box.D.row(o));
  }
}

std::string describeMisfit(const std::string& name, const std::string& what, double residual) {
  std::ostringstream text;
  text.precision(2);
  text << "black box '" << name << "' is not a PID controller; the linear model uses " << what
       << ", which leave " << residual << " of its response unexplained";
  return text.str();
}

// Gains where they describe the box, else states where they describe it better.
void insertBox(const model::Model& model, const BlockPlace& place, const system::State& state,
               PencilChange& change, std::vector<std::string>& warnings) {
  const BlockSet& set = *place.set;
  const BlockGains gains = identifyGains(model, place, state, {});
  if (gains.failure) {
    warnings.push_back(
        gains.failure->message +
        "; the linear model holds its outputs constant\n  hint: " + gains.failure->hint);
    return;
  }
  const std::string& name = set.name(place.element);
  const double residual = gains.residual();
  if (residual <= control::kGainTolerance) return insertGains(set, place.element, gains, change);
  const BoxRealization box = realizeBox(model, place, state, {});
  if (box.residual >= residual) {
    warnings.push_back(describeMisfit(name, "its gains", residual));
    return insertGains(set, place.element, gains, change);
  }
  warnings.push_back(describeMisfit(
      name, std::to_string(box.countStates()) + " states instead of gains", box.residual));
  insertStates(set, place.element, box, change);
}

}  // namespace

BoxModel insertBoxes(const model::Model& model, const system::State& state,
                     const std::vector<int>& held, linalg::QuadraticPencil& pencil) {
  BoxModel result;
  PencilChange change(pencil.size());
  bool hasBoxes = false;
  for (const auto& any : model.system().sets()) {
    const auto* set = dynamic_cast<const BlockSet*>(any.get());
    for (int e = 0; set != nullptr && e < set->size(); ++e) {
      const control::Block& block = set->block(e);
      // One without a clock and without block_save has no memory: its slopes say all.
      if (!block.isBox() || (!block.canGoBack() && block.clock() < 0)) continue;
      if (std::find(held.begin(), held.end(), e) != held.end()) continue;
      insertBox(model, {set, e}, state, change, result.warnings);
      hasBoxes = true;
    }
  }
  if (!hasBoxes) return result;
  const int before = pencil.size();
  change.apply(pencil);
  result.states = pencil.size() - before;
  return result;
}

}  // namespace flexloop::analysis
