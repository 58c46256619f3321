#include "control/sources/excitations.hpp"

#include <cmath>
#include <numbers>

namespace flexloop::control {

using math::Taylor2;
using std::numbers::pi;

Taylor2 Chirp::at(double time) const {
  if (time < start_ || time >= start_ + duration_) return {wave_.offset};
  return wave_.offset + wave_.amplitude * math::sin(phaseAt(time));
}

Taylor2 Chirp::phaseAt(double time) const {
  const auto& [from, to, sweep] = frequencies_;
  const double t = time - start_;
  const double growth = sweep == Sweep::kLogarithmic ? std::log(to / from) / duration_ : 0.0;
  if (growth != 0.0) {
    const double frequency = from * std::exp(growth * t);
    return {2.0 * pi * from * std::expm1(growth * t) / growth + wave_.phase, 2.0 * pi * frequency,
            2.0 * pi * frequency * growth};
  }
  const double rate = (to - from) / duration_;
  return {2.0 * pi * t * (from + 0.5 * rate * t) + wave_.phase, 2.0 * pi * (from + rate * t),
          2.0 * pi * rate};
}

Taylor2 Pulse::at(double time) const {
  const std::int64_t k = up_.lastInstant(time);
  return {k >= 0 && time < down_.instant(k) ? levels_.high : levels_.low};
}

std::uint64_t splitMix64(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + index * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

Taylor2 Noise::at(double time) const {
  const std::int64_t k = clock_.lastInstant(time);
  const double now = number(k);
  if (shape_ == Shape::kHold) return {now};
  const double slope = (number(k + 1) - now) / clock_.period;
  return {now + slope * (time - clock_.instant(k)), slope, 0.0};
}

// Two numbers of the generator for each instant; uniform in [0, 1) with 53 bits.
double Noise::number(std::int64_t k) const {
  const auto uniform = [&](std::uint64_t index) {
    return static_cast<double>(splitMix64(numbers_.seed, index) >> 11U) * 0x1p-53;
  };
  const std::uint64_t first = 2 * static_cast<std::uint64_t>(k) + 1;
  const double a = uniform(first);
  // Box and Muller's pair of normal numbers, of which one is used; 1 − a is never zero.
  const double unit =
      numbers_.distribution == Distribution::kUniform
          ? std::numbers::sqrt3 * (2.0 * a - 1.0)
          : std::sqrt(-2.0 * std::log1p(-a)) * std::cos(2.0 * pi * uniform(first + 1));
  return numbers_.mean + numbers_.deviation * unit;
}

}  // namespace flexloop::control
