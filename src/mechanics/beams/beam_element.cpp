#include "mechanics/beams/beam_element.hpp"

#include "math/dual.hpp"

namespace flexloop::mechanics {

using math::Frame;
using math::Mat3;
using math::Mat6;
using math::Vec3;
using math::Vec6;
using Mat12 = Eigen::Matrix<double, 12, 12>;
using Mat12x6 = Eigen::Matrix<double, 12, 6>;
using Mat6x12 = Eigen::Matrix<double, 6, 12>;

namespace {

// Eight directions fill two vector registers; six are used.
using D = math::Dual<8>;

// Rotates tangents from section axes to node axes.
void rotate(const Mat3<double>& D_A, const Mat3<double>& D_B, Eigen::MatrixXd& matrix) {
  for (int block = 0; block < 4; ++block) {
    const Mat3<double>& D_block = block < 2 ? D_A : D_B;
    matrix.middleRows<3>(3 * block) = (D_block * matrix.middleRows<3>(3 * block)).eval();
  }
  for (int block = 0; block < 4; ++block) {
    const Mat3<double>& D_block = block < 2 ? D_A : D_B;
    matrix.middleCols<3>(3 * block) =
        (matrix.middleCols<3>(3 * block) * D_block.transpose()).eval();
  }
}

// The tangents of the consistent inertia that do not come from d: (7.13)–(7.15).
struct InertiaTangents {
  Mat6<double> mass;
  double sixth;
  HalfTangent<double> half;
  Mat12x6 N;  // (I − Hᵀ; I + Hᵀ): transfers a force in the middle to the ends

  InertiaTangents(const Mat6<double>& sectionMass, double length, const Vec6<double>& d)
      : mass(sectionMass), sixth(length / 6.0), half(d) {
    for (int j = 0; j < 6; ++j) {
      const Vec6<double> e = Vec6<double>::Unit(j);
      const Vec6<double> h = half.applyTransposed(e);
      N.col(j) << e - h, e + h;
    }
  }

  void addMass(Eigen::MatrixXd& M) const {
    M.topLeftCorner<6, 6>() += sixth * mass;
    M.bottomRightCorner<6, 6>() += sixth * mass;
    const Mat12x6 weighted = sixth * N.lazyProduct(mass);
    M += weighted.lazyProduct(N.transpose());
  }

  // v_m = ½Nᵀv; a_m holds ½(Ḣ(d') Δv), bilinear in d' = P v and Δv.
  void addGyroscopic(const Vec6<double>& v_A, const Vec6<double>& v_B, const Vec6<double>& ddot,
                     const Mat6x12& P, Eigen::MatrixXd& C) const {
    const Vec6<double> dv = v_B - v_A;
    const Vec6<double> v_m = 0.5 * (v_A + v_B + half.apply(dv));
    Mat6<double> byDv, byDdot;
    for (int j = 0; j < 6; ++j) {
      const Vec6<double> e = Vec6<double>::Unit(j);
      byDv.col(j) = half.applyRate(ddot, e);
      byDdot.col(j) = half.applyRate(e, dv);
    }
    Mat6x12 a_v = byDdot.lazyProduct(P);
    a_v.leftCols<6>() -= byDv;
    a_v.rightCols<6>() += byDv;
    const Mat6x12 f_v =
        sixth * (mass.lazyProduct(a_v) + calcGyroscopic(mass, v_m).lazyProduct(N.transpose()));
    C += N.lazyProduct(f_v);
    C.topLeftCorner<6, 6>() += sixth * calcGyroscopic(mass, v_A);
    C.bottomRightCorner<6, 6>() += sixth * calcGyroscopic(mass, v_B);
  }

