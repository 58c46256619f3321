#include "mechanics/gears/cam_profile.hpp"

#include <limits>

namespace flexloop::mechanics {

namespace {

// a_i x_{i−1} + b_i x_i + c_i x_{i+1} = r_i without corners, by elimination; the matrix is dominated by its diagonal.
std::vector<double> solveTridiagonal(const std::vector<double>& a, std::vector<double> b,
                                     const std::vector<double>& c, std::vector<double> r) {
  for (std::size_t i = 1; i < b.size(); ++i) {
    const double factor = a[i] / b[i - 1];
    b[i] -= factor * c[i - 1];
    r[i] -= factor * r[i - 1];
  }
  r.back() /= b.back();
  for (std::size_t i = b.size() - 1; i-- > 0;) r[i] = (r[i] - c[i] * r[i + 1]) / b[i];
  return r;
}

}  // namespace

// Curvatures agree on both sides of every point: with the widths h_i of the pieces, of which the last one ends at the first point,
//
//     m_{i−1}/h_{i−1} + 2 (1/h_{i−1} + 1/h_i) m_i + m_{i+1}/h_i = 3 (s_{i−1}/h_{i−1} + s_i/h_i),   s_i = (f_{i+1} − f_i)/h_i
//
// The two corners of this matrix are a product u vᵀ, which is taken off and put back (Sherman and Morrison).
std::vector<double> calcPeriodicSlopes(const std::vector<double>& angles,
                                       const std::vector<double>& values) {
  const std::size_t n = angles.size();
  std::vector<double> h(n), s(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool isLast = i + 1 == n;
    h[i] = isLast ? angles[0] + kTurn - angles[i] : angles[i + 1] - angles[i];
    s[i] = ((isLast ? values[0] : values[i + 1]) - values[i]) / h[i];
  }
  std::vector<double> a(n), b(n), c(n), r(n), u(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t before = i == 0 ? n - 1 : i - 1;
    a[i] = 1.0 / h[before];
    c[i] = 1.0 / h[i];
    b[i] = 2.0 * (a[i] + c[i]);
    r[i] = 3.0 * (s[before] * a[i] + s[i] * c[i]);
  }
  const double corner = a[0];  // the same as c[n − 1]
  const double gamma = -b[0];
  u[0] = gamma;
  u[n - 1] = corner;
  b[0] -= gamma;
  b[n - 1] -= corner * corner / gamma;
  const std::vector<double> x = solveTridiagonal(a, b, c, r), y = solveTridiagonal(a, b, c, u);
  const double share =
      (x[0] + corner / gamma * x[n - 1]) / (1.0 + y[0] + corner / gamma * y[n - 1]);
  std::vector<double> slopes(n);
  for (std::size_t i = 0; i < n; ++i) slopes[i] = x[i] - share * y[i];
  return slopes;
}

CamProfile<double> makeCamProfile(const std::vector<double>& angles,
                                  const std::vector<double>& values) {
  const std::size_t n = angles.size();
  const std::vector<double> m = calcPeriodicSlopes(angles, values);
  CamProfile<double> profile;
  profile.begin.fill(std::numeric_limits<double>::infinity());
  profile.cubic.fill({0.0, 0.0, 0.0, 0.0});
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t next = i + 1 == n ? 0 : i + 1;
    const double h = i + 1 == n ? angles[0] + kTurn - angles[i] : angles[next] - angles[i];
    const double s = (values[next] - values[i]) / h;
    profile.begin[i] = angles[i];
    profile.cubic[i] = {values[i], m[i], (3.0 * s - 2.0 * m[i] - m[next]) / h,
                        (m[i] + m[next] - 2.0 * s) / (h * h)};
  }
  return profile;
}

}  // namespace flexloop::mechanics
