#include "mechanics/beams/beam_high_order.hpp"

#include "math/dual.hpp"

namespace flexloop::mechanics {
namespace {

using math::Mat3;
using math::Mat6;
using math::Vec6;

// Eight directions fill two vector registers; six are used.
using D = math::Dual<8>;

// How d_i follows from increments of node i and of the reference node, in section axes (7.2).
struct RelativeMap {
  Mat6<double> own, reference;

  explicit RelativeMap(const Vec6<double>& d)
      : own(math::tangentInverseSE3<double>(d)), reference(-math::tangentInverseSE3<double>(-d)) {}
};

// ∂(J e)/∂d_i of all nodes at a Gauss point.
template <int p>
std::array<Mat6<double>, p + 1> calcStrainMaps(const math::Lagrange<p + 1>& N,
                                               const BeamMotion<p, double>& motion) {
  const Vec6<double> w = combine<double>(N.value, motion.d);
  const Vec6<double> dw = combine<double>(N.derivative, motion.d);
  const ScrewStrain<double> screw(w);
  const Mat6<double> T = math::tangentSE3<double>(w);
  Mat6<double> byValue;
  for (int j = 0; j < 6; ++j) byValue.col(j) = screw.applyRate(Vec6<double>::Unit(j), dw);
  std::array<Mat6<double>, p + 1> A;
  for (int i = 0; i <= p; ++i) A[i] = N.derivative[i] * T + N.value[i] * byValue;
  return A;
}

// From section axes to node axes: rows and columns of an end node. Block by block, which needs no
// memory.
void rotateEnd(const Mat3<double>& R, int first, Eigen::MatrixXd& matrix) {
  for (const int i : {first, first + 3}) {
    for (int j = 0; j < matrix.cols(); j += 3) {
      matrix.block<3, 3>(i, j) = (R * matrix.block<3, 3>(i, j)).eval();
    }
    for (int j = 0; j < matrix.rows(); j += 3) {
      matrix.block<3, 3>(j, i) = (matrix.block<3, 3>(j, i) * R.transpose()).eval();
    }
  }
}

}  // namespace

void rotateEnds(const Mat3<double>& D_A, const Mat3<double>& D_B, Eigen::MatrixXd& matrix) {
  rotateEnd(D_A, 0, matrix);
  rotateEnd(D_B, static_cast<int>(matrix.rows()) - 6, matrix);
}

// Forces depend on the configuration through the relative motions alone, so six directions for each
// of them give all of K.
template <int p>
void BeamHighOrder<p>::addStiffness(const Parameters<double>& parameters,
                                    const BeamMotion<p, double>& motion, Eigen::MatrixXd& K) {
  BeamMotion<p, D> seeded;
  for (int i = 0; i <= p; ++i) {
    seeded.v[i] = motion.v[i].template cast<D>();
    seeded.d[i] = motion.d[i].template cast<D>();
  }
  for (int i = 0; i <= p; ++i) {
    if (i == kReference) continue;
    for (int j = 0; j < 6; ++j) seeded.d[i][j].d[j] = 1.0;
    const Forces<D> f = calcForces<D, double>(parameters, seeded);
    seeded.d[i] = motion.d[i].template cast<D>();
    const RelativeMap map(motion.d[i]);
    for (int row = 0; row <= p; ++row) {
      Mat6<double> f_d;
      for (int k = 0; k < 36; ++k) f_d(k % 6, k / 6) = f[row][k % 6].d[k / 6];
      K.block<6, 6>(6 * row, 6 * i) += f_d * map.own;
      K.block<6, 6>(6 * row, 6 * kReference) += f_d * map.reference;
    }
  }
}

// The rates of the relative motions enter through σ alone: Σ_g weight η/J Aᵀ C A.
template <int p>
void BeamHighOrder<p>::addDamping(const Parameters<double>& parameters,
                                  const BeamMotion<p, double>& motion, Eigen::MatrixXd& C) {
  for (int g = 0; g < p; ++g) {
    const std::array<Mat6<double>, p + 1> A = calcStrainMaps<p>(kShapes[g], motion);
    const double factor = kGauss.weights[g] * parameters.damping * 2.0 / parameters.length;
    // The strain's rate by the twist of each node.
    std::array<Mat6<double>, p + 1> byTwist;
    byTwist[kReference].setZero();
    for (int i = 0; i <= p; ++i) {
      if (i == kReference) continue;
      const RelativeMap map(motion.d[i]);
      byTwist[i] = A[i] * map.own;
      byTwist[kReference] += A[i] * map.reference;
    }
    for (int j = 0; j <= p; ++j) {
      const Mat6<double> sigma = factor * (parameters.stiffness * byTwist[j]);
      for (int i = 0; i <= p; ++i) C.block<6, 6>(6 * i, 6 * j) += byTwist[i].transpose() * sigma;
    }
  }
}

template <int p>
void BeamHighOrder<p>::calcTangents(const Parameters<double>& parameters,
                                    const system::Local<double, kNodes, 0>& u,
                                    const system::Environment&, system::Tangents& t) {
  const auto motion = calcBeamMotion<p, double, double>(parameters.D_A, parameters.D_B, u);
  addStiffness(parameters, motion, t.K);
  if (parameters.damping != 0.0) addDamping(parameters, motion, t.C);
  for (Eigen::MatrixXd* matrix : {&t.K, &t.C}) {
    rotateEnds(parameters.D_A, parameters.D_B, *matrix);
  }
}

template struct BeamHighOrder<2>;
template struct BeamHighOrder<3>;

}  // namespace flexloop::mechanics
