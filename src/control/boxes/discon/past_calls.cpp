#include "control/boxes/discon/past_calls.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace flexloop::control {

PastCalls::PastCalls(std::size_t inputs, std::size_t room)
    : width_(inputs + 1),
      mostKept_(std::min<std::uint64_t>(room / (sizeof(std::uint32_t) + width_ * sizeof(float)),
                                        std::numeric_limits<std::uint32_t>::max())) {}

std::uint64_t PastCalls::add(std::uint64_t parent, double t, const double* u) {
  if (count_ < mostKept_) {
    parents_.push_back(static_cast<std::uint32_t>(parent));
    numbers_.push_back(static_cast<float>(t));
    std::transform(u, u + width_ - 1, std::back_inserter(numbers_),
                   [](double number) { return static_cast<float>(number); });
  }
  return ++count_;
}

std::vector<std::uint64_t> PastCalls::pathTo(std::uint64_t call) const {
  std::vector<std::uint64_t> path;
  for (; call != 0; call = parents_[call - 1]) path.push_back(call);
  std::reverse(path.begin(), path.end());
  return path;
}

void PastCalls::copyInputs(std::uint64_t call, std::span<float> u) const {
  const auto first = numbers_.begin() + static_cast<std::ptrdiff_t>((call - 1) * width_ + 1);
  std::copy_n(first, width_ - 1, u.begin());
}

}  // namespace flexloop::control
