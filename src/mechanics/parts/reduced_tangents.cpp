// Tangents of reduced parts (docs/theory/31_reduced_bodies.md, section 31.5): first those of r_F and r_z by (v, z) in the
// axes of the part, then the change to the freedoms of the nodes.
#include <optional>

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

  TangentProducts(const ReducedMatrices& m, const PartMotion<double>& part, RotatingProducts& work)
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
      addTransposed(m, part, a, work);
      Gy.col(a).noalias() += rigidG.transpose() * v;
      Gdy.col(a).noalias() += rigidG.transpose() * dv;
    }
    for (int p = 0; p < 6; ++p) addPair(m, part, p, work);
  }

 private:
  void addTransposed(const ReducedMatrices& m, const PartMotion<double>& part, int a,
                     RotatingProducts& work) {
    const auto G = m.G[a].bottomRows(m.coordinates);
    if (m.isSkew) {
      Gy.col(a) = -work.Gdz.col(a);
      m.halfG[a].multiply(part.ddz, column_, work.half);
      Gdy.col(a) -= column_;
    } else {
      Gy.col(a).noalias() = G.transpose() * part.dz;
      Gdy.col(a).noalias() = G.transpose() * part.ddz;
    }
  }

  // Every use has a factor ω or ω' of one of the axes.
  void addPair(const ReducedMatrices& m, const PartMotion<double>& part, int p,
               RotatingProducts& work) {
    const Vec3<double> omega = part.first.twist.tail<3>();
    const Vec3<double> omegaRate = part.first.twistRate.tail<3>();
    const auto [a, b] = kAxisPairs[p];
    if (!work.turns[a] && !work.turns[b]) return;
    m.halfS[p].multiply(part.z, part.dz, column_, rateColumn_, work.half);
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

// (31.12) to (31.14) with (31.15) and (31.19), in the order v, z.
class LocalTangents {
 public:
  LocalTangents(const ReducedMatrices& m, const PartMotion<double>& part,
                const RotatingProducts& products, const TangentProducts& x)
      : m_(m), part_(part), products_(products), x_(x), n_(m.coordinates) {}

  void calc(const Vec6<double>& momentum, const Vec3<double>& gravity, Tangents& t) {
    calcMass(t);
    t.M.bottomLeftCorner(n_, 6) = t.M.topRightCorner(6, n_).transpose();
    const MatrixXd mass = m_.massDamping > 0.0 ? t.M : MatrixXd();
    if (stiffening_) stiffenMass(t);
    calcRates(momentum, t);
    if (stiffening_) stiffenRates(t);
    calcValues(gravity, t);
    if (stiffening_) stiffenValues(t);
    if (m_.massDamping > 0.0) addMassDamping(mass, t);
  }

  // To be called before.
  void setForeshortening(const ShorteningProducts& products) { shortening_ = &products; }
  void setStiffening(const StiffeningProducts& products, const Vec3<double>& mean,
                     const Vec3<double>& meanRate) {
    stiffness_ = products;
    stiffening_.emplace(m_, part_, mean, meanRate);
    // δω̄ = W δy: that of the frame itself, and W_z of the coordinates.
    W_ = m_.meanRotation.rightCols(n_);
  }

 private:
  Mat6<double> coBracket() const {
    return math::bracketMatrix<double>(part_.first.twist).transpose();
  }
  double omega(int a) const { return part_.first.twist[3 + a]; }
  double omegaRate(int a) const { return part_.first.twistRate[3 + a]; }

  void calcMass(Tangents& t) const {
    t.M.topLeftCorner<6, 6>() = m_.rigidMass;
    t.M.topLeftCorner<6, 6>().rightCols<3>() += x_.rigidGz;
    t.M.topLeftCorner<6, 6>().bottomRows<3>() += x_.rigidGz.transpose();
    t.M.block<3, 3>(3, 3) += x_.zSz;
    t.M.topRightCorner(6, n_) = m_.rigidM.rightCols(n_);
    t.M.block(3, 6, 3, n_) += products_.Gz.transpose();
    t.M.bottomRightCorner(n_, n_) = m_.M.dense().bottomRightCorner(n_, n_);
  }

  void stiffenMass(Tangents& t) const {
    const MatrixXd kW = stiffness_.zKz * W_;
    t.M.block<3, 3>(3, 3) -= stiffness_.zKz;
    t.M.block(3, 6, 3, n_) -= kW;
    t.M.bottomRightCorner(n_, n_).noalias() -= W_.transpose() * kW;
    t.M.block(6, 3, n_, 3) -= kW.transpose();
  }

  void calcRates(const Vec6<double>& momentum, Tangents& t) const {
    auto C_FF = t.C.topLeftCorner<6, 6>();
    C_FF = -coBracket() * t.M.topLeftCorner<6, 6>() - momentumMatrix(momentum);
    C_FF.rightCols<3>() += x_.rigidGdz;
    C_FF.bottomRows<3>() += x_.rigidGdz.transpose();
    C_FF.bottomRightCorner<3, 3>() += 2.0 * x_.dzSz;
    auto C_Fz = t.C.topRightCorner(6, n_);
    C_Fz = x_.rigidGomega;
    C_Fz.bottomRows<3>() += (x_.Gy + products_.Gdz + 2.0 * x_.omegaSz).transpose();
    C_Fz.noalias() -= coBracket() * t.M.topRightCorner(6, n_);
    auto C_zF = t.C.bottomLeftCorner(n_, 6);
    C_zF = -x_.rigidGomega.transpose();
    C_zF.rightCols<3>() += products_.Gdz - x_.Gy - 2.0 * x_.omegaSz;
    auto C_zz = t.C.bottomRightCorner(n_, n_);
    C_zz = m_.D.dense();
    for (int a = 0; a < 3; ++a) {
      if (!products_.turns[a]) continue;
      const auto G = m_.G[a].bottomRows(n_);
      C_zz += (m_.isSkew ? 2.0 : 1.0) * omega(a) * G;
      if (!m_.isSkew) C_zz -= omega(a) * G.transpose();
    }
  }

  // Of κ' by (ω, z') and of Σ ω̄ₐω̄_b K^g_ab z by ω̄.
  void stiffenRates(Tangents& t) const {
    const MatrixXd byRate = 2.0 * (stiffness_.dzKz * W_ + stiffening_->omegaKz.transpose());
    t.C.block<3, 3>(3, 3) -= 2.0 * stiffness_.dzKz;
    t.C.block(3, 6, 3, n_) -= byRate;
    t.C.block(6, 3, n_, 3) += 2.0 * (stiffening_->omegaKz - W_.transpose() * stiffness_.dzKz);
    t.C.bottomRightCorner(n_, n_).noalias() +=
        2.0 * (stiffening_->omegaKz * W_) - W_.transpose() * byRate;
  }

  // ∂p_F/∂z without stiffening, and with it.
  MatrixXd plainMomentumByZ() const {
    MatrixXd byZ = x_.rigidGomega;
    byZ.bottomRows<3>() += (x_.Gy + 2.0 * x_.omegaSz).transpose();
    return byZ;
  }
  MatrixXd momentumByZ() const {
    MatrixXd byZ = plainMomentumByZ();
    if (stiffening_) byZ.bottomRows<3>() -= 2.0 * stiffening_->omegaKz.transpose();
    return byZ;
  }

  void calcValues(const Vec3<double>& gravity, Tangents& t) const {
    t.K.leftCols<6>().setZero();
    auto K_Fz = t.K.topRightCorner(6, n_);
    K_Fz = x_.rigidGomegaRate;
    K_Fz.bottomRows<3>() += (x_.Gdy + 2.0 * (x_.omegaSdz + x_.omegaRateSz)).transpose();
    K_Fz.bottomRows<3>().noalias() += math::skew<double>(gravity) * m_.momentByZ;
    K_Fz.noalias() -= coBracket() * momentumByZ();
    auto K_zz = t.K.bottomRightCorner(n_, n_);
    K_zz = m_.K.dense();
    if (m_.hasForeshortening()) foreshorten(K_zz);
    for (int a = 0; a < 3; ++a) {
      if (products_.turns[a]) K_zz += omegaRate(a) * m_.G[a].bottomRows(n_);
    }
    for (int p = 0; p < 6; ++p) {
      const auto [a, b] = kAxisPairs[p];
      if (!products_.turns[a] || !products_.turns[b]) continue;
      K_zz -= ((a == b ? 1.0 : 2.0) * omega(a) * omega(b)) * m_.S[p];
    }
  }

  // Jᵀ K J + Σ e_j B_j of (31.22), with J = I and the rows B_j z added to those of translations.
  template <class Matrix>
  void foreshorten(Matrix&& K_zz) const {
    const Eigen::Index count = shortening_->Bz.cols();
    for (Eigen::Index j = 0; j < count; ++j) {
      const int row = ReducedMatrices::rowOf(j);
      K_zz.noalias() += m_.K.dense().col(row) * shortening_->Bz.col(j).transpose();
      K_zz += shortening_->elastic[row] * m_.B[j];
    }
    for (Eigen::Index j = 0; j < count; ++j) {
      const int row = ReducedMatrices::rowOf(j);
      Eigen::RowVectorXd KJ = m_.K.dense().row(row);
      for (Eigen::Index i = 0; i < count; ++i)
        KJ += m_.K.dense()(row, ReducedMatrices::rowOf(i)) * shortening_->Bz.col(i).transpose();
      K_zz.noalias() += shortening_->Bz.col(j) * KJ;
    }
  }

  void stiffenValues(Tangents& t) const {
    const MatrixXd byZ = 2.0 * (stiffening_->omegaRateKz + stiffening_->omegaKdz).transpose();
    t.K.block(3, 6, 3, n_) -= byZ;
    t.K.bottomRightCorner(n_, n_) += stiffening_->Komega - W_.transpose() * byZ;
  }

  // Momenta times a: the mass is their derivative by velocities.
  void addMassDamping(const MatrixXd& mass, Tangents& t) const {
    const double a = m_.massDamping;
    t.C += a * mass;
    t.K.topRightCorner(6, n_) += a * plainMomentumByZ();
    auto K_zz = t.K.bottomRightCorner(n_, n_);
    for (int axis = 0; axis < 3; ++axis) {
      K_zz += (a * omega(axis)) * m_.G[axis].bottomRows(n_);
    }
  }

  const ReducedMatrices& m_;
  const PartMotion<double>& part_;
  const RotatingProducts& products_;
  const TangentProducts& x_;
  const int n_;
  StiffeningProducts stiffness_;
  const ShorteningProducts* shortening_ = nullptr;
  std::optional<StiffeningTangents> stiffening_;
  MatrixXd W_;
};

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
  evaluate(motion, environment, e, true, *work);
  const int size = e.place.freedoms(), n = m.coordinates;
  for (MatrixXd* X : {&t.K, &t.C, &t.M}) X->resize(size, size);
  const TangentProducts products(m, work->part, work->products);
  LocalTangents local(m, work->part, work->products, products);
  if (m.hasForeshortening()) local.setForeshortening(work->shortening);
  if (m.hasStiffening) {
    local.setStiffening(work->stiffening, work->meanRotation, work->meanRotationRate);
  }
  local.calc(work->momentum, work->gravity, t);

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
