// The calls of a black box that a simulation makes, with the checks of what comes back.
#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "control/box.hpp"

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

BoxFault Box::evaluate(BoxFunction function, double t, const double* x, const double* u,
                       const Results& results) {
  if (!has(function)) return makeMissing(function);
  const BoxGroups groups = groupsOf(settings_, function);
  std::copy_n(x, settings_.states, inputs_.begin());
  std::copy_n(u, settings_.inputs, inputs_.begin() + settings_.states);
  BoxCall made{.function = function,
               .time = t,
               .inputs = inputs_,
               .outputs = std::span(outputs_).first(groups.cells())};
  fillUntouched(made.outputs);
  if (BoxFault fault = call(made)) return fault;
  if (BoxFault fault = checkResults(made, groups)) return fault;
  const double* cell = outputs_.data();
  for (int k = 0; k < groups.count; ++k) {
    std::copy_n(cell, groups.size[k], results[k]);
    cell += groups.size[k] + kFenceCells;
  }
  return {};
}

BoxFault Box::checkResults(const BoxCall& call, const BoxGroups& groups) const {
  const double* cell = outputs_.data();
  for (int group = 0; group < groups.count; ++group) {
    const int size = groups.size[group];
    for (int k = 0; k < size; ++k) {
      if (!std::isfinite(cell[k])) return makeNotFinite(call, group, k, cell[k]);
    }
    const double* fence = cell + size;
    if (!std::all_of(fence, fence + kFenceCells, isUntouched)) {
      return makeFault(settings_, Kind::kBadValue,
                       fmt::format("wrote more than {} numbers of {}{}", size,
                                   nameOfGroup(call.function, group), placeOf(call)),
                       "the model must state as many inputs, outputs and states as the box has");
    }
    cell = fence + kFenceCells;
  }
  return {};
}

BoxFault Box::makeNotFinite(const BoxCall& call, int group, int index, double value) const {
  const std::string number = nameOfNumber(call.function, group, index);
  if (isUntouched(value)) {
    return makeFault(settings_, Kind::kBadValue,
                     fmt::format("did not set {}{}", number, placeOf(call)),
                     "a box must write all of its results in every call; does it have as many as "
                     "the model states?");
  }
  return makeFault(
      settings_, Kind::kNotFinite,
      fmt::format("returned {} as {}{}: not a finite number", value, number, placeOf(call)),
      "look at its inputs and its 'config'");
}

BoxFault Box::save(std::vector<unsigned char>& memory) {
  if (!has(BoxFunction::kSave)) return makeMissing(BoxFunction::kSave);
  for (int attempt = 0; attempt < kSaveAttempts; ++attempt) {
    memory_.assign(saveCapacity_ + kFenceBytes, kFenceByte);
    BoxCall saving{.function = BoxFunction::kSave, .inputs = inputs_, .memory = memory_};
    if (BoxFault fault = call(saving)) return fault;
    if (BoxFault fault = checkSaved(saving)) return fault;
    if (saving.answer <= saveCapacity_) {
      memory.assign(memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(saving.answer));
      return {};
    }
    saveCapacity_ = saving.answer;
  }
  return makeFault(settings_, Kind::kBadMemory,
                   fmt::format("asks in block_save for more bytes whenever it gets what it asked "
                               "for, last for {}",
                               saveCapacity_),
                   "block_save must need the same size until block_output is called again");
}

BoxFault Box::checkSaved(const BoxCall& saving) const {
  const auto fence = saving.memory.last(kFenceBytes);
  if (!std::all_of(fence.begin(), fence.end(), [](auto byte) { return byte == kFenceByte; })) {
    return makeFault(settings_, Kind::kBadMemory,
                     fmt::format("wrote more than the {} bytes that it was given in block_save",
                                 saving.memory.size() - kFenceBytes),
                     "block_save must not write beyond 'capacity'");
  }
  if (saving.answer > kLargestMemory) {
    return makeFault(settings_, Kind::kBadMemory,
                     fmt::format("needs {} bytes in block_save, more than the {} that are allowed",
                                 saving.answer, kLargestMemory),
                     "block_save must return the size of its memory in bytes");
  }
  return {};
}

BoxFault Box::restore(const std::vector<unsigned char>& memory) {
  if (!has(BoxFunction::kRestore)) return makeMissing(BoxFunction::kRestore);
  // A copy, because a box that writes to it must not change what was saved.
  memory_ = memory;
  BoxCall restoring{.function = BoxFunction::kRestore, .inputs = inputs_, .memory = memory_};
  return call(restoring);
}

}  // namespace flexloop::control
