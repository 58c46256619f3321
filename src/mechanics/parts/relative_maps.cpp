#include "mechanics/parts/relative_maps.hpp"

#include "math/dual.hpp"

namespace flexloop::mechanics {

using math::Mat3;
using math::Vec3;
using math::Vec6;

namespace {

using D = math::Dual<12>;

MovingFrame<D> lift(const MovingFrame<double>& at) {
  return {{at.frame.R.cast<D>(), at.frame.x.cast<D>()}, at.twist.cast<D>(), at.twistRate.cast<D>()};
}

void seedValues(const MovingFrame<double>& at, int first, MovingFrame<D>& to) {
  const Mat3<double>& R = at.frame.R;
  for (int c = 0; c < 3; ++c) {
    const Mat3<double> dR = R * math::skew<double>(Vec3<double>::Unit(c));
    for (int i = 0; i < 3; ++i) to.frame.x[i].d[first + c] = R(i, c);
    for (int i = 0; i < 9; ++i) to.frame.R.data()[i].d[first + 3 + c] = dR.data()[i];
  }
}

void seedRates(int first, MovingFrame<D>& to) {
  for (int i = 0; i < 6; ++i) to.twist[i].d[first + i] = 1.0;
}

template <class Matrix>
void storeDerivatives(const Vec6<D>& from, int firstRow, Matrix& to) {
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 12; ++j) to(firstRow + i, j) = from[i].d[j];
  }
}

}  // namespace

RelativeMaps calcMaps(const MovingFrame<double>& first, const MovingFrame<double>& other,
                      const Vec3<double>& arm, const Vec6<double>& f) {
  RelativeMaps maps;
  MovingFrame<D> a = lift(first), b = lift(other);
  seedRates(0, a);
  seedRates(6, b);
  const auto byRates = calcRelativeMotion<D>(a, b, arm);
  storeDerivatives(byRates.rate, 0, maps.velocity);
  storeDerivatives(byRates.acceleration, 0, maps.accelerationByRate);

  a = lift(first);
  b = lift(other);
  seedValues(first, 0, a);
  seedValues(other, 6, b);
  const auto byValues = calcRelativeMotion<D>(a, b, arm);
  storeDerivatives(byValues.rate, 0, maps.rateByValue);
  storeDerivatives(byValues.acceleration, 0, maps.accelerationByValue);
  const auto forces = applyTransposed<D>(byValues, f.cast<D>());
  storeDerivatives(forces.first, 0, maps.forceByValue);
  storeDerivatives(forces.other, 6, maps.forceByValue);
  return maps;
}

}  // namespace flexloop::mechanics
