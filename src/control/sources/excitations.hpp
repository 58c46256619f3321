// Signals that excite a machine, to be measured or tested (docs/theory/13_algebra_and_sources.md,
// sections 13.7 and 13.8).
#pragma once

#include <cstdint>

#include "control/sources/source.hpp"

namespace flexloop::control {

// offset + amplitude sin(φ(t) + phase) while it lasts, offset before and after; the frequency φ'/2π
// goes from f0 to f1, evenly (13.17) or by equal factors in equal times (13.18).
class Chirp final : public TimeFunction {
 public:
  enum class Sweep { kLinear, kLogarithmic };
  struct Frequencies {
    double from, to;  // Hz
    Sweep sweep;
  };
  struct Wave {
    double amplitude, offset, phase;
  };
  Chirp(const Wave& wave, const Frequencies& frequencies, double start, double duration)
      : wave_(wave), frequencies_(frequencies), start_(start), duration_(duration) {}
  math::Taylor2 at(double time) const override;
  std::vector<double> breaks() const override { return {start_, start_ + duration_}; }

 private:
  math::Taylor2 phaseAt(double time) const;

  Wave wave_;
  Frequencies frequencies_;
  double start_, duration_;
};

// `high` during `width` of each period from the start on, else `low`.
class Pulse final : public TimeFunction {
 public:
  struct Levels {
    double low, high;
  };
  Pulse(double start, double period, double width, const Levels& levels)
      : up_{period, start}, down_{period, start + width}, levels_(levels) {}
  math::Taylor2 at(double time) const override;
  std::vector<system::Clock> periodicBreaks() const override { return {up_, down_}; }

 private:
  system::Clock up_, down_;
  Levels levels_;
};

// The numbers 1, 2 … of the generator SplitMix64 (Steele, Lea, Flood 2014) for a seed. Each follows
// from its index alone.
std::uint64_t splitMix64(std::uint64_t seed, std::uint64_t index);

// Random numbers at the instants of a clock, held or joined by straight lines (13.19). The value is
// a function of seed and time alone, whatever steps ask for it.
class Noise final : public TimeFunction {
 public:
  enum class Distribution { kGaussian, kUniform };
  enum class Shape { kHold, kLinear };
  struct Numbers {
    Distribution distribution;
    double mean, deviation;
    std::uint64_t seed;
  };
  Noise(const Numbers& numbers, double period, Shape shape)
      : numbers_(numbers), clock_{period, 0.0}, shape_(shape) {}
  math::Taylor2 at(double time) const override;
  std::vector<system::Clock> periodicBreaks() const override { return {clock_}; }

 private:
  double number(std::int64_t k) const;

  Numbers numbers_;
  system::Clock clock_;
  Shape shape_;
};

}  // namespace flexloop::control
