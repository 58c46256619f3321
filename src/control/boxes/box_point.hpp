// The last arguments that a black box was asked with. The same question comes again and again: residuals,
// tangents and derivatives of one instant are wanted by several parts of a step, and a box is dear to ask.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "math/taylor.hpp"

namespace flexloop::control {

class BoxPoint {
 public:
  using Numbers = std::span<const double>;

  bool is(double t, std::initializer_list<Numbers> lists) const {
    if (!isKnown_ || t != t_) return false;
    auto at = numbers_.begin();
    for (const Numbers list : lists) {
      if (numbers_.end() - at < std::ssize(list)) return false;
      if (!std::equal(list.begin(), list.end(), at)) return false;
      at += std::ssize(list);
    }
    return at == numbers_.end();
  }

  void set(double t, std::initializer_list<Numbers> lists) {
    t_ = t;
    numbers_.clear();
    for (const Numbers list : lists) numbers_.insert(numbers_.end(), list.begin(), list.end());
    isKnown_ = true;
  }
  void forget() { isKnown_ = false; }
  void reserve(std::size_t numbers) { numbers_.reserve(numbers); }

 private:
  bool isKnown_ = false;
  double t_ = 0.0;
  std::vector<double> numbers_;
};

// The quantities with their derivatives, as plain numbers.
inline void flatten(std::span<const math::Taylor2> quantities, std::vector<double>& numbers) {
  numbers.clear();
  for (const math::Taylor2& q : quantities) {
    numbers.insert(numbers.end(), {q.value, q.first, q.second});
  }
}

}  // namespace flexloop::control
