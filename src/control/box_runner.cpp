#include "control/box_runner.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "control/box_memory.hpp"

namespace flexloop::control {
namespace {

constexpr std::size_t kUsualMemory = 1024;  // bytes for which there is room from the start

}  // namespace

BoxRunner::BoxRunner(std::shared_ptr<Box> box)
    : box_(std::move(box)),
      settings_(box_->settings()),
      canRestore_(box_->canRestore()),
      hasJacobian_(box_->hasJacobian()) {
  held_.reserve(kUsualMemory);
  bytes_.reserve(kUsualMemory);
}

bool BoxRunner::accept(BoxFault fault) {
  if (!fault) return true;
  fault_ = std::move(fault);
  return false;
}

bool BoxRunner::accept(BoxFault fault, std::span<double> results) {
  if (accept(std::move(fault))) return true;
  std::fill(results.begin(), results.end(), std::numeric_limits<double>::quiet_NaN());
  return false;
}

// States and inputs of a trial may lie outside of the domain of the box, and the next trial within it.
bool BoxRunner::acceptTrial(BoxFault fault, std::span<double> results, BoxFault& outside) {
  const bool isOutside = fault.kind == BoxFault::Kind::kNotFinite;
  outside = isOutside ? std::move(fault) : BoxFault{};
  if (!isOutside && accept(std::move(fault))) return true;
  std::fill(results.begin(), results.end(), std::numeric_limits<double>::quiet_NaN());
  return false;
}

bool BoxRunner::output(double t, std::span<const double> u, std::span<double> y) {
  held_.clear();
  calls_ += 1.0;
  BoxFault fault = fault_ ? fault_ : box_->output(t, u.data(), y.data());
  // With a memory that can be restored, the call can be made again.
  return canRestore_ ? acceptTrial(std::move(fault), y, outside_) : accept(std::move(fault), y);
}

bool BoxRunner::probe(double t, std::span<const double> u, std::span<double> y) {
  held_.clear();
  calls_ += 1.0;
  return acceptTrial(fault_ ? fault_ : box_->output(t, u.data(), y.data()), y, outside_);
}

bool BoxRunner::derivative(double t, std::span<const double> x, std::span<const double> u,
                           std::span<double> dx) {
  return acceptTrial(fault_ ? fault_ : box_->derivative(t, x.data(), u.data(), dx.data()), dx,
                     outsideRates_);
}

bool BoxRunner::nonlinearOutput(double t, std::span<const double> x, std::span<const double> u,
                                std::span<double> y) {
  return acceptTrial(fault_ ? fault_ : box_->nonlinearOutput(t, x.data(), u.data(), y.data()), y,
                     outside_);
}

bool BoxRunner::jacobian(double t, std::span<const double> x, std::span<const double> u,
                         const Box::Jacobian& jacobian) {
  return accept(fault_ ? fault_ : box_->jacobian(t, x.data(), u.data(), jacobian));
}

bool BoxRunner::restore(std::span<const double> memory) {
  if (fault_) return false;
  if (std::equal(held_.begin(), held_.end(), memory.begin(), memory.end())) return true;
  unpackBytes(memory, bytes_);
  if (!accept(box_->restore(bytes_))) return false;
  held_.assign(memory.begin(), memory.end());
  return true;
}

bool BoxRunner::save(std::vector<double>& memory) {
  if (fault_ || !accept(box_->save(bytes_))) return false;
  packBytes(bytes_, memory);
  held_ = memory;
  return true;
}

bool BoxRunner::reopen() {
  if (fault_) return false;
  // First, because a library without block_create serves one box at a time.
  box_.reset();
  auto opened = Box::open(settings_);
  if (!opened) {
    fault_ = {BoxFault::Kind::kUnreachable, opened.failure().message, opened.failure().hint};
    return false;
  }
  box_ = opened.value();
  held_.clear();
  calls_ = 0.0;
  return true;
}

bool BoxRunner::fail(const std::string& what, std::string hint) {
  return accept(makeFault(settings_, BoxFault::Kind::kBadMemory, what, std::move(hint)));
}

std::string BoxRunner::fault() const {
  const BoxFault& last = firstFault();
  if (!last) return {};
  return last.hint.empty() ? last.message : last.message + "\n" + last.hint;
}

}  // namespace flexloop::control
