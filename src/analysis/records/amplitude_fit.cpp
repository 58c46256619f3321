#include "analysis/records/amplitude_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/dense/least_squares.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;

// Of the variance of noise; the largest of many thousand sums of squares that noise may give.
constexpr double kSignificant = 25.0;

bool isPair(const Complex& z) {
  return z.imag() > 0.0;
}

Eigen::Index widthOf(const Complex& z) {
  return isPair(z) ? 2 : 1;
}

}  // namespace

AmplitudeFit::AmplitudeFit(const ThinnedRecord& record, const std::vector<Complex>& roots,
                           int standing)
    : record_(record), samples_(record.calcSamples()), standing_(standing) {
  Eigen::Index width = standing_;
  for (const Complex& z : roots) {
    columns_.push_back({z, width});
    width += widthOf(z);
  }
  const auto size = static_cast<Eigen::Index>(samples_.size());
  Eigen::VectorXd y(size);
  for (Eigen::Index i = 0; i < size; ++i) y[i] = samples_[static_cast<std::size_t>(i)].filtered;
  const Eigen::MatrixXd basis = makeBasis(true);
  const Eigen::MatrixXd Q = linalg::orthonormalize(basis);
  R_ = linalg::findTriangle(basis);
  right_ = Q.transpose() * y;
  rest_ = (y - Q * right_).squaredNorm();
  solve();
}

// What grows is measured at its end, so that no column overflows.
double AmplitudeFit::growthOf(const Complex& z) const {
  return std::abs(z) > 1.0 ? duration() : 0.0;
}

Eigen::MatrixXd AmplitudeFit::makeBasis(bool filtered) const {
  Eigen::Index width = standing_;
  for (const Column& column : columns_) width += widthOf(column.z);
  Eigen::MatrixXd basis(static_cast<Eigen::Index>(samples_.size()), width);
  for (Eigen::Index i = 0; i < basis.rows(); ++i) {
    const double time = samples_[static_cast<std::size_t>(i)].time;
    for (int j = 0; j < standing_; ++j) basis(i, j) = std::pow(time / duration(), j);
  }
  Eigen::Index first = standing_;
  for (const Column& column : columns_) {
    const Complex gain = filtered ? record_.calcGain(column.z) : 1.0;
    const Complex rate = std::log(column.z);
    for (Eigen::Index i = 0; i < basis.rows(); ++i) {
      const double time = samples_[static_cast<std::size_t>(i)].time;
      const Complex value = gain * std::polar(std::exp(rate.real() * (time - growthOf(column.z))),
                                              rate.imag() * time);
      basis(i, first) = value.real();
      if (isPair(column.z)) basis(i, first + 1) = -value.imag();
    }
    first += widthOf(column.z);
  }
  return basis;
}

Eigen::VectorXd AmplitudeFit::calcWeights(const std::vector<Column>& columns,
                                          double& squares) const {
  std::vector<Eigen::Index> indices;
  for (int j = 0; j < standing_; ++j) indices.push_back(j);
  for (const Column& column : columns) {
    for (Eigen::Index j = 0; j < widthOf(column.z); ++j) indices.push_back(column.first + j);
  }
  const Eigen::MatrixXd chosen = R_(Eigen::all, indices);
  Eigen::VectorXd weights = linalg::solveLeastSquares(chosen, right_);
  squares = rest_ + (chosen * weights - right_).squaredNorm();
  return weights;
}

// The root that costs least, and the sum of squares without it.
std::size_t AmplitudeFit::findIdlest(double& squares) const {
  std::size_t idlest = 0;
  squares = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::vector<Column> others = columns_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    double without = 0.0;
    calcWeights(others, without);
    if (without >= squares) continue;
    squares = without;
    idlest = i;
  }
  return idlest;
}

void AmplitudeFit::dropIdle(double least) {
  const auto size = static_cast<double>(samples_.size());
  while (!columns_.empty()) {
    double without = 0.0;
    const std::size_t idlest = findIdlest(without);
    if (without - squares_ > std::max(least * size, kSignificant * squares_ / size)) return;
    columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(idlest));
    solve();
  }
}

std::vector<AmplitudeFit::Part> AmplitudeFit::calcParts() const {
  std::vector<Part> parts;
  Eigen::Index first = standing_;
  for (const Column& column : columns_) {
    const double scale = std::pow(std::abs(column.z), -growthOf(column.z));
    const double imag = isPair(column.z) ? weights_[first + 1] : 0.0;
    parts.push_back({column.z, scale * Complex(weights_[first], imag)});
    first += widthOf(column.z);
  }
  return parts;
}

double AmplitudeFit::calcResidual() const {
  const Eigen::VectorXd fit = makeBasis(false) * weights_;
  double squares = 0.0;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    squares += std::pow(samples_[i].raw - fit[static_cast<Eigen::Index>(i)], 2);
  }
  return std::sqrt(squares / static_cast<double>(samples_.size()));
}

}  // namespace flexloop::analysis