  // d(Rᵀg) = (Rᵀg)^ dθ at both ends; the middle turns with A, its share through d is in K already.
  void addGravity(const Vec3<double>& g_A, const Vec3<double>& g_B, const Vec6<double>& d,
                  Eigen::MatrixXd& K) const {
    const Eigen::Matrix<double, 6, 3> linear = mass.leftCols<3>();
    const Mat3<double> turn_A = math::skew<double>(g_A);
    K.block<6, 3>(0, 3) -= sixth * linear * turn_A;
    K.block<6, 3>(6, 9) -= sixth * linear * math::skew<double>(g_B);
    const Mat3<double> E = math::expSO3<double>(Vec3<double>(-0.5 * d.tail<3>()));
    K.middleCols<3>(3) -= 2.0 * sixth * N * (linear * (E * turn_A));
  }
};

}  // namespace

template <BeamInertia kInertia>
void BeamElement<kInertia>::calcTangents(const Parameters<double>& p,
                                         const system::Local<double, 2, 0>& u,
                                         const system::Environment& environment,
                                         system::Tangents& t) {
  const Frame<double> F_A{u.frame[0].R * p.D_A, u.frame[0].x};
  const Frame<double> F_B{u.frame[1].R * p.D_B, u.frame[1].x};
  const Ends<double> ends = calcEnds<double, double>(p, u, environment, F_A, F_B);
  const Vec6<double> d = math::logSE3<double>(math::relative(F_A, F_B));

  // Forces depend on the configuration through d alone, so six directions give all of K.
  Ends<D> constant;
  constant.v_A = ends.v_A.template cast<D>();
  constant.v_B = ends.v_B.template cast<D>();
  if constexpr (kInertia == BeamInertia::kConsistent) {
    constant.a_A = ends.a_A.template cast<D>();
    constant.a_B = ends.a_B.template cast<D>();
    constant.g_A = ends.g_A.template cast<D>();
    constant.g_B = ends.g_B.template cast<D>();
  }
  Vec6<D> seeded = d.cast<D>();
  for (int j = 0; j < 6; ++j) seeded[j].d[j] = 1.0;
  Vec6<D> f_A, f_B;
  calcForces<D, double>(p, seeded, constant, f_A, f_B);
  Mat12x6 f_d;
  for (int j = 0; j < 6; ++j) {
    for (int i = 0; i < 6; ++i) {
      f_d(i, j) = f_A[i].d[j];
      f_d(6 + i, j) = f_B[i].d[j];
    }
  }

  Mat6x12 P;
  P << -math::tangentInverseSE3<double>(-d), math::tangentInverseSE3<double>(d);
  t.K = f_d.lazyProduct(P);
  if (p.damping != 0.0) {
    const MeanSection<double, double> mean(p.turn, p.strain0, d / p.length);
    Mat6x12 rates;
    Eigen::Matrix<double, 1, 12> slack;
    for (int j = 0; j < 12; ++j) {
      rates.col(j) = mean.apply(P.col(j));
      slack[j] = mean.applySlack(P.col(j));
    }
    const double factor = p.damping / p.length;
    t.C.noalias() = rates.transpose() * (factor * p.stiffness) * rates +
                    factor * p.turn.stiffness * slack.transpose() * slack;
  }
  if constexpr (kInertia == BeamInertia::kConsistent) {
    const InertiaTangents inertia(p.mass, p.length, d);
    const Vec6<double> ddot = P.leftCols<6>() * ends.v_A + P.rightCols<6>() * ends.v_B;
    inertia.addMass(t.M);
    inertia.addGyroscopic(ends.v_A, ends.v_B, ddot, P, t.C);
    inertia.addGravity(ends.g_A, ends.g_B, d, t.K);
  }
  if (p.D_A.isIdentity(0.0) && p.D_B.isIdentity(0.0)) return;
  for (Eigen::MatrixXd* matrix : {&t.K, &t.C, &t.M}) rotate(p.D_A, p.D_B, *matrix);
}

template struct BeamElement<BeamInertia::kNone>;
template struct BeamElement<BeamInertia::kConsistent>;

}  // namespace flexloop::mechanics
