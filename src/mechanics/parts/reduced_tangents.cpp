// Tangents of reduced parts (docs/theory/31_reduced_bodies.md, section 31.5): first those of r_F and r_z by (v, z) in the
// axes of the part, then the change to the freedoms of the nodes.
#include <optional>

#include "mechanics/parts/half_products.hpp"
#include "mechanics/parts/reduced_workspace.hpp"
#include "mechanics/parts/relative_maps.hpp"

namespace flexloop::mechanics {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using math::Mat3;
using math::Mat6;
using math::Vec3;
using math::Vec6;
using system::Environment;
using system::Motion;
using system::Tangents;

namespace {

using Columns = Eigen::Matrix<double, Eigen::Dynamic, 3>;

// Products of the constant matrices with the motion, by axis or pair of axes.
struct TangentProducts {
  Eigen::Matrix<double, 6, 3> rigidGz, rigidGdz;  // R_bᵀGₐ z, R_bᵀGₐ z'
  MatrixXd rigidGomega, rigidGomegaRate;          // R_bᵀGω, R_bᵀGω', 6 × n_z
  Columns Gy, Gdy;                                // Gₐᵀy, Gₐᵀy', n_z × 3
  Columns omegaSz, omegaSdz,
      omegaRateSz;  // Σ_b ω_b S_ab z, Σ_b ω_b S_ab z', Σ_b ω_b' S_ab z, n_z × 3
  Mat3<double> zSz, dzSz;

  TangentProducts(const ReducedMatrices& m, const PartMotion<double>& part, const Columns& Gdz)
      : column_(m.coordinates), rateColumn_(m.coordinates) {
    const Vec6<double>&v = part.first.twist, &dv = part.first.twistRate;
    rigidGomega.setZero(6, m.coordinates);
    rigidGomegaRate.setZero(6, m.coordinates);
    for (Columns* X : {&Gy, &Gdy, &omegaSz, &omegaSdz, &omegaRateSz}) X->setZero(m.coordinates, 3);
    zSz.setZero();
    dzSz.setZero();
    for (int a = 0; a < 3; ++a) {
      const auto rigidG = m.rigidG.middleRows<6>(6 * a);
      rigidGz.col(a).noalias() = rigidG * part.z;
      rigidGdz.col(a).noalias() = rigidG * part.dz;
      rigidGomega += v[3 + a] * rigidG;
      rigidGomegaRate += dv[3 + a] * rigidG;
      addTransposed(m, part, Gdz, a);
      Gy.col(a).noalias() += rigidG.transpose() * v;
      Gdy.col(a).noalias() += rigidG.transpose() * dv;
    }
    for (int p = 0; p < 6; ++p) addPair(m, part, p);
  }

 private:
  void addTransposed(const ReducedMatrices& m, const PartMotion<double>& part, const Columns& Gdz,
                     int a) {
    const auto G = m.G[a].bottomRows(m.coordinates);
    if (m.isSkew) {
      Gy.col(a) = -Gdz.col(a);
      Gdy.col(a).noalias() -= G * part.ddz;
    } else {
      Gy.col(a).noalias() = G.transpose() * part.dz;
      Gdy.col(a).noalias() = G.transpose() * part.ddz;
    }
  }

  // Every use has a factor ω or ω' of one of the axes.
  void addPair(const ReducedMatrices& m, const PartMotion<double>& part, int p) {
    const Vec3<double> omega = part.first.twist.tail<3>();
    const Vec3<double> omegaRate = part.first.twistRate.tail<3>();
    const auto turns = [&](int axis) { return omega[axis] != 0.0 || omegaRate[axis] != 0.0; };
    const auto [a, b] = kAxisPairs[p];
    if (!turns(a) && !turns(b)) return;
    multiplySymmetric(m.S[p], part.z, column_);
    multiplySymmetric(m.S[p], part.dz, rateColumn_);
    zSz(a, b) = zSz(b, a) = part.z.dot(column_);
    dzSz(a, b) = dzSz(b, a) = part.dz.dot(column_);
    const auto add = [&](int to, int from) {
      omegaSz.col(to) += omega[from] * column_;
      omegaSdz.col(to) += omega[from] * rateColumn_;
      omegaRateSz.col(to) += omegaRate[from] * column_;
    };
    add(a, b);
    if (a != b) add(b, a);
  }

