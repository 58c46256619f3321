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
      return {1, {n}};
    case BoxFunction::kJacobian:
      return {4, {n * n, n * m, p * n, p * m}};
    default:
      return {};
  }
}

int inputsOf(const BoxSettings& settings, BoxFunction function) {
  return groupsOf(settings, function).count > 0 ? settings.states + settings.inputs : 0;
}

}  // namespace flexloop::control
