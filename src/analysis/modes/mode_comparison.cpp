#include "analysis/modes/mode_comparison.hpp"

#include <algorithm>

namespace flexloop::analysis {
namespace {

using linalg::SparseMatrix;
using system::Kind;

constexpr double kAlike = 0.5;

// Modes that have no partner get rows of their own, behind the others.
void addLonely(ModeComparison& comparison, std::size_t column, const std::vector<bool>& isPaired) {
  for (std::size_t i = 0; i < isPaired.size(); ++i) {
    if (isPaired[i]) continue;
    ModeComparison::Row row{std::vector<int>(comparison.columns.size(), -1),
                            std::vector<double>(comparison.columns.size(), 0.0)};
    row.modes[column] = static_cast<int>(i);
    comparison.rows.push_back(std::move(row));
  }
}

void makeRows(const SparseMatrix& mass, ModeComparison& comparison) {
  const std::vector<Mode>& first = comparison.columns[0].result.modes;
  const std::size_t columns = comparison.columns.size();
  for (std::size_t i = 0; i < first.size(); ++i) {
    ModeComparison::Row row{std::vector<int>(columns, -1), std::vector<double>(columns, 0.0)};
    row.modes[0] = static_cast<int>(i);
    comparison.rows.push_back(std::move(row));
  }
  for (std::size_t c = 1; c < columns; ++c) {
    const std::vector<Mode>& modes = comparison.columns[c].result.modes;
    const Eigen::MatrixXd mac = calcMac(mass, first, modes);
    const std::vector<int> partners = pairModes(mac);
    std::vector<bool> isPaired(modes.size(), false);
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (partners[i] < 0) continue;
      comparison.rows[i].modes[c] = partners[i];
      comparison.rows[i].mac[c] = mac(i, partners[i]);
      isPaired[partners[i]] = true;
    }
    addLonely(comparison, c, isPaired);
  }
}

// Two shapes without motion, by their states and signals.
double compareStill(const Mode& a, const Mode& b) {
  const double both = a.shape.squaredNorm() * b.shape.squaredNorm();
  return both > 0.0 ? std::norm(a.shape.dot(b.shape)) / both : 0.0;
}

}  // namespace

SparseMatrix makeMotionMass(const model::Model& model, const system::State& state) {
  SparseMatrix mass = makePencil(model.borrowMachine()->assembler(), state).M;
  const std::vector<Kind>& kinds = model.system().kinds();
  mass.prune([&](int row, int column, double) {
    return kinds[row] == Kind::kMotion && kinds[column] == Kind::kMotion;
  });
  return mass;
}

Eigen::MatrixXd calcMac(const SparseMatrix& mass, const std::vector<Mode>& first,
                        const std::vector<Mode>& second) {
  const auto size = [&](const Mode& mode) { return mode.shape.dot(mass * mode.shape).real(); };
  Eigen::MatrixXd mac = Eigen::MatrixXd::Zero(first.size(), second.size());
  for (std::size_t j = 0; j < second.size(); ++j) {
    const Eigen::VectorXcd inertia = mass * second[j].shape;
    const double own = size(second[j]);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const double both = size(first[i]) * own;
      if (size(first[i]) == 0.0 && own == 0.0) mac(i, j) = compareStill(first[i], second[j]);
      if (both > 0.0) mac(i, j) = std::norm(first[i].shape.dot(inertia)) / both;
    }
  }
  return mac;
}

std::vector<int> pairModes(const Eigen::MatrixXd& mac) {
  std::vector<int> partners(mac.rows(), -1);
  std::vector<bool> isTaken(mac.cols(), false);
  for (;;) {
    int bestRow = -1, bestColumn = -1;
    for (int i = 0; i < mac.rows(); ++i) {
      for (int j = 0; j < mac.cols(); ++j) {
        if (partners[i] >= 0 || isTaken[j] || mac(i, j) < kAlike) continue;
        if (bestRow < 0 || mac(i, j) > mac(bestRow, bestColumn)) {
          bestRow = i;
          bestColumn = j;
        }
      }
    }
    if (bestRow < 0) return partners;
    partners[bestRow] = bestColumn;
    isTaken[bestColumn] = true;
  }
}

ModeComparison compareModes(const model::Model& model, const system::State& state,
                            const ModeOptions& options) {
  const std::vector<std::pair<std::string, LinearView>> views = {
      {"with controllers", {LoopView::kClosed, BodyView::kFlexible}},
      {"rigid bodies", {LoopView::kClosed, BodyView::kRigid}},
      {"locked", {LoopView::kLocked, BodyView::kFlexible}}};
  ModeComparison comparison;
  for (const auto& [name, view] : views) {
    ModeOptions ownOptions = options;
    ownOptions.view = view;
    ModeResult result = findModes(model, state, ownOptions);
    if (result.failure) {
      comparison.failure = base::withContext("view '" + name + "': ", *result.failure);
      return comparison;
    }
    comparison.columns.push_back({name, std::move(result)});
  }
  makeRows(makeMotionMass(model, state), comparison);
  return comparison;
}

}  // namespace flexloop::analysis