  VectorXd column_, rateColumn_;
};

// Π of ad_δᵀ p = Π(p) δ (5.2).
Mat6<double> momentumMatrix(const Vec6<double>& p) {
  const Mat3<double> force = math::skew<double>(Vec3<double>(p.head<3>()));
  Mat6<double> A;
  A << Mat3<double>::Zero(), force, force, math::skew<double>(Vec3<double>(p.tail<3>()));
  return A;
}

// The same for stiffening, with the mean rotation ω̄ for ω.
struct StiffeningTangents {
  MatrixXd Komega;                          // Σ ω̄ₐ ω̄_b K^g_ab
  MatrixXd omegaKz, omegaKdz, omegaRateKz;  // Σ_b ω̄_b K^g_ab z, …, n_z × 3

  StiffeningTangents(const ReducedMatrices& m, const PartMotion<double>& part,
                     const Vec3<double>& mean, const Vec3<double>& meanRate) {
    Komega.setZero(m.coordinates, m.coordinates);
    for (MatrixXd* X : {&omegaKz, &omegaKdz, &omegaRateKz}) X->setZero(m.coordinates, 3);
    for (int p = 0; p < 6; ++p) {
      const auto [a, b] = kAxisPairs[p];
      Komega += ((a == b ? 1.0 : 2.0) * mean[a] * mean[b]) * m.Kg[p];
      const VectorXd Kz = m.Kg[p] * part.z, Kdz = m.Kg[p] * part.dz;
      const auto add = [&](int to, int from) {
        omegaKz.col(to) += mean[from] * Kz;
        omegaKdz.col(to) += mean[from] * Kdz;
        omegaRateKz.col(to) += meanRate[from] * Kz;
      };
      add(a, b);
      if (a != b) add(b, a);
    }
  }
};

// (31.12) to (31.14), in the order v, z.
void calcLocalTangents(const ReducedMatrices& m, const PartMotion<double>& part,
                       const RotatingProducts& products, const TangentProducts& x,
                       const StiffeningProducts& s, const StiffeningTangents* stiffening,
                       const Vec6<double>& momentum, const Vec3<double>& gravity, Tangents& t) {
  const int n = m.coordinates;
  const Vec3<double> omega = part.first.twist.tail<3>();
  const Vec3<double> omegaRate = part.first.twistRate.tail<3>();
  const Mat6<double> coBracket = math::bracketMatrix<double>(part.first.twist).transpose();

  // M
  t.M.topLeftCorner<6, 6>() = m.rigidMass;
  t.M.topLeftCorner<6, 6>().rightCols<3>() += x.rigidGz;
  t.M.topLeftCorner<6, 6>().bottomRows<3>() += x.rigidGz.transpose();
  t.M.block<3, 3>(3, 3) += x.zSz;
  t.M.topRightCorner(6, n) = m.rigidM.rightCols(n);
  t.M.block(3, 6, 3, n) += products.Gz.transpose();
  t.M.bottomRightCorner(n, n) = m.M.dense().bottomRightCorner(n, n);
  // δω̄ = W δy: that of the frame itself, and W_z of the coordinates.
  const MatrixXd W = stiffening != nullptr ? MatrixXd(m.meanRotation.rightCols(n)) : MatrixXd();
  if (stiffening != nullptr) {
    const MatrixXd kW = s.zKz * W;
    t.M.block<3, 3>(3, 3) -= s.zKz;
    t.M.block(3, 6, 3, n) -= kW;
    t.M.bottomRightCorner(n, n).noalias() -= W.transpose() * kW;
  }
  t.M.bottomLeftCorner(n, 6) = t.M.topRightCorner(6, n).transpose();

  // C
  auto C_FF = t.C.topLeftCorner<6, 6>();
  C_FF = -coBracket * t.M.topLeftCorner<6, 6>() - momentumMatrix(momentum);
  C_FF.rightCols<3>() += x.rigidGdz;
  C_FF.bottomRows<3>() += x.rigidGdz.transpose();
  C_FF.bottomRightCorner<3, 3>() += 2.0 * x.dzSz;
  auto C_Fz = t.C.topRightCorner(6, n);
  C_Fz = x.rigidGomega;
  C_Fz.bottomRows<3>() += (x.Gy + products.Gdz + 2.0 * x.omegaSz).transpose();
  C_Fz.noalias() -= coBracket * t.M.topRightCorner(6, n);
  auto C_zF = t.C.bottomLeftCorner(n, 6);
  C_zF = -x.rigidGomega.transpose();
  C_zF.rightCols<3>() += products.Gdz - x.Gy - 2.0 * x.omegaSz;
  auto C_zz = t.C.bottomRightCorner(n, n);
  C_zz = m.D.dense();
  for (int a = 0; a < 3; ++a) {
    if (omega[a] == 0.0) continue;
    const auto G = m.G[a].bottomRows(n);
    C_zz += (m.isSkew ? 2.0 : 1.0) * omega[a] * G;
    if (!m.isSkew) C_zz -= omega[a] * G.transpose();
  }

  if (stiffening != nullptr) {
    // Of κ' by (ω, z') and of Σ ω̄ₐω̄_b K^g_ab z by ω̄.
    const MatrixXd byRate = 2.0 * (s.dzKz * W + stiffening->omegaKz.transpose());
    t.C.block<3, 3>(3, 3) -= 2.0 * s.dzKz;
    t.C.block(3, 6, 3, n) -= byRate;
    t.C.block(6, 3, n, 3) += 2.0 * (stiffening->omegaKz - W.transpose() * s.dzKz);
    t.C.bottomRightCorner(n, n).noalias() +=
        2.0 * (stiffening->omegaKz * W) - W.transpose() * byRate;
  }

  // K
  t.K.leftCols<6>().setZero();
  MatrixXd momentumByZ = x.rigidGomega;
  momentumByZ.bottomRows<3>() += (x.Gy + 2.0 * x.omegaSz).transpose();
  if (stiffening != nullptr) {
    momentumByZ.bottomRows<3>() -= 2.0 * stiffening->omegaKz.transpose();
  }
  auto K_Fz = t.K.topRightCorner(6, n);
  K_Fz = x.rigidGomegaRate;
  K_Fz.bottomRows<3>() += (x.Gdy + 2.0 * (x.omegaSdz + x.omegaRateSz)).transpose();
  K_Fz.bottomRows<3>().noalias() += math::skew<double>(gravity) * m.momentByZ;
  K_Fz.noalias() -= coBracket * momentumByZ;
  auto K_zz = t.K.bottomRightCorner(n, n);
  K_zz = m.K.dense();
  for (int a = 0; a < 3; ++a) {
    if (omegaRate[a] != 0.0) K_zz += omegaRate[a] * m.G[a].bottomRows(n);
  }
  for (int p = 0; p < 6; ++p) {
    const auto [a, b] = kAxisPairs[p];
    const double factor = (a == b ? 1.0 : 2.0) * omega[a] * omega[b];
    if (factor != 0.0) K_zz -= factor * m.S[p];
  }
  if (stiffening != nullptr) {
    const MatrixXd byZ = 2.0 * (stiffening->omegaRateKz + stiffening->omegaKdz).transpose();
    t.K.block(3, 6, 3, n) -= byZ;
    t.K.bottomRightCorner(n, n) += stiffening->Komega - W.transpose() * byZ;
  }

  // Momenta times a (31.19): the mass is their derivative by velocities.
  if (m.massDamping == 0.0) return;
  t.C += m.massDamping * t.M;
  K_Fz += m.massDamping * momentumByZ;
  for (int a = 0; a < 3; ++a) K_zz += (m.massDamping * omega[a]) * m.G[a].bottomRows(n);
  if (stiffening != nullptr) {
    K_zz.noalias() -= (2.0 * m.massDamping) * (W.transpose() * stiffening->omegaKz.transpose());
  }
}

// The columns of node k and of node 1, which get X times the maps; those of z_k are replaced.
void changeColumns(const std::vector<RelativeMaps>& maps, Tangents& t) {
  for (std::size_t k = 0; k < maps.size(); ++k) {
    const RelativeMaps& map = maps[k];
    const Eigen::Index column = 6 * (static_cast<Eigen::Index>(k) + 1);
    const MatrixXd K_z = t.K.middleCols<6>(column), C_z = t.C.middleCols<6>(column);
    const MatrixXd M_z = t.M.middleCols<6>(column);
    const MatrixXd K = K_z * map.velocity + C_z * map.rateByValue + M_z * map.accelerationByValue;
    const MatrixXd C = C_z * map.velocity + M_z * map.accelerationByRate;
    const MatrixXd M = M_z * map.velocity;
    const auto store = [column](const MatrixXd& from, MatrixXd& to) {
      to.leftCols<6>() += from.leftCols<6>();
      to.middleCols<6>(column) = from.rightCols<6>();
    };
    store(K, t.K);
    store(C, t.C);
    store(M, t.M);
  }
}

void changeRows(const std::vector<RelativeMaps>& maps, MatrixXd& X) {
  for (std::size_t k = 0; k < maps.size(); ++k) {
    const Eigen::Index row = 6 * (static_cast<Eigen::Index>(k) + 1);
    const MatrixXd rows = maps[k].velocity.transpose() * X.middleRows<6>(row);
    X.topRows<6>() += rows.topRows<6>();
    X.middleRows<6>(row) = rows.bottomRows<6>();
  }
}

}  // namespace

void ReducedBodies::calcTangents(const Motion& motion, const Environment& environment, int element,
                                 Tangents& t) const {
  const Element& e = *elements_[element];
  const ReducedMatrices& m = *e.matrices;
  Loan work(e);
  evaluate(motion, environment, e, *work);
  const int size = e.place.freedoms(), n = m.coordinates;
  for (MatrixXd* X : {&t.K, &t.C, &t.M}) X->resize(size, size);
  const TangentProducts products(m, work->part, work->products.Gdz);
  std::optional<StiffeningTangents> stiffening;
  if (m.hasStiffening) {
    stiffening.emplace(m, work->part, work->meanRotation, work->meanRotationRate);
  }
  calcLocalTangents(m, work->part, work->products, products, work->stiffening,
                    stiffening ? &*stiffening : nullptr, work->momentum, work->gravity, t);

  // Gravity turns with the first node.
  const Mat3<double> g = math::skew<double>(work->gravity);
  t.K.block<3, 3>(0, 3) -= m.mass * g;
  t.K.block<3, 3>(3, 3) -= math::skew<double>(work->moment) * g;
  t.K.block(6, 3, n, 3).noalias() -= m.momentByZ.transpose() * g;

  std::vector<RelativeMaps> maps;
  for (int k = 1; k < m.interfaces; ++k) {
    maps.push_back(calcMaps(work->part.first, frameOf(motion, e.place.nodes[k]), m.arms[k - 1],
                            work->forces.segment<6>(6 * (k - 1))));
  }
  changeColumns(maps, t);
  for (MatrixXd* X : {&t.K, &t.C, &t.M}) changeRows(maps, *X);
  for (int k = 1; k < m.interfaces; ++k) {
    const auto& own = maps[k - 1].forceByValue;
    t.K.topLeftCorner<6, 6>() += own.topLeftCorner<6, 6>();
    t.K.block<6, 6>(0, 6 * k) += own.topRightCorner<6, 6>();
    t.K.block<6, 6>(6 * k, 0) += own.bottomLeftCorner<6, 6>();
    t.K.block<6, 6>(6 * k, 6 * k) += own.bottomRightCorner<6, 6>();
  }
}

}  // namespace flexloop::mechanics
