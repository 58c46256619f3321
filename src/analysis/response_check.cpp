#include "analysis/response_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

// So far to both sides of all roots, and how many frequencies between and at roots.
constexpr double kBeyond = 100.0;
constexpr int kBetween = 60, kAtRoots = 60;
// A little to the right of the axis, where roots without damping are finite.
constexpr double kDamping = 1e-3;
// Differences up to so many times the round-off of the machine's own response are none.
constexpr double kRoundOffs = 100.0;

// √(k/m), k/c and c/m of every freedom.
void findRange(const linalg::QuadraticPencil& pencil, double& slowest, double& fastest) {
  slowest = std::numeric_limits<double>::infinity();
  fastest = 0.0;
  const auto add = [&](double above, double below, double power) {
    if (above == 0.0 || below == 0.0) return;
    const double frequency = std::pow(above / below, power);
    slowest = std::min(slowest, frequency);
    fastest = std::max(fastest, frequency);
  };
  for (int u = 0; u < pencil.size(); ++u) {
    const double k = std::abs(pencil.K.coeff(u, u)), c = std::abs(pencil.C.coeff(u, u));
    const double m = std::abs(pencil.M.coeff(u, u));
    add(k, m, 0.5);
    add(k, c, 1.0);
    add(c, m, 1.0);
  }
}

}  // namespace

ResponseCheck::ResponseCheck(const LinearPorts& ports) : ports_(ports), solver_(ports) {
  findRange(ports.pencil, slowest_, fastest_);
}

ResponseDifference ResponseCheck::compare(const linalg::StateMatrices& system,
                                          const std::vector<Complex>& roots) {
  double low = slowest_, high = fastest_;
  std::vector<double> sizes;
  for (const Complex& root : roots) {
    if (root != 0.0 && std::isfinite(std::abs(root))) sizes.push_back(std::abs(root));
  }
  std::sort(sizes.begin(), sizes.end());
  if (!sizes.empty()) low = std::min(low, sizes.front()), high = std::max(high, sizes.back());
  if (!(high > 0.0)) low = high = 1.0;
  low /= kBeyond;
  high *= kBeyond;
  std::vector<double> frequencies;
  for (int i = 0; i <= kBetween; ++i) {
    frequencies.push_back(low * std::pow(high / low, static_cast<double>(i) / kBetween));
  }
  const std::size_t step = 1 + sizes.size() / kAtRoots;
  for (std::size_t i = 0; i < sizes.size(); i += step) frequencies.push_back(sizes[i]);
  ResponseDifference worst;
  for (const double frequency : frequencies) {
    const Complex s = frequency * Complex(kDamping, 1.0);
    MatrixXcd H;
    MatrixXd roundOff;
    if (!solver_.calc(s, H, roundOff)) continue;
    const MatrixXcd own = linalg::calcResponse(system, s);
    ++worst.points;
    for (Eigen::Index k = 0; k < H.rows(); ++k) {
      for (Eigen::Index i = 0; i < H.cols(); ++i) {
        const double difference = std::abs(own(k, i) - H(k, i)) - kRoundOffs * roundOff(k, i);
        if (difference <= 0.0) continue;
        const double share = difference / std::abs(H(k, i));
        // Not a number is no agreement.
        if (share <= worst.share) continue;
        worst.share = std::isfinite(share) ? share : std::numeric_limits<double>::infinity();
        worst.frequencyHz = frequency / (2.0 * std::numbers::pi);
        worst.input = static_cast<int>(i);
        worst.output = static_cast<int>(k);
      }
    }
  }
  return worst;
}

}  // namespace flexloop::analysis
