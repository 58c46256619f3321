// When the corrections of Newton's method end: at the tolerance, or at round-off where they no longer shrink, which is as good as
// it gets.
#pragma once

#include <limits>

namespace flexloop::solve {

class NewtonEnd {
 public:
  explicit NewtonEnd(double tolerance) : tolerance_(tolerance) {}

  // Whether the correction of this size is the last. It may be round-off where it is as small as that.
  bool isReached(double size, bool mayBeRoundOff) {
    const bool isStalled = mayBeRoundOff && size >= kShrinks * previous_;
    previous_ = size;
    return size <= tolerance_ || isStalled;
  }

 private:
  static constexpr double kShrinks = 0.5;

  double tolerance_;
  double previous_ = std::numeric_limits<double>::infinity();
};

}  // namespace flexloop::solve
