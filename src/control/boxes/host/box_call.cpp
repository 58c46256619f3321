#include "control/boxes/host/box_call.hpp"

#include <numeric>

namespace flexloop::control {

const char* nameOf(BoxFunction function) {
  switch (function) {
    case BoxFunction::kLoad:
      return "the loading of its library";
    case BoxFunction::kCreate:
      return "block_create";
    case BoxFunction::kOutput:
      return "block_output";
    case BoxFunction::kSave:
      return "block_save";
    case BoxFunction::kRestore:
      return "block_restore";
    case BoxFunction::kDerivative:
      return "block_derivative";
    case BoxFunction::kNonlinearOutput:
      return "block_nonlinear_output";
    case BoxFunction::kJacobian:
      return "block_jacobian";
    case BoxFunction::kInitialStates:
      return "the states at its start";
    case BoxFunction::kIndicators:
      return "the indicators of its events";
    case BoxFunction::kEvent:
      return "an event";
    case BoxFunction::kStepDone:
      return "the end of a step";
    case BoxFunction::kDestroy:
      return "block_destroy";
    case BoxFunction::kUnload:
      return "the unloading of its library";
  }
  return "";
}

int BoxGroups::cells() const {
  return std::accumulate(size.begin(), size.end(), count * kFenceCells);
}

BoxGroups groupsOf(const BoxSettings& settings, BoxFunction function) {
  const int n = settings.states, m = settings.inputs, p = settings.outputs;
  switch (function) {
    case BoxFunction::kOutput:
    case BoxFunction::kNonlinearOutput:
      return {1, {p}};
    case BoxFunction::kDerivative:
    case BoxFunction::kInitialStates:
      return {1, {n}};
    case BoxFunction::kIndicators:
      return {1, {settings.indicators}};
    case BoxFunction::kEvent:
      return {2, {n, 2}};
    case BoxFunction::kStepDone:
      return {1, {1}};
    case BoxFunction::kJacobian:
      return {4, {n * n, n * m, p * n, p * m}};
    default:
      return {};
  }
}

std::array<double*, 4> placesOf(const BoxGroups& groups, double* outputs) {
  std::array<double*, 4> places{};
  for (int k = 0; k < groups.count; ++k) {
    places[k] = outputs;
    outputs += groups.size[k] + kFenceCells;
  }
  return places;
}

int inputsOf(const BoxSettings& settings, BoxFunction function) {
  return groupsOf(settings, function).count > 0 ? settings.states + settings.inputs : 0;
}

}  // namespace flexloop::control
