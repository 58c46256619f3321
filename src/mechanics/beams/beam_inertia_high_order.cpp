#include "mechanics/beams/beam_inertia_high_order.hpp"

#include "math/dual.hpp"

namespace flexloop::mechanics {
namespace {

using math::Mat3;
using math::Mat6;
using math::Vec3;
using math::Vec6;

// Eight directions fill two vector registers; six are used.
using D = math::Dual<8>;

template <int p>
using Row = Eigen::Matrix<double, 6, 6 * (p + 1)>;

// DT(w)[rate] and DT(w)[·] z as matrices.
Mat6<double> calcRateMatrix(const ScrewStrain<double>& screw, const Vec6<double>& rate) {
  Mat6<double> A;
  for (int j = 0; j < 6; ++j) A.col(j) = screw.applyRate(rate, Vec6<double>::Unit(j));
  return A;
}
Mat6<double> calcDirectionMatrix(const ScrewStrain<double>& screw, const Vec6<double>& z) {
  Mat6<double> A;
  for (int j = 0; j < 6; ++j) A.col(j) = screw.applyRate(Vec6<double>::Unit(j), z);
  return A;
}

// How ζ_i' follows from the twists: A (dv_i − dv_r) − B dv_r (7.29), and T⁻¹(d_i).
struct NodeMaps {
  Mat6<double> inverse, A, B;

  NodeMaps() = default;
  NodeMaps(const Vec6<double>& d, const Vec6<double>& rate, const Vec6<double>& zeta)
      : inverse(math::tangentInverseSE3<double>(d)) {
    const ScrewStrain<double> screw(d);
    const Mat6<double> direction = inverse * calcDirectionMatrix(screw, zeta);
    A = -(inverse * calcRateMatrix(screw, rate) + direction) * inverse;
    B = direction * math::bracketMatrix<double>(d);
  }
};

// The tangents that do not come from d: (7.28)–(7.31).
template <int p>
class InertiaTangents {
 public:
  using Element = BeamInertiaHighOrder<p>;
  static constexpr int kReference = Element::kReference;

  InertiaTangents(const typename Element::template Parameters<double>& parameters,
                  const typename Element::template Motion<double>& motion)
      : parameters_(parameters), motion_(motion), rates_(motion) {
    for (int i = 0; i <= p; ++i) {
      if (i != kReference) maps_[i] = NodeMaps(motion.d[i], rates_.d[i], rates_.zeta[i]);
    }
  }

  void add(system::Tangents& t) const {
    for (int q = 0; q < Element::kPoints; ++q) addPoint(q, t);
  }

 private:
  void addPoint(int q, system::Tangents& t) const {
    const auto& N = Element::kShapes[q].value;
    const Vec6<double> w = combine<double>(N, motion_.d);
    const Vec6<double> zeta = combine<double>(N, rates_.zeta);
    const ScrewStrain<double> screw(w);
    const Mat6<double> T = math::tangentSE3<double>(w);
    const Row<p> Q = calcTwistMap(N, T);
    const Mat6<double> mass =
        (0.5 * Element::kGauss.weights[q] * parameters_.length) * parameters_.mass;
    const Row<p> weighted = mass.lazyProduct(Q);
    t.M += Q.transpose().lazyProduct(weighted);

    const Vec6<double> v = motion_.v[kReference] + screw.apply(zeta);
    Row<p> f_v = calcGyroscopic(mass, v).lazyProduct(Q);
    f_v += mass.lazyProduct(calcAccelerationMap(N, w, zeta, screw, T));
    t.C += Q.transpose().lazyProduct(f_v);

    // Gravity turns with the reference node; its share through d is in K already.
    const Vec3<double> back = -w.tail<3>();
    const Mat3<double> turn = math::expSO3<double>(back) * math::skew<double>(motion_.gravity);
    t.K.middleCols<3>(6 * kReference + 3) -=
        weighted.template topRows<3>().transpose().lazyProduct(turn);
  }

