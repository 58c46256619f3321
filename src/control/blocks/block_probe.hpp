// A block apart from its machine: it is fed with inputs at growing times, from what it remembers in a
// State. Neither the State nor a later run notices.
#pragma once

#include <span>
#include <vector>

#include "control/blocks/block_set.hpp"

namespace flexloop::control {

// For blocks with a clock and for black boxes (Block::isBox) that can go back (Block::canGoBack).
class BlockProbe {
 public:
  BlockProbe(const BlockSet& set, int element, const system::State& state);

  const Block& block() const { return block_; }
  // Of the State.
  double time() const { return time_; }
  const std::vector<double>& inputs() const { return inputs_; }
  int outputs() const { return static_cast<int>(y_.size()); }

  // The block is what it is in the State.
  void restart();
  // One call that counts; the outputs are valid until the next one.
  const std::vector<double>& call(double t, std::span<const double> u);
  // Of an input, by what its steps do to calls that are h apart; see slope_search.hpp.
  double findSize(int input, double h);

 private:
  const Block& block_;
  double time_;
  std::vector<double> inputs_, startMemory_, startRecord_;
  std::vector<double> memory_, record_, x_, dx_, y_;
};

}  // namespace flexloop::control
