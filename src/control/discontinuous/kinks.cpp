#include "control/discontinuous/kinks.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "control/boxes/identification/box_realization.hpp"
#include "control/discontinuous/flat_blocks.hpp"

namespace flexloop::control {
namespace {

// A kink is as large at a smaller distance; the change of a smooth slope shrinks with it.
constexpr double kNearer = 1e-3, kStays = 0.5;
constexpr double kNoKink = 1e-6;  // share of the slopes
constexpr int kMostSwitches = 4;  // of the branches of one block
// Black boxes are asked for values, not slopes: their steps are larger, and the second is not much smaller.
constexpr double kBoxStep = 6e4, kBoxNearer = 0.125, kNoBoxKink = 1e-3;
// The derivative of a sampled controller may have a gain of 1e5 and more over one instant, which must not reach a limit that is
// only near; its values have no errors but roundings.
constexpr double kSampledStep = 100.0;
constexpr double kRoundOff = 1e3 * std::numeric_limits<double>::epsilon();

// What a block does for other inputs, on the branches that belong to them; it forgets what it did.
class Probe {
 public:
  Probe(const Block& block, const BlockPorts<double>& ports)
      : block_(block), ports_(ports), size_(block.size()), y_(size_.outputs), dx_(size_.states) {}

  struct Result {
    Eigen::MatrixXd slopes;  // as of Block::calcPartials
    Eigen::VectorXd outputs;
    bool hasSwitched = false;
  };

  Result calc(int input, double step) {
    BlockPorts<double> ports = place(input, step);
    Result result;
    std::vector<double> indicators(block_.indicators());
    for (int k = 0; k < kMostSwitches && !indicators.empty(); ++k) {
      block_.calcIndicators(ports, indicators.data());
      if (std::none_of(indicators.begin(), indicators.end(), [](double g) { return g < 0.0; })) {
        break;
      }
      block_.switchBranches(ports, {memory_.data(), ports_.record != nullptr ? &record_ : nullptr});
      result.hasSwitched = true;
    }
    result.slopes.setZero(size_.states + size_.outputs, size_.states + size_.inputs);
    block_.calcPartials(ports, result.slopes);
    block_.calc(ports);
    result.outputs = Eigen::Map<const Eigen::VectorXd>(y_.data(), size_.outputs);
    return result;
  }

  // What a sampled block remembers after an instant, its outputs first. It has had one with the inputs as they are.
  Eigen::VectorXd callSampled(int input, double step) {
    const BlockPorts<double> ports = place(input, 0.0);
    instant(ports);
    u_[input] += step;
    instant(ports);
    return Eigen::Map<const Eigen::VectorXd>(memory_.data(), size_.memory);
  }

  // The outputs of a black box; of one with a clock, those of the next instant.
  Eigen::VectorXd callBox(int input, double step) {
    const BlockPorts<double> ports = place(input, step);
    if (block_.clock() >= 0) {
      block_.sample(ports, {memory_.data(), ports_.record != nullptr ? &record_ : nullptr});
    }
    block_.calc(ports);
    return Eigen::Map<const Eigen::VectorXd>(y_.data(), size_.outputs);
  }

 private:
  void instant(const BlockPorts<double>& ports) {
    const BlockMemory memory{memory_.data(), ports_.record != nullptr ? &record_ : nullptr};
    block_.sample(ports, memory);
    block_.updateSample(ports, memory);
  }

  BlockPorts<double> place(int input, double step) {
    u_.assign(ports_.u.begin(), ports_.u.end());
    x_.assign(ports_.x.begin(), ports_.x.end());
    u_[input] += step;
    memory_.assign(ports_.memory, ports_.memory + size_.memory);
    if (ports_.record != nullptr) record_ = *ports_.record;
    return {ports_.t, x_, u_, memory_.data(), ports_.record != nullptr ? &record_ : nullptr,
            dx_,      y_};
  }

