#include "fem/reduction/static_modes.hpp"

#include <algorithm>

#include "fem/reduction/interface_modes.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/pivoted_qr.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;
using linalg::multiplySymmetric;

namespace {

constexpr const char* kStage = "static";
constexpr Eigen::Index kColumnsAtOnce = 32;  // right-hand sides in one pass through the factors

void place(const MatrixXd& from, const std::vector<int>& rows, MatrixXd& to) {
  for (std::size_t i = 0; i < rows.size(); ++i) to.row(rows[i]) = from.row(i);
}

MatrixXd rowsOf(const MatrixXd& X, const std::vector<int>& rows) {
  MatrixXd part(rows.size(), X.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) part.row(i) = X.row(rows[i]);
  return part;
}

// In blocks, with progress from `first` to `last`; false where it was stopped.
bool solveInBlocks(const linalg::SymmetricFactors& factors, MatrixXd& X, double first, double last,
                   const linalg::Progress& progress) {
  for (Eigen::Index column = 0; column < X.cols(); column += kColumnsAtOnce) {
    const Eigen::Index count = std::min(kColumnsAtOnce, X.cols() - column);
    const double done = static_cast<double>(column) / static_cast<double>(X.cols());
    if (progress && !progress(first + done * (last - first), "static modes")) return false;
    factors.solve(X.middleCols(column, count));
  }
  return true;
}

base::Failure stopped() {
  return {"the reduction was interrupted", {}, base::FailureKind::kOther};
}

}  // namespace

std::optional<base::Failure> StaticModes::calculate(const Component& component,
                                                    const linalg::Progress& progress) {
  component_ = &component;
  singular_.reset();
  interior_ = findOthers(component.unknowns(), component.boundary);
  const Eigen::Index boundary = static_cast<Eigen::Index>(component.boundary.size());
  const Eigen::Index motions = component.rigid.cols(), loads = component.loads.cols();
  MR_ = multiplySymmetric(*component.M, component.rigid);
  rigidMass_ = component.rigid.transpose() * MR_;
  MatrixXd columns;
  if (auto failure = obtainColumns(progress, columns)) return failure;
  if (singular_) return std::nullopt;
  Psi_ = columns.leftCols(boundary);
  relief_ = columns.middleCols(boundary, motions);
  loaded_ = columns.rightCols(loads);
  S_ = Psi_.transpose() * multiplySymmetric(*component.K, Psi_);
  S_ = (0.5 * (S_ + S_.transpose())).eval();
  findDeterminate();
  return std::nullopt;
}

std::optional<base::Failure> StaticModes::obtainColumns(const linalg::Progress& progress,
                                                        MatrixXd& columns) {
  const auto count = static_cast<Eigen::Index>(component_->boundary.size()) +
                     component_->rigid.cols() + component_->loads.cols();
  const Stopwatch watch;
  auto kept = component_->pieces.find(kStage);
  if (kept && kept->size() == 2 && kept->front().rows() == component_->unknowns() &&
      kept->front().cols() == count && kept->back().rows() == component_->unknowns()) {
    columns = std::move(kept->front());
    flexible_ = std::move(kept->back());
    return std::nullopt;
  }
  if (auto failure = solveColumns(progress, columns)) return failure;
  if (!singular_) component_->pieces.keep(kStage, {columns, flexible_}, watch.seconds());
  return std::nullopt;
}

std::optional<base::Failure> StaticModes::solveColumns(const linalg::Progress& progress,
                                                       MatrixXd& columns) {
  const Component& component = *component_;
  const Eigen::Index boundary = static_cast<Eigen::Index>(component.boundary.size());
  const Eigen::Index motions = component.rigid.cols(), loads = component.loads.cols();
  if (progress && !progress(0.0, "factorising the stiffness")) return stopped();
  linalg::SymmetricFactors factors;
  if (auto failure = factors.factorize(extract(*component.K, interior_), component.factors))
    return failure;
  const linalg::SymmetricReport& report = factors.report();
  const int negative = report.negativePivots - component.multipliers;
  if (!report.nullRows.empty() || negative > 0) {
    const int unknown = report.nullRows.empty() ? -1 : interior_[report.nullRows.front()];
    singular_ = Singular{unknown, std::max(0, negative)};
    return std::nullopt;
  }

  MatrixXd X(interior_.size(), boundary + motions + loads);
  X.leftCols(boundary) = -extractColumns(*component.K, interior_, component.boundary);
  X.middleCols(boundary, motions) = rowsOf(MR_, interior_);
  if (loads > 0) X.rightCols(loads) = rowsOf(component.loads, interior_);
  if (!solveInBlocks(factors, X, 0.5, 1.0, progress)) return stopped();
  if (!findFlexible(factors, progress)) return stopped();
  factors.reset();

  columns = MatrixXd::Zero(component.unknowns(), X.cols());
  place(X, interior_, columns);
  for (Eigen::Index j = 0; j < boundary; ++j) columns(component.boundary[j], j) = 1.0;
  // Multipliers do no work on motions that keep their conditions.
  columns.bottomRows(component.multipliers).setZero();
  return std::nullopt;
}

