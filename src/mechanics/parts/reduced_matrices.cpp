#include "mechanics/parts/reduced_matrices.hpp"

#include <cmath>

#include "linalg/dense/eigenvalues.hpp"

namespace flexloop::mechanics {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using math::Mat3;
using math::Vec3;
using math::Vec6;

namespace {

MatrixXd makeSymmetric(const MatrixXd& A) {
  return 0.5 * (A + A.transpose());
}

// Where points have the same mass in all directions the rows of z in Gₐ = Φᵀ𝓜EₐΦ are skew but for rounding, which is then
// removed. By Cauchy and Schwarz no entry is larger than the root of two entries of the mass.
bool makeSkew(const VectorXd& mass, std::array<MatrixXd, 3>& G) {
  constexpr double kRounding = 1e-11;
  const Eigen::Index n = mass.size();
  const VectorXd root = mass.cwiseMax(0.0).cwiseSqrt();
  const MatrixXd bound = kRounding * root * root.transpose();
  for (const MatrixXd& X : G) {
    const MatrixXd both = X.bottomRows(n) + X.bottomRows(n).transpose();
    if ((both.cwiseAbs().array() > bound.array()).any()) return false;
  }
  for (MatrixXd& X : G) {
    const MatrixXd skew = 0.5 * (X.bottomRows(n) - X.bottomRows(n).transpose());
    X.bottomRows(n) = skew;
  }
  return true;
}

// The inverse of a rigid mass, without rotations that have no inertia, as that of a line about itself.
math::Mat6<double> invertMass(const math::Mat6<double>& mass) {
  constexpr double kNone = 1e-10;  // of the largest
  Vec6<double> scale;
  scale.head<3>().setConstant(mass.topLeftCorner<3, 3>().trace());
  scale.tail<3>().setConstant(mass.bottomRightCorner<3, 3>().trace());
  scale = scale.unaryExpr([](double x) { return x > 0.0 ? 1.0 / std::sqrt(x) : 0.0; });
  const MatrixXd scaled = scale.asDiagonal() * mass * scale.asDiagonal();
  const auto found = linalg::findSymmetricEigensystem(scaled);
  math::Mat6<double> inverse = math::Mat6<double>::Zero();
  if (!found) return inverse;
  for (int i = 0; i < 6; ++i) {
    if (found->values[i] <= kNone * found->values[5]) continue;
    const Vec6<double> direction = scale.cwiseProduct(Vec6<double>(found->vectors.col(i)));
    inverse += direction * direction.transpose() / found->values[i];
  }
  return inverse;
}

// By axis, whether what turns about it is more than the last digit of what turns about the others, a hundred terms added up.
std::array<bool, 3> findTurningAxes(const Vec3<double>& omega, const Vec3<double>& omegaRate) {
  constexpr double kNothing = 1e-18;
  const double most = kNothing * omega.cwiseAbs().maxCoeff();
  const double mostRate = kNothing * omegaRate.cwiseAbs().maxCoeff();
  std::array<bool, 3> turns{};
  for (int a = 0; a < 3; ++a) {
    turns[a] = std::abs(omega[a]) > most || std::abs(omegaRate[a]) > mostRate;
  }
  return turns;
}

}  // namespace

ReducedMatrices::ReducedMatrices(const ReducedModel& model, double massDamping_)
    : interfaces(static_cast<int>(model.interfaces.size())),
      modes(model.modes()),
      coordinates(model.interfaceFreedoms() - 6 + modes),
      massDamping(massDamping_) {
  const int n = coordinates, interfaceZ = n - modes;
  for (int k = 1; k < interfaces; ++k) {
    arms.emplace_back(model.interfaces[k] - model.interfaces[0]);
  }
  const MatrixXd mass_ = makeSymmetric(model.M);
  M = SplitMatrix(mass_, model.interfaceFreedoms());
  K = SplitMatrix(makeSymmetric(model.K.bottomRightCorner(n, n)), interfaceZ);
  D = SplitMatrix(model.D.bottomRightCorner(n, n), interfaceZ);
  hasDamping = !D.dense().isZero(0.0);
  const MatrixXd rigid = makeRigidField();
  for (int a = 0; a < 3; ++a) G[a] = model.G[a].rightCols(n);
  isSkew = makeSkew(mass_.diagonal().tail(n), G);
  for (int a = 0; isSkew && a < 3; ++a) halfG[a] = HalfMatrix(G[a].bottomRows(n), Symmetry::kSkew);
  rigidG.resize(18, n);
  for (int a = 0; a < 3; ++a) rigidG.middleRows<6>(6 * a) = rigid.transpose() * G[a];
  for (int p = 0; p < 6; ++p) {
    const auto [a, b] = kAxisPairs[p];
    const MatrixXd Q = 0.5 * (model.Q[a][b] + model.Q[b][a]).bottomRightCorner(n, n);
    S[p] = makeSymmetric(Q);
    halfS[p] = HalfMatrix(S[p], Symmetry::kSymmetric);
  }
  rigidM = rigid.transpose() * mass_;
  rigidMass = rigidM * rigid;
  mass = rigidMass.topLeftCorner<3, 3>().trace() / 3.0;
  moment = math::axial<double>(Mat3<double>(rigidMass.bottomLeftCorner<3, 3>()));
  momentByZ = rigidM.topRightCorner(3, n);
  for (const MatrixXd& X : model.B) {
    B.push_back(makeSymmetric(X.bottomRightCorner(n, n)));
    halfB.emplace_back(B.back(), Symmetry::kSymmetric);
  }
  hasStiffening = model.Kg[0][0].size() > 0;
  if (!hasStiffening) return;
  for (int p = 0; p < 6; ++p) {
    const auto [a, b] = kAxisPairs[p];
    const MatrixXd both = 0.5 * (model.Kg[a][b] + model.Kg[b][a]).bottomRightCorner(n, n);
    Kg[p] = makeSymmetric(both);
    halfKg[p] = HalfMatrix(Kg[p], Symmetry::kSymmetric);
  }
  meanRotation = (invertMass(rigidMass) * rigidM).bottomRows(3);
}

MatrixXd ReducedMatrices::makeRigidField() const {
  MatrixXd rigid = MatrixXd::Zero(velocities(), 6);
  for (int k = 0; k < interfaces; ++k) {
    rigid.block<6, 6>(6 * k, 0).setIdentity();
    if (k > 0) rigid.block<3, 3>(6 * k, 3) = -math::skew<double>(arms[k - 1]);
  }
  return rigid;
}

void ReducedMatrices::calcVelocity(const Vec6<double>& v, const VectorXd& rate, VectorXd& y) const {
  y.head<6>() = v;
  y.tail(coordinates) = rate;
  const Vec3<double> nu = v.head<3>(), omega = v.tail<3>();
  for (int k = 1; k < interfaces; ++k) {
    y.segment<3>(6 * k) += nu + math::cross<double>(omega, arms[k - 1]);
    y.segment<3>(6 * k + 3) += omega;
  }
}

Vec6<double> ReducedMatrices::calcResultant(const VectorXd& f) const {
  Vec6<double> sum = f.head<6>();
  for (int k = 1; k < interfaces; ++k) {
    const Vec3<double> force = f.segment<3>(6 * k);
    sum.head<3>() += force;
    sum.tail<3>() += f.segment<3>(6 * k + 3) + math::cross<double>(arms[k - 1], force);
  }
  return sum;
}

void addRotatingForces(const ReducedMatrices& m, const Vec6<double>& twist,
                       const Vec6<double>& twistRate, const VectorXd& z, const VectorXd& dz,
                       const VectorXd& ddz, bool withAll, RotatingProducts& p, VectorXd& forces) {
  const Vec3<double> omega = twist.tail<3>(), omegaRate = twistRate.tail<3>();
  p.turns = findTurningAxes(omega, omegaRate);
  const Eigen::Matrix<double, 18, 1> rigidZ = m.rigidG * z, rigidDz = m.rigidG * dz;
  Eigen::Matrix<double, 18, 1> turning;  // ωₐ v
  p.rigidMomentum.setZero();
  p.rigidForce.setZero();
  for (int a = 0; a < 3; ++a) {
    auto Gz = p.Gz.col(a), Gdz = p.Gdz.col(a);
    if (m.isSkew && !withAll && !p.turns[a]) {
      m.halfG[a].multiply(z, Gz, p.half);
      Gdz.setZero();
    } else if (m.isSkew) {
      m.halfG[a].multiply(z, dz, Gz, Gdz, p.half);
      forces += omegaRate[a] * Gz + (2.0 * omega[a]) * Gdz;
    } else {
      const auto G = m.G[a].bottomRows(m.coordinates);
      Gz.noalias() = G * z;
      Gdz.noalias() = G * dz;
      p.column.noalias() = G.transpose() * dz;
      forces += omegaRate[a] * Gz + omega[a] * (Gdz - p.column);
    }
    const Vec6<double> rz = rigidZ.segment<6>(6 * a), rdz = rigidDz.segment<6>(6 * a);
    p.rigidMomentum += omega[a] * rz;
    p.rigidForce += omegaRate[a] * rz + omega[a] * rdz;
    p.yGz[a] = twist.dot(rz) + dz.dot(Gz);
    p.yGdz[a] = twist.dot(rdz) + dz.dot(Gdz);
    p.dyGz[a] = twistRate.dot(rz) + ddz.dot(Gz);
    turning.segment<6>(6 * a) = omega[a] * twist;
  }
  forces.noalias() -= m.rigidG.transpose() * turning;

  for (int k = 0; k < 6; ++k) {
    const auto [a, b] = kAxisPairs[k];
    p.zSz[k] = p.dzSz[k] = 0.0;
    // Every use has a factor ω or ω' of one of the axes.
    if (!p.turns[a] && !p.turns[b]) continue;
    m.halfS[k].multiply(z, p.column, p.half);
    forces -= ((a == b ? 1.0 : 2.0) * omega[a] * omega[b]) * p.column;
    p.zSz[k] = z.dot(p.column);
    p.dzSz[k] = dz.dot(p.column);
  }
}

StiffeningProducts addStiffening(const ReducedMatrices& matrices, const Vec3<double>& meanRotation,
                                 const VectorXd& z, const VectorXd& dz, RotatingProducts& work,
                                 VectorXd& forces) {
  VectorXd& column = work.column;
  StiffeningProducts products;
  for (int p = 0; p < 6; ++p) {
    const auto [a, b] = kAxisPairs[p];
    matrices.halfKg[p].multiply(z, column, work.half);
    forces += ((a == b ? 1.0 : 2.0) * meanRotation[a] * meanRotation[b]) * column;
    products.zKz(a, b) = products.zKz(b, a) = z.dot(column);
    products.dzKz(a, b) = products.dzKz(b, a) = dz.dot(column);
  }
  return products;
}

void addForeshortened(const ReducedMatrices& m, const VectorXd& z, ShorteningProducts& products,
                      HalfMatrix::Workspace& half, VectorXd& forces) {
  const auto count = static_cast<Eigen::Index>(m.B.size());
  products.shorter = z;
  products.elastic.setZero();
  for (Eigen::Index j = 0; j < count; ++j) {
    m.halfB[j].multiply(z, products.Bz.col(j), half);
    products.shorter[ReducedMatrices::rowOf(j)] += 0.5 * z.dot(products.Bz.col(j));
  }
  m.K.addProduct(products.shorter, products.elastic);
  forces += products.elastic;
  for (Eigen::Index j = 0; j < count; ++j)
    forces += products.elastic[ReducedMatrices::rowOf(j)] * products.Bz.col(j);
}

}  // namespace flexloop::mechanics
