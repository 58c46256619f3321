#include "mechanics/bodies/inertia.hpp"

namespace flexloop::mechanics {

using math::Mat3;
using math::Mat6;
using math::Vec3;
using math::Vec6;

Mat6<double> makeMass(double mass, const Vec3<double>& centre, const Mat3<double>& inertia) {
  const Mat3<double> c = math::skew<double>(centre);
  Mat6<double> M;
  M << mass * Mat3<double>::Identity(), -mass * c, mass * c, inertia - mass * c * c;
  return M;
}

// d(v̂ᵀp) = v̂ᵀ dp + (dv)^ᵀ p, and (dv)^ᵀ p = Π dv with Π = [0, p̂_1; p̂_1, p̂_2].
Mat6<double> calcGyroscopic(const Mat6<double>& mass, const Vec6<double>& v) {
  const Vec6<double> momentum = mass * v;
  const Mat3<double> linear = math::skew<double>(momentum.head<3>());
  Mat6<double> G = -math::bracketMatrix<double>(v).transpose() * mass;
  G.topRightCorner<3, 3>() -= linear;
  G.bottomLeftCorner<3, 3>() -= linear;
  G.bottomRightCorner<3, 3>() -= math::skew<double>(momentum.tail<3>());
  return G;
}

void Inertia::calcTangents(const Parameters<double>& p, const system::Local<double, 1, 0>& u,
                           const system::Environment& environment, system::Tangents& t) {
  const Vec3<double> g = u.frame[0].R.transpose() * environment.gravity;
  // d(Rᵀg) = (Rᵀg)^ dθ
  t.K.rightCols<3>().noalias() = -p.mass.leftCols<3>() * math::skew<double>(g);
  t.C = calcGyroscopic(p.mass, u.twist[0]);
  t.M = p.mass;
}

}  // namespace flexloop::mechanics
