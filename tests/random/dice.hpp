// Random numbers that are the same everywhere: the distributions of the standard library are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace flexloop::random {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15ULL + 1) {
    engine_.discard(16);
  }

  double uniform(double from, double to) {
    return from + (to - from) * 0x1p-53 * static_cast<double>(engine_() >> 11);
  }
  double logUniform(double from, double to) {
    return std::exp(uniform(std::log(from), std::log(to)));
  }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
  int below(int count) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(count)); }
  int between(int from, int to) { return from + below(to - from + 1); }
  double sign() { return chance(0.5) ? 1.0 : -1.0; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(static_cast<int>(from.size()))];
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) {
      std::swap(list[i - 1], list[below(static_cast<int>(i))]);
    }
  }

  Eigen::Vector3d direction() {
    while (true) {
      const Eigen::Vector3d v(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
      if (v.norm() > 0.2 && v.norm() < 1.0) return v.normalized();
    }
  }
  Eigen::Vector3d perpendicularTo(const Eigen::Vector3d& axis) {
    const Eigen::Vector3d d = axis.normalized();
    while (true) {
      const Eigen::Vector3d v = direction();
      const Eigen::Vector3d rest = v - v.dot(d) * d;
      if (rest.norm() > 0.3) return rest.normalized();
    }
  }
  Eigen::Matrix3d rotation() {
    return Eigen::AngleAxisd(uniform(-2.5, 2.5), direction()).toRotationMatrix();
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace flexloop::random