  const Block& block_;
  BlockPorts<double> ports_;
  BlockSize size_;
  std::vector<double> u_, x_, memory_, record_, y_, dx_;
};

// The row in which two columns of slopes differ most for their size, and by how much.
struct Difference {
  Eigen::Index row = 0;
  double size = 0.0;
};

Difference compare(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  Difference found;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    const double larger = std::max(std::abs(a[i]), std::abs(b[i]));
    const double size = larger > 0.0 ? std::abs(a[i] - b[i]) / larger : 0.0;
    if (size > found.size) found = {i, size};
  }
  return found;
}

// A play that touches on one side is pushed along for one direction of its input: after the switch it touches again, and
// only its outputs tell that it has moved.
std::optional<Kink> findOneWayKink(const Block& block, int input, double step,
                                   const Probe::Result& below, const Probe::Result& at,
                                   const Probe::Result& above) {
  if (below.hasSwitched == above.hasSwitched) return std::nullopt;
  const Eigen::VectorXd left = (at.outputs - below.outputs) / step;
  const Eigen::VectorXd right = (above.outputs - at.outputs) / step;
  const Difference most = compare(left, right);
  const double noise = kRoundOff * std::abs(at.outputs[most.row]) / step;
  if (most.size <= kNoBoxKink || std::abs(right[most.row] - left[most.row]) <= noise) {
    return std::nullopt;
  }
  const BlockSize size = block.size();
  return Kink{input,           input,
              false,           left[most.row],
              right[most.row], at.slopes(size.states + most.row, size.states + input)};
}

// Where the output itself differs.
std::optional<Kink> findJump(const BlockSize& size, int input, double step,
                             const Probe::Result& below, const Probe::Result& at,
                             const Probe::Result& above) {
  const Eigen::Index column = size.states + input;
  for (Eigen::Index i = 0; i < size.outputs; ++i) {
    const double jump = std::abs(above.outputs[i] - below.outputs[i]);
    const double steepest = std::max(std::abs(above.slopes(size.states + i, column)),
                                     std::abs(below.slopes(size.states + i, column)));
    const double larger = std::max(std::abs(above.outputs[i]), std::abs(below.outputs[i]));
    if (jump > 4.0 * steepest * step + kNoKink * larger) {
      return Kink{input, input, true, below.outputs[i], above.outputs[i], at.outputs[i]};
    }
  }
  return std::nullopt;
}

std::optional<Kink> findKink(const Block& block, Probe& probe, int input,
                             const std::vector<double>& steps) {
  const BlockSize size = block.size();
  const double step = steps[input];
  const Probe::Result below = probe.calc(input, -step), above = probe.calc(input, step);
  const Probe::Result at = probe.calc(input, 0.0);
  if (const auto jump = findJump(size, input, step, below, at, above)) return jump;
  const Eigen::MatrixXd left = probe.calc(input, -kNearer * step).slopes;
  const Eigen::MatrixXd right = probe.calc(input, kNearer * step).slopes;
  const auto findOver = [&](int over) -> std::optional<Kink> {
    const Eigen::Index column = size.states + over;
    const Difference far = compare(below.slopes.col(column), above.slopes.col(column));
    if (far.size <= kNoKink) return std::nullopt;
    const double change = std::abs(above.slopes(far.row, column) - below.slopes(far.row, column));
    const double nearer = std::abs(right(far.row, column) - left(far.row, column));
    if (!(nearer > kStays * change)) return std::nullopt;
    return Kink{input,
                std::max(over, Kink::kState),
                false,
                left(far.row, column),
                right(far.row, column),
                at.slopes(far.row, column)};
  };
  if (const auto kink = findOver(input)) return kink;
  if (const auto kink = findOneWayKink(block, input, step, below, at, above)) return kink;
  for (int over = -size.states; over < size.inputs; ++over) {
    const bool isConstant = over >= 0 && steps[over] == 0.0;
    if (isConstant || over == input) continue;
    if (const auto kink = findOver(over)) return kink;
  }
  return std::nullopt;
}

// Slopes from differences to either side, of what can only be called.
using Call = std::function<Eigen::VectorXd(double step)>;

std::optional<Kink> findCalledKink(const Call& call, Eigen::Index rows, int input, double far) {
  const Eigen::VectorXd at = call(0.0).head(rows);
  const auto slope = [&](double by) -> Eigen::VectorXd { return (call(by).head(rows) - at) / by; };
  const double near = kBoxNearer * far;
  const Eigen::VectorXd below = slope(-far), above = slope(far);
  const Difference most = compare(below, above);
  if (most.size <= kNoBoxKink) return std::nullopt;
  const double left = slope(-near)[most.row], right = slope(near)[most.row];
  const double change = std::abs(above[most.row] - below[most.row]);
  const double noise = kRoundOff * std::abs(at[most.row]) / near;
  const double nearer = std::abs(right - left);
  if (!(nearer > kStays * change + noise && change > noise)) return std::nullopt;
  return Kink{input, input, false, left, right, 0.5 * (above[most.row] + below[most.row])};
}

std::optional<Kink> findBoxKink(const Block& block, Probe& probe, int input, double step) {
  const auto call = [&](double by) { return probe.callBox(input, by); };
  return findCalledKink(call, block.size().outputs, input, kBoxStep * step);
}

// Of the outputs; or else of what is remembered, an integral that a limit stops.
std::optional<Kink> findSampledKink(const Block& block, Probe& probe, int input, double step) {
  const auto call = [&](double by) { return probe.callSampled(input, by); };
  const double far = kSampledStep * step;
  const auto kink = findCalledKink(call, block.size().outputs, input, far);
  return kink ? kink : findCalledKink(call, block.size().memory, input, far);
}

}  // namespace

std::vector<Kink> findKinks(const Block& block, const BlockPorts<double>& ports,
                            const std::vector<double>& steps) {
  std::vector<Kink> kinks;
  const bool isHidden = block.isBox() && block.clock() >= 0 && !block.canGoBack();
  // A mean slope counts as it is, whatever a single step does.
  if (block.meanSlope() != 0.0) return kinks;
  // Slopes of boxes that round their numbers differ by rounding; what is not linear in them shows in their records.
  if (isHidden || block.delay() > 0.0 || roundsNumbers(block)) return kinks;
  Probe probe(block, ports);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] == 0.0) continue;
    const int input = static_cast<int>(i);
    const bool isSampled = block.clock() >= 0 && !block.isBox();
    const std::optional<Kink> kink = isSampled ? findSampledKink(block, probe, input, steps[i])
                                     : block.isBox() ? findBoxKink(block, probe, input, steps[i])
                                                     : findKink(block, probe, input, steps);
    if (kink) kinks.push_back(*kink);
  }
  return kinks;
}

bool isFlat(const Block& block, const BlockPorts<double>& ports, const std::vector<double>& far) {
  const BlockSize size = block.size();
  const bool isPlain =
      size.states == 0 && block.clock() < 0 && block.delay() == 0.0 && !block.isBox();
  if (!isPlain || block.meanSlope() != 0.0) return false;
  Probe probe(block, ports);
  bool changes = false;
  for (std::size_t i = 0; i < far.size(); ++i) {
    const int input = static_cast<int>(i);
    const Probe::Result at = probe.calc(input, 0.0);
    if (!at.slopes.col(input).isZero(0.0)) return false;
    for (const double step : {-far[i], far[i]}) {
      changes = changes || probe.calc(input, step).outputs != at.outputs;
    }
  }
  return changes;
}

}  // namespace flexloop::control
