#include "math/jet.hpp"

#include <cmath>

namespace flexloop::math {

using Directions = Jet::Directions;

Jet::Jet(double x) : Jet(x, 0.0, 0.0, 0.0) {}

Jet::Jet(double x, double firstDerivative, double secondDerivative, double thirdDerivative)
    : value(x),
      first(firstDerivative),
      second(secondDerivative),
      third(thirdDerivative),
      d(Directions::zero()),
      dFirst(Directions::zero()) {}

Jet::Jet(const Jet& b) = default;
Jet& Jet::operator=(const Jet& b) = default;

Jet Jet::operator-() const {
  Jet result;
  result.value = -value;
  result.first = -first;
  result.second = -second;
  result.third = -third;
  result.d = -d;
  result.dFirst = -dFirst;
  return result;
}

Jet& Jet::operator+=(const Jet& b) {
  value += b.value;
  first += b.first;
  second += b.second;
  third += b.third;
  d = d + b.d;
  dFirst = dFirst + b.dFirst;
  return *this;
}

Jet& Jet::operator-=(const Jet& b) {
  value -= b.value;
  first -= b.first;
  second -= b.second;
  third -= b.third;
  d = d - b.d;
  dFirst = dFirst - b.dFirst;
  return *this;
}

Jet operator+(const Jet& a, const Jet& b) {
  Jet result = a;
  return result += b;
}

Jet operator-(const Jet& a, const Jet& b) {
  Jet result = a;
  return result -= b;
}

Jet operator*(const Jet& a, const Jet& b) {
  Jet result;
  result.value = a.value * b.value;
  result.first = a.first * b.value + a.value * b.first;
  result.second = a.second * b.value + 2.0 * a.first * b.first + a.value * b.second;
  result.third =
      a.third * b.value + 3.0 * (a.second * b.first + a.first * b.second) + a.value * b.third;
  result.d = Directions::combine(a.value, b.d, b.value, a.d);
  result.dFirst = Directions::combine(a.first, b.d, b.first, a.d) +
                  Directions::combine(a.value, b.dFirst, b.value, a.dFirst);
  return result;
}

// From the derivatives of q b = a.
Jet operator/(const Jet& a, const Jet& b) {
  const double inverse = 1.0 / b.value;
  Jet q;
  q.value = a.value / b.value;
  q.first = (a.first - q.value * b.first) * inverse;
  q.second = (a.second - 2.0 * q.first * b.first - q.value * b.second) * inverse;
  q.third =
      (a.third - 3.0 * (q.second * b.first + q.first * b.second) - q.value * b.third) * inverse;
  q.d = Directions::combine(inverse, a.d, -q.value * inverse, b.d);
  q.dFirst = Directions::combine(inverse, a.dFirst, -q.value * inverse, b.dFirst) -
             Directions::combine(b.first * inverse, q.d, q.first * inverse, b.d);
  return q;
}

Jet operator+(const Jet& a, double b) {
  Jet result = a;
  result.value += b;
  return result;
}

Jet operator*(const Jet& a, double b) {
  Jet result;
  result.value = a.value * b;
  result.first = a.first * b;
  result.second = a.second * b;
  result.third = a.third * b;
  result.d = a.d * b;
  result.dFirst = a.dFirst * b;
  return result;
}

Jet operator/(const Jet& a, double b) {
  Jet result = a * (1.0 / b);
  result.value = a.value / b;
  return result;
}

Jet chain(const Jet& x, double f, double f1, double f2, double f3) {
  Jet result;
  result.value = f;
  result.first = f1 * x.first;
  result.second = f1 * x.second + f2 * x.first * x.first;
  result.third = f1 * x.third + (3.0 * f2 * x.second + f3 * x.first * x.first) * x.first;
  result.d = x.d * f1;
  result.dFirst = Directions::combine(f1, x.dFirst, f2 * x.first, x.d);
  return result;
}

Jet sqrt(const Jet& a) {
  const double root = std::sqrt(a.value), f1 = 0.5 / root, f2 = -0.5 * f1 / a.value;
  return chain(a, root, f1, f2, -1.5 * f2 / a.value);
}

Jet sin(const Jet& a) {
  const double s = std::sin(a.value), c = std::cos(a.value);
  return chain(a, s, c, -s, -c);
}

Jet cos(const Jet& a) {
  const double s = std::sin(a.value), c = std::cos(a.value);
  return chain(a, c, -s, -c, s);
}

// φ̇ D = N with D = x² + y² and N = x ẏ − y ẋ, and its derivatives.
Jet atan2(const Jet& y, const Jet& x) {
  const double inverse = 1.0 / (x.value * x.value + y.value * y.value);
  const double D1 = 2.0 * (x.value * x.first + y.value * y.first);
  const double D2 =
      2.0 * (x.first * x.first + x.value * x.second + y.first * y.first + y.value * y.second);
  const double N = x.value * y.first - y.value * x.first;
  const double N1 = x.value * y.second - y.value * x.second;
  const double N2 = x.value * y.third - y.value * x.third + x.first * y.second - y.first * x.second;
  Jet phi;
  phi.value = std::atan2(y.value, x.value);
  phi.first = N * inverse;
  phi.second = (N1 - phi.first * D1) * inverse;
  phi.third = (N2 - 2.0 * phi.second * D1 - phi.first * D2) * inverse;
  phi.d = Directions::combine(x.value * inverse, y.d, -y.value * inverse, x.d);
  const double share = 2.0 * phi.first;
  phi.dFirst =
      (Directions::combine(x.value, y.dFirst, -y.value, x.dFirst) +
       Directions::combine(y.first - share * x.value, x.d, -x.first - share * y.value, y.d)) *
      inverse;
  return phi;
}

Jet rounded(const Jet& x) {
  return Jet(std::round(x.value));
}

}  // namespace flexloop::math