  // v(ξ) by the twists of the nodes.
  Row<p> calcTwistMap(const std::array<double, p + 1>& N, const Mat6<double>& T) const {
    Row<p> Q;
    Mat6<double> rest = Mat6<double>::Identity();
    for (int i = 0; i <= p; ++i) {
      if (i == kReference) continue;
      const Mat6<double> own = N[i] * T.lazyProduct(maps_[i].inverse);
      Q.template middleCols<6>(6 * i) = own;
      rest -= own;
    }
    Q.template middleCols<6>(6 * kReference) = rest;
    return Q;
  }

  // v'(ξ) by the twists of the nodes.
  Row<p> calcAccelerationMap(const std::array<double, p + 1>& N, const Vec6<double>& w,
                             const Vec6<double>& zeta, const ScrewStrain<double>& screw,
                             const Mat6<double>& T) const {
    const Mat6<double> direction = calcDirectionMatrix(screw, zeta);
    const Mat6<double> both = calcRateMatrix(screw, combine<double>(N, rates_.d)) + direction;
    Row<p> a_v;
    Mat6<double> rest = direction * math::bracketMatrix<double>(w);
    for (int i = 0; i <= p; ++i) {
      if (i == kReference) continue;
      const Mat6<double> own =
          N[i] * (T.lazyProduct(maps_[i].A) + both.lazyProduct(maps_[i].inverse));
      a_v.template middleCols<6>(6 * i) = own;
      rest -= own + N[i] * T.lazyProduct(maps_[i].B);
    }
    a_v.template middleCols<6>(6 * kReference) = rest;
    return a_v;
  }

  const typename Element::template Parameters<double>& parameters_;
  const typename Element::template Motion<double>& motion_;
  typename Element::template Rates<double> rates_;
  std::array<NodeMaps, p + 1> maps_;
};

// In the directions of each relative motion, at fixed twists: six directions for each.
template <int p>
void addStiffness(const typename BeamInertiaHighOrder<p>::template Parameters<double>& parameters,
                  const typename BeamInertiaHighOrder<p>::template Motion<double>& motion,
                  Eigen::MatrixXd& K) {
  using Element = BeamInertiaHighOrder<p>;
  constexpr int r = Element::kReference;
  typename Element::template Motion<D> seeded;
  for (int i = 0; i <= p; ++i) {
    seeded.d[i] = motion.d[i].template cast<D>();
    seeded.v[i] = motion.v[i].template cast<D>();
    seeded.a[i] = motion.a[i].template cast<D>();
  }
  seeded.gravity = motion.gravity.template cast<D>();
  for (int i = 0; i <= p; ++i) {
    if (i == r) continue;
    for (int j = 0; j < 6; ++j) seeded.d[i][j].d[j] = 1.0;
    const auto f = Element::template calcForces<D, double>(parameters, seeded);
    seeded.d[i] = motion.d[i].template cast<D>();
    const Mat6<double> own = math::tangentInverseSE3<double>(motion.d[i]);
    const Mat6<double> reference = -math::tangentInverseSE3<double>(-motion.d[i]);
    for (int row = 0; row <= p; ++row) {
      Mat6<double> f_d;
      for (int k = 0; k < 36; ++k) f_d(k % 6, k / 6) = f[row][k % 6].d[k / 6];
      K.block<6, 6>(6 * row, 6 * i) += f_d * own;
      K.block<6, 6>(6 * row, 6 * r) += f_d * reference;
    }
  }
}

}  // namespace

template <int p>
void BeamInertiaHighOrder<p>::calcTangents(const Parameters<double>& parameters,
                                           const system::Local<double, kNodes, 0>& u,
                                           const system::Environment& environment,
                                           system::Tangents& t) {
  const Motion<double> motion = calcMotion<double, double>(parameters, u, environment);
  addStiffness<p>(parameters, motion, t.K);
  InertiaTangents<p>(parameters, motion).add(t);
  for (Eigen::MatrixXd* matrix : {&t.K, &t.C, &t.M}) {
    rotateEnds(parameters.D_A, parameters.D_B, *matrix);
  }
}

template struct BeamInertiaHighOrder<2>;
template struct BeamInertiaHighOrder<3>;

}  // namespace flexloop::mechanics
