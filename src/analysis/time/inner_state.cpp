#include "analysis/time/inner_state.hpp"

#include "math/so3.hpp"

namespace flexloop::analysis {

system::State interpolate(const system::State& from, const system::State& to, double share) {
  system::State between = from;
  between.time = from.time + share * (to.time - from.time);
  between.value += share * (to.value - from.value);
  between.rate += share * (to.rate - from.rate);
  for (std::size_t i = 0; i < between.frames.size(); ++i) {
    math::Frame<double>& frame = between.frames[i];
    const math::Vec3<double> turn =
        math::logSO3<double>(from.frames[i].R.transpose() * to.frames[i].R);
    frame.x += share * (to.frames[i].x - from.frames[i].x);
    frame.R = from.frames[i].R * math::expSO3<double>(share * turn);
  }
  return between;
}

}  // namespace flexloop::analysis
