// Numbers of a record that may come from anywhere, one after the other. What is not there or not a number is zero, and
// ok() says so. Infinite ones are numbers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace flexloop::base {

class NumberReader {
 public:
  explicit NumberReader(std::span<const double> numbers) : left_(numbers) {}

  double take() {
    if (left_.empty()) return fail();
    const double number = left_.front();
    left_ = left_.subspan(1);
    return std::isnan(number) ? fail() : number;
  }
  // A whole number between these; `least` where it is none.
  std::int64_t takeWhole(std::int64_t least, std::int64_t most) {
    const double number = take();
    const bool isWhole = number >= static_cast<double>(least) &&
                         number <= static_cast<double>(most) && number == std::floor(number);
    if (isWhole) return static_cast<std::int64_t>(number);
    fail();
    return least;
  }
  bool takeFlag() { return takeWhole(0, 1) == 1; }
  void take(std::span<double> target) {
    for (double& number : target) number = take();
  }

  std::size_t left() const { return left_.size(); }
  bool ok() const { return ok_; }
  // Nothing was missing and nothing is left.
  bool isDone() const { return ok_ && left_.empty(); }

 private:
  double fail() {
    ok_ = false;
    return 0.0;
  }

  std::span<const double> left_;
  bool ok_ = true;
};

}  // namespace flexloop::base
