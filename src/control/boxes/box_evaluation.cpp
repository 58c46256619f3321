// The calls of a black box that a simulation makes, with the checks of what comes back.
#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "control/boxes/box.hpp"

namespace flexloop::control {
namespace {

using Kind = BoxFault::Kind;

constexpr int kSaveAttempts = 4;

// What the groups of a function hold, as a user would say it.
const char* nameOfGroup(BoxFunction function, int group) {
  constexpr std::array<const char*, 4> kMatrices{"fx", "fu", "hx", "hu"};
  if (function == BoxFunction::kJacobian) return kMatrices[group];
  return function == BoxFunction::kDerivative ? "derivative" : "output";
}

std::string nameOfNumber(BoxFunction function, int group, int index) {
  const char* name = nameOfGroup(function, group);
  if (function == BoxFunction::kJacobian) return fmt::format("{}[{}]", name, index);
  return fmt::format("{} {}", name, index + 1);
}

}  // namespace

BoxFault Box::output(double t, const double* u, double* y) {
  assert(settings_.kind == BoxSettings::Kind::kLibrary);
  return evaluate(BoxFunction::kOutput, t, nullptr, u, {y});
}

BoxFault Box::derivative(double t, const double* x, const double* u, double* dx) {
  assert(settings_.kind == BoxSettings::Kind::kNonlinear);
  return evaluate(BoxFunction::kDerivative, t, x, u, {dx});
}

BoxFault Box::nonlinearOutput(double t, const double* x, const double* u, double* y) {
  assert(settings_.kind == BoxSettings::Kind::kNonlinear);
  return evaluate(BoxFunction::kNonlinearOutput, t, x, u, {y});
}

BoxFault Box::jacobian(double t, const double* x, const double* u, const Jacobian& jacobian) {
  return evaluate(BoxFunction::kJacobian, t, x, u,
                  {jacobian.fx, jacobian.fu, jacobian.hx, jacobian.hu});
}

void Box::begin() {
  calls_.clear();
  numbers_.clear();
  next_ = 0;
}

void Box::addRestore() {
  assert(has(BoxFunction::kRestore));
  calls_.push_back({.function = BoxFunction::kRestore});
}

void Box::add(BoxFunction function, double t, const double* x, const double* u) {
  calls_.push_back({.function = function, .time = t});
  if (x != nullptr) numbers_.insert(numbers_.end(), x, x + settings_.states);
  numbers_.insert(numbers_.end(), u, u + settings_.inputs);
  numbers_.resize(numbers_.size() + groupsOf(settings_, function).cells());
}

void Box::addSave() {
  assert(has(BoxFunction::kSave));
  taken_.assign(saveCapacity_ + kFenceBytes, kFenceByte);
  calls_.push_back({.function = BoxFunction::kSave});
}

BoxFault Box::run() {
  if (dead_) return dead_;
  assert(host_ != nullptr);
  double* cell = numbers_.data();
  for (BoxCall& call : calls_) {
    const std::size_t inputs = inputsOf(settings_, call.function);
    call.inputs = {cell, inputs};
    call.outputs = {cell + inputs,
                    static_cast<std::size_t>(groupsOf(settings_, call.function).cells())};
    cell += inputs + call.outputs.size();
  }
  const BoxEnding ending = host_->run({calls_, given_, taken_});
  if (ending.kind == BoxEnding::Kind::kDone) return {};
  dead_ = makeFault(settings_, calls_[ending.call], ending);
  host_.reset();
  return dead_;
}

BoxFault Box::readNext(const Results& results) {
  while (calls_[next_].outputs.empty()) ++next_;
  const BoxCall& made = calls_[next_++];
  const BoxGroups groups = groupsOf(settings_, made.function);
  if (BoxFault fault = checkResults(made, groups)) return fault;
  const double* cell = made.outputs.data();
  for (int k = 0; k < groups.count; ++k) {
    std::copy_n(cell, groups.size[k], results[k]);
    cell += groups.size[k] + kFenceCells;
  }
  return {};
}

BoxFault Box::evaluate(BoxFunction function, double t, const double* x, const double* u,
                       const Results& results) {
  if (!has(function)) return makeMissing(function);
  begin();
  add(function, t, x, u);
  if (BoxFault fault = run()) return fault;
  return readNext(results);
}

BoxFault Box::checkResults(const BoxCall& call, const BoxGroups& groups) const {
  const double* cell = call.outputs.data();
  for (int group = 0; group < groups.count; ++group) {
    const int size = groups.size[group];
    for (int k = 0; k < size; ++k) {
      if (!std::isfinite(cell[k])) return makeNotFinite(call, group, k, cell[k]);
    }
    const double* fence = cell + size;
    if (!std::all_of(fence, fence + kFenceCells, isUntouched)) {
      return makeFault(
          settings_, Kind::kBadValue,
          fmt::format("wrote more than {} numbers of {}{}", size, nameOfGroup(call.function, group),
                      placeOf(settings_, call)),
          "the numbers of inputs, outputs and states in the model must match those of the box");
    }
    cell = fence + kFenceCells;
  }
  return {};
}

BoxFault Box::makeNotFinite(const BoxCall& call, int group, int index, double value) const {
  const std::string number = nameOfNumber(call.function, group, index);
  if (isUntouched(value)) {
    return makeFault(
        settings_, Kind::kBadValue,
        fmt::format("did not set {}{}", number, placeOf(settings_, call)),
        "a box must write all of its results in every call; do their numbers match the model?");
  }
  return makeFault(settings_, Kind::kNotFinite,
                   fmt::format("returned {} as {}{}: not a finite number", value, number,
                               placeOf(settings_, call)),
                   "check its inputs and its 'config'");
}

BoxFault Box::save(std::vector<unsigned char>& memory) {
  if (!has(BoxFunction::kSave)) return makeMissing(BoxFunction::kSave);
  begin();
  addSave();
  if (BoxFault fault = run()) return fault;
  return readSaved(memory);
}

BoxFault Box::readSaved(std::vector<unsigned char>& memory) {
  for (int attempt = 0; attempt < kSaveAttempts; ++attempt) {
    const std::uint64_t bytes = calls_.back().answer;
    if (BoxFault fault = checkSaved(bytes)) return fault;
    if (bytes <= saveCapacity_) {
      memory.assign(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(bytes));
      return {};
    }
    saveCapacity_ = bytes;
    if (attempt == kSaveAttempts - 1) break;
    begin();
    addSave();
    if (BoxFault fault = run()) return fault;
  }
  return makeFault(
      settings_, Kind::kBadMemory,
      fmt::format("keeps asking for more bytes in block_save, most recently {}", saveCapacity_),
      "block_save must return the same size until block_output is called again");
}

BoxFault Box::checkSaved(std::uint64_t bytes) const {
  const auto fence = std::span(taken_).last(kFenceBytes);
  if (!std::all_of(fence.begin(), fence.end(), [](auto byte) { return byte == kFenceByte; })) {
    return makeFault(settings_, Kind::kBadMemory,
                     fmt::format("wrote more than the {} bytes that it was given in block_save",
                                 taken_.size() - kFenceBytes),
                     "block_save must not write beyond 'capacity'");
  }
  if (bytes > kLargestMemory) {
    return makeFault(settings_, Kind::kBadMemory,
                     fmt::format("requests {} bytes in block_save, more than the {} allowed", bytes,
                                 kLargestMemory),
                     "block_save must return the size of its memory in bytes");
  }
  return {};
}

BoxFault Box::restore(const std::vector<unsigned char>& memory) {
  if (!has(BoxFunction::kRestore)) return makeMissing(BoxFunction::kRestore);
  begin();
  give(memory);
  addRestore();
  return run();
}

}  // namespace flexloop::control