bool StaticModes::findFlexible(const linalg::SymmetricFactors& factors,
                               const linalg::Progress& progress) {
  std::vector<int> places(component_->unknowns(), -1);
  for (std::size_t i = 0; i < interior_.size(); ++i) places[interior_[i]] = static_cast<int>(i);
  const Eigen::VectorXd mass = component_->M->diagonal();
  const auto stage = [&](double fraction, const char* what) {
    return !progress || progress(0.9 + 0.1 * fraction, what);
  };
  flexible_ = MatrixXd(component_->unknowns(), 0);
  for (const FlexibleSet& set : component_->flexible) {
    std::vector<int> rows;
    std::vector<double> masses;
    for (const int unknown : set.unknowns) {
      if (places[unknown] < 0 || !(mass[unknown] > 0.0)) continue;
      rows.push_back(places[unknown]);
      masses.push_back(mass[unknown]);
    }
    const auto found = findInterfaceModes(
        factors, static_cast<Eigen::Index>(interior_.size()), rows,
        Eigen::Map<const Eigen::VectorXd>(masses.data(), static_cast<Eigen::Index>(masses.size())),
        set.modes, stage);
    if (!found) return false;
    const Eigen::Index before = flexible_.cols();
    flexible_.conservativeResize(Eigen::NoChange, before + found->cols());
    flexible_.rightCols(found->cols()).setZero();
    for (std::size_t i = 0; i < interior_.size(); ++i)
      flexible_.row(interior_[i]).tail(found->cols()) = found->row(i);
    flexible_.bottomRows(component_->multipliers).setZero();
  }
  return true;
}

// The rows of R_b that are furthest from each other, in units in which every boundary freedom is as stiff as any other.
void StaticModes::findDeterminate() {
  const MatrixXd Rb = rowsOf(component_->rigid, component_->boundary);
  determinate_.clear();
  if (Rb.cols() == 0) return;
  MatrixXd scaled = Rb.transpose();
  for (Eigen::Index j = 0; j < scaled.cols(); ++j) scaled.col(j) *= std::sqrt(S_(j, j));
  for (Eigen::Index i = 0; i < scaled.rows(); ++i) {
    const double size = scaled.row(i).norm();
    if (size > 0.0) scaled.row(i) /= size;
  }
  const linalg::PivotedQr<double> qr(scaled);
  for (Eigen::Index i = 0; i < Rb.cols(); ++i) determinate_.push_back(qr.column(i));
  std::sort(determinate_.begin(), determinate_.end());
}

MatrixXd StaticModes::solveBoundary(const MatrixXd& loads, const std::vector<int>& held) const {
  const int boundary = static_cast<int>(S_.rows());
  const std::vector<int> free = findOthers(boundary, held);
  MatrixXd S(free.size(), free.size());
  for (std::size_t i = 0; i < free.size(); ++i) {
    for (std::size_t j = 0; j < free.size(); ++j) S(i, j) = S_(free[i], free[j]);
  }
  MatrixXd ub = MatrixXd::Zero(boundary, loads.cols());
  if (!free.empty()) place(linalg::DenseLu<double>(S).solve(rowsOf(loads, free)), free, ub);
  return ub;
}

MatrixXd StaticModes::respond(const MatrixXd& boundaryLoads, const MatrixXd& c) const {
  const MatrixXd loads = boundaryLoads + Psi_.transpose() * MR_ * c;
  return Psi_ * solveBoundary(loads, determinate_) + relief_ * c;
}

MatrixXd StaticModes::respondToLoads(const std::vector<int>& held) const {
  return Psi_ * solveBoundary(Psi_.transpose() * component_->loads, held) + loaded_;
}

MatrixXd StaticModes::respondToForces(const std::vector<int>& places,
                                      const std::vector<int>& held) const {
  MatrixXd loads = MatrixXd::Zero(S_.rows(), static_cast<Eigen::Index>(places.size()));
  for (std::size_t j = 0; j < places.size(); ++j) loads(places[j], j) = 1.0;
  return Psi_ * solveBoundary(loads, held);
}

MatrixXd StaticModes::attachment() const {
  const int boundary = static_cast<int>(S_.rows());
  const std::vector<int> free = findOthers(boundary, determinate_);
  MatrixXd loads = MatrixXd::Zero(boundary, free.size());
  for (std::size_t j = 0; j < free.size(); ++j) loads(free[j], j) = 1.0;
  return respond(loads, MatrixXd::Zero(MR_.cols(), free.size()));
}

MatrixXd StaticModes::reliefAttachmentForm() const {
  const Eigen::Index motions = MR_.cols();
  return respond(MatrixXd::Zero(S_.rows(), motions), MatrixXd::Identity(motions, motions));
}

MatrixXd StaticModes::inertiaReliefAttachment() const {
  const Eigen::Index boundary = S_.rows();
  if (MR_.cols() == 0)
    return respond(MatrixXd::Identity(boundary, boundary), MatrixXd(0, boundary));
  const MatrixXd Rb = rowsOf(component_->rigid, component_->boundary);
  const linalg::DenseLu<double> mass(rigidMass_);
  const MatrixXd c = mass.solve(Rb.transpose());
  const MatrixXd X = respond(MatrixXd::Identity(boundary, boundary), -c);
  return X - component_->rigid * mass.solve(MR_.transpose() * X);
}

}  // namespace flexloop::fem
