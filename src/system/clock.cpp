#include "system/clock.hpp"

#include <cmath>
#include <limits>

namespace flexloop::system {

double wholeInverse(double period) {
  const double inverse = std::round(1.0 / period);
  const bool isWhole =
      std::abs(inverse * period - 1.0) < 4.0 * std::numeric_limits<double>::epsilon();
  return isWhole ? inverse : 0.0;
}

double Clock::instant(std::int64_t k) const {
  const double inverse = wholeInverse(period);
  const double count = static_cast<double>(k);
  return offset + (inverse > 0.0 ? count / inverse : count * period);
}

std::int64_t Clock::lastInstant(double time) const {
  // Beyond this, instants are closer than times can be resolved.
  constexpr double kMost = 9007199254740992.0;  // 2^53
  if (!(time >= offset)) return -1;
  const double periods = (time - offset) / period;
  if (!(periods < kMost)) return static_cast<std::int64_t>(kMost);
  auto k = static_cast<std::int64_t>(periods);
  while (k > 0 && instant(k) > time) --k;
  while (instant(k + 1) <= time) ++k;
  return k;
}

}  // namespace flexloop::system
