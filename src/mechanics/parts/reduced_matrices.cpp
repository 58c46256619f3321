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

}  // namespace

ReducedMatrices::ReducedMatrices(const ReducedModel& model)
    : interfaces(static_cast<int>(model.interfaces.size())),
      modes(model.modes()),
      coordinates(model.interfaceFreedoms() - 6 + modes) {
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
  for (int a = 0; a < 3; ++a) {
    G[a] = model.G[a].rightCols(n);
    rigidG[a] = rigid.transpose() * G[a];
  }
  for (int p = 0; p < 6; ++p) {
    const auto [a, b] = kAxisPairs[p];
    const MatrixXd Q = 0.5 * (model.Q[a][b] + model.Q[b][a]).bottomRightCorner(n, n);
    S[p] = makeSymmetric(Q);
  }
  rigidM = rigid.transpose() * mass_;
  rigidMass = rigidM * rigid;
  mass = rigidMass.topLeftCorner<3, 3>().trace() / 3.0;
  moment = math::axial<double>(Mat3<double>(rigidMass.bottomLeftCorner<3, 3>()));
  momentByZ = rigidM.topRightCorner(3, n);
  hasStiffening = model.Kg[0][0].size() > 0;
  if (!hasStiffening) return;
  for (int p = 0; p < 6; ++p) {
    const auto [a, b] = kAxisPairs[p];
    const MatrixXd both = 0.5 * (model.Kg[a][b] + model.Kg[b][a]).bottomRightCorner(n, n);
    Kg[p] = makeSymmetric(both);
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

namespace {

// For W neighbouring columns c_j of a matrix, rows `first` to `last`: the products c_j·x and c_j·w, and
// sum += Σ factor_j c_j. Each entry of the matrix is read once.
template <int W>
struct ColumnPass {
  std::array<double, W> byX{}, byW{};

  void run(const double* column, Eigen::Index stride, Eigen::Index first, Eigen::Index last,
           const double* x, const double* w, const std::array<double, W>& factor, double* sum) {
    using Chunk = Eigen::Array<double, 4, 1>;
    using In = Eigen::Map<const Chunk>;
    std::array<Chunk, W> xs, ws;
    for (int j = 0; j < W; ++j) xs[j] = ws[j] = Chunk::Zero();
    Eigen::Index i = first;
    for (; i + 4 <= last; i += 4) {
      const Chunk xi = In(x + i), wi = In(w + i);
      Eigen::Map<Chunk> to(sum + i);
      Chunk total = to;
#pragma GCC unroll 4
      for (int j = 0; j < W; ++j) {
        const Chunk c = In(column + j * stride + i);
        xs[j] += c * xi;
        ws[j] += c * wi;
        total += factor[j] * c;
      }
      to = total;
    }
    for (int j = 0; j < W; ++j) {
      byX[j] = (xs[j][0] + xs[j][1]) + (xs[j][2] + xs[j][3]);
      byW[j] = (ws[j][0] + ws[j][1]) + (ws[j][2] + ws[j][3]);
      for (Eigen::Index r = i; r < last; ++r) {
        const double c = column[j * stride + r];
        byX[j] += c * x[r];
        byW[j] += c * w[r];
        sum[r] += factor[j] * c;
      }
    }
  }
};

struct GyroscopicSums {
  double yGz = 0.0, yGdz = 0.0, dyGz = 0.0;
};

template <int W>
void addGyroscopic(const MatrixXd& G, Eigen::Index j, double omega, double omegaRate,
                   const VectorXd& z, const VectorXd& dz, const VectorXd& y, const VectorXd& dy,
                   VectorXd& momentumRate, VectorXd& forces, GyroscopicSums& sums) {
  std::array<double, W> factor;
  for (int c = 0; c < W; ++c) factor[c] = omegaRate * z[j + c] + omega * dz[j + c];
  ColumnPass<W> pass;
  pass.run(G.data() + j * G.rows(), G.rows(), 0, G.rows(), y.data(), dy.data(), factor,
           momentumRate.data());
  for (int c = 0; c < W; ++c) {
    forces[j + c] -= omega * pass.byX[c];
    sums.yGz += pass.byX[c] * z[j + c];
    sums.yGdz += pass.byX[c] * dz[j + c];
    sums.dyGz += pass.byW[c] * z[j + c];
  }
}

// Reads the lower triangle. `factor` is that of S z in the forces.
template <int W>
void addCentrifugal(const MatrixXd& S, Eigen::Index j, double factor, const VectorXd& z,
                    const VectorXd& dz, VectorXd& forces, double& zSz, double& dzSz) {
  const double* column = S.data() + j * S.rows();
  std::array<double, W> factors;
  for (int c = 0; c < W; ++c) factors[c] = -factor * z[j + c];
  ColumnPass<W> pass;
  pass.run(column, S.rows(), j + W, S.rows(), z.data(), dz.data(), factors, forces.data());
  for (int c = 0; c < W; ++c) {
    double inBlock = 0.0;  // the block on the diagonal
    for (int r = 0; r < W; ++r) inBlock += S(j + r, j + c) * z[j + r];
    forces[j + c] -= factor * (pass.byX[c] + inBlock);
    zSz += z[j + c] * (2.0 * pass.byX[c] + inBlock);
    dzSz += dz[j + c] * (pass.byX[c] + inBlock) + z[j + c] * pass.byW[c];
  }
}

// Calls `four` with the first of four neighbours, and `one` for those that are left.
template <class Four, class One>
void forEachColumn(Eigen::Index columns, const Four& four, const One& one) {
  Eigen::Index j = 0;
  for (; j + 4 <= columns; j += 4) four(j);
  for (; j < columns; ++j) one(j);
}

// Subtracts factor·S z from the forces.
void addSymmetric(const MatrixXd& S, double factor, const VectorXd& z, const VectorXd& dz,
                  VectorXd& forces, double& zSz, double& dzSz) {
  forEachColumn(
      S.cols(), [&](Eigen::Index j) { addCentrifugal<4>(S, j, factor, z, dz, forces, zSz, dzSz); },
      [&](Eigen::Index j) { addCentrifugal<1>(S, j, factor, z, dz, forces, zSz, dzSz); });
}

}  // namespace

RotatingProducts addRotatingForces(const ReducedMatrices& matrices, const Vec3<double>& omega,
                                   const Vec3<double>& omegaRate, const VectorXd& z,
                                   const VectorXd& dz, const VectorXd& y, const VectorXd& dy,
                                   VectorXd& momentumRate, VectorXd& forces) {
  RotatingProducts products;
  for (int a = 0; a < 3; ++a) {
    const MatrixXd& G = matrices.G[a];
    GyroscopicSums sums;
    const auto add = [&]<int W>(Eigen::Index j) {
      addGyroscopic<W>(G, j, omega[a], omegaRate[a], z, dz, y, dy, momentumRate, forces, sums);
    };
    forEachColumn(
        G.cols(), [&](Eigen::Index j) { add.template operator()<4>(j); },
        [&](Eigen::Index j) { add.template operator()<1>(j); });
    products.yGz[a] = sums.yGz;
    products.yGdz[a] = sums.yGdz;
    products.dyGz[a] = sums.dyGz;
  }
  const auto turns = [&](int a) { return omega[a] != 0.0 || omegaRate[a] != 0.0; };
  for (int p = 0; p < 6; ++p) {
    const auto [a, b] = kAxisPairs[p];
    double zSz = 0.0, dzSz = 0.0;
    // Every use has a factor ω or ω' of one of the axes.
    if (turns(a) || turns(b)) {
      const double factor = (a == b ? 1.0 : 2.0) * omega[a] * omega[b];
      addSymmetric(matrices.S[p], factor, z, dz, forces, zSz, dzSz);
    }
    products.zSz[p] = zSz;
    products.dzSz[p] = dzSz;
  }
  return products;
}

StiffeningProducts addStiffening(const ReducedMatrices& matrices, const Vec3<double>& meanRotation,
                                 const VectorXd& z, const VectorXd& dz, VectorXd& forces) {
  StiffeningProducts products;
  for (int p = 0; p < 6; ++p) {
    const auto [a, b] = kAxisPairs[p];
    const double factor = (a == b ? -1.0 : -2.0) * meanRotation[a] * meanRotation[b];
    double zKz = 0.0, dzKz = 0.0;
    addSymmetric(matrices.Kg[p], factor, z, dz, forces, zKz, dzKz);
    products.zKz(a, b) = products.zKz(b, a) = zKz;
    products.dzKz(a, b) = products.dzKz(b, a) = dzKz;
  }
  return products;
}

}  // namespace flexloop::mechanics
