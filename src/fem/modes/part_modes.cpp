#include "fem/modes/part_modes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/text_format.hpp"
#include "fem/assembly/rigid_body.hpp"
#include "linalg/symmetric/dense_modes.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;
using Eigen::Vector3d;

namespace {

constexpr int kFreedoms = 6;

// x² y² z² xy yz zx, and x y z.
std::array<double, 9> monomials(const Vector3d& p) {
  return {p.x() * p.x(), p.y() * p.y(), p.z() * p.z(), p.x() * p.y(), p.y() * p.z(),
          p.z() * p.x(), p.x(),         p.y(),         p.z()};
}

// Each monomial in each translation, 6 × 3, and those of first degree in each rotation, 3 × 3.
MatrixXd makeTrialFields(const PartSystem& part) {
  const Vector3d centre = calcMassProperties(part).centre;
  double size = 0.0;
  for (const Vector3d& point : part.points) size = std::max(size, (point - centre).norm());
  MatrixXd fields = MatrixXd::Zero(part.unknowns(), 27);
  for (std::size_t freedom = 0; freedom < part.unknownOf.size(); ++freedom) {
    const int unknown = part.unknownOf[freedom];
    if (unknown < 0) continue;
    const auto terms = monomials((part.points[freedom / kFreedoms] - centre) / size);
    const auto component = static_cast<int>(freedom % kFreedoms);
    for (int term = 0; term < 6 && component < 3; ++term)
      fields(unknown, 3 * term + component) = size * terms[term];
    for (int term = 0; term < 3 && component >= 3; ++term)
      fields(unknown, 18 + 3 * term + component - 3) = terms[6 + term];
  }
  return fields;
}

std::vector<int> findUnknowns(const PartSystem& part, const std::vector<int>& nodes) {
  std::vector<int> unknowns;
  for (const int node : nodes) {
    for (int component = 0; component < kFreedoms; ++component) {
      const int unknown = part.unknownOf[kFreedoms * node + component];
      if (unknown >= 0) unknowns.push_back(unknown);
    }
  }
  std::sort(unknowns.begin(), unknowns.end());
  unknowns.erase(std::unique(unknowns.begin(), unknowns.end()), unknowns.end());
  return unknowns;
}

}  // namespace

std::function<std::string(int)> makeUnknownNames(const PartSystem& part,
                                                 const std::function<std::string(int)>& name) {
  std::vector<int> freedoms(part.unknowns(), -1);
  for (std::size_t freedom = 0; freedom < part.unknownOf.size(); ++freedom) {
    if (part.unknownOf[freedom] >= 0) freedoms[part.unknownOf[freedom]] = static_cast<int>(freedom);
  }
  return [freedoms = std::move(freedoms), name](int unknown) -> std::string {
    const int freedom = freedoms[unknown];
    if (freedom < 0) return "an averaging spider";
    if (name) return name(freedom);
    constexpr std::array kComponents{"x", "y", "z", "rx", "ry", "rz"};
    return base::formatText("node %d %s", freedom / kFreedoms, kComponents[freedom % kFreedoms]);
  };
}

double estimateLowestEigenvalue(const PartSystem& part) {
  // Rigid motions are taken out of the trial fields, by mass; fields that are nothing then, too.
  const MatrixXd R = makeRigidModes(part, calcMassProperties(part).centre);
  const MatrixXd fields = makeTrialFields(part);
  MatrixXd X(part.unknowns(), R.cols() + fields.cols());
  X << R, fields;
  std::vector<int> kept;
  MatrixXd MX = linalg::multiplySymmetric(part.M, X);
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    const double before = X.col(j).dot(MX.col(j));
    for (int pass = 0; pass < 2; ++pass) {
      for (const int i : kept) {
        const double c = X.col(i).dot(MX.col(j));
        X.col(j) -= c * X.col(i);
        MX.col(j) -= c * MX.col(i);
      }
    }
    const double square = X.col(j).dot(MX.col(j));
    if (!(square > 1e-12 * before)) continue;
    X.col(j) /= std::sqrt(square);
    MX.col(j) /= std::sqrt(square);
    kept.push_back(static_cast<int>(j));
  }
  MatrixXd Q(X.rows(), kept.size());
  int rigid = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    Q.col(i) = X.col(kept[i]);
    rigid += kept[i] < R.cols() ? 1 : 0;
  }
  const auto elastic = static_cast<Eigen::Index>(kept.size()) - rigid;
  if (elastic <= 0) return 0.0;
  const MatrixXd V = Q.rightCols(elastic);
  const auto modes = linalg::findDenseModes(V.transpose() * linalg::multiplySymmetric(part.K, V),
                                            MatrixXd::Identity(elastic, elastic));
  return modes ? std::max(0.0, modes->values[0]) : 0.0;
}

base::Result<PartModes> findPartModes(const PartSystem& part, const std::vector<int>& held,
                                      int count, const std::function<std::string(int)>& name,
                                      const linalg::Progress& progress) {
  Component component;
  component.K = &part.K;
  component.M = &part.M;
  component.multipliers = part.multipliers;
  component.name = makeUnknownNames(part, name);
  component.scale = estimateLowestEigenvalue(part);
  // A part that the mesh holds to the ground has fewer.
  constexpr double kGrounded = 1e-7;
  component.rigid = findRigidResidual(part).share > kGrounded
                        ? MatrixXd(part.unknowns(), 0)
                        : makeRigidModes(part, calcMassProperties(part).centre);
  linalg::ModeRequest request;
  request.count = count;
  const auto found = findNormalModes(component, findUnknowns(part, held), request, progress);
  if (!found) return found.failure();
  const NormalModeSet& set = found.value();
  PartModes modes;
  modes.verified = set.verified;
  modes.frequencies.assign(set.rigid, 0.0);
  for (const double omega2 : set.omega2)
    modes.frequencies.push_back(std::sqrt(omega2) / (2.0 * std::numbers::pi));
  MatrixXd vectors(part.unknowns(), set.rigid + set.vectors.cols());
  vectors << set.rigidVectors, set.vectors;
  modes.shapes = part.T * vectors;
  return modes;
}

}  // namespace flexloop::fem
