// All calls of a controller so far, as a tree: a call continues that of its parent. Numbers are in single precision, as the
// controller gets them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace flexloop::control {

class PastCalls {
 public:
  // Keeps what fits into `room` [bytes]: the first calls, so that the memory of a long run is bounded.
  PastCalls(std::size_t inputs, std::size_t room);

  // The number of the call, from 1. The parent 0 is the state before the first.
  std::uint64_t add(std::uint64_t parent, double t, const double* u);
  std::uint64_t count() const { return count_; }
  // Only the earlier ones are kept.
  std::uint64_t mostKept() const { return mostKept_; }
  bool isKept(std::uint64_t call) const { return call <= numbers_.size() / width_; }
  // The calls that lead to a kept one, first to last; empty for 0.
  std::vector<std::uint64_t> pathTo(std::uint64_t call) const;

  // Of a kept call.
  std::uint64_t parent(std::uint64_t call) const { return parents_[call - 1]; }
  float time(std::uint64_t call) const { return numbers_[(call - 1) * width_]; }
  void copyInputs(std::uint64_t call, std::span<float> u) const;

 private:
  std::size_t width_;  // time and inputs
  std::uint64_t mostKept_, count_ = 0;
  std::deque<std::uint32_t> parents_;
  std::deque<float> numbers_;
};

}  // namespace flexloop::control
