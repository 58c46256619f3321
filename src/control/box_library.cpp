#include "control/box_library.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <dlfcn.h>
#include <flexloop_block.h>

namespace flexloop::control {
namespace {

constexpr int indexOf(BoxFunction function) {
  return static_cast<int>(function);
}

// As much of a text as there is room for, with a zero at the end.
void copyText(const char* text, std::span<unsigned char> room) {
  if (room.empty()) return;
  const std::size_t length = std::min(std::strlen(text), room.size() - 1);
  std::memcpy(room.data(), text, length);
  room[length] = 0;
}

std::array<double*, 4> placesOf(const BoxGroups& groups, double* outputs) {
  std::array<double*, 4> places{};
  for (int k = 0; k < groups.count; ++k) {
    places[k] = outputs;
    outputs += groups.size[k] + kFenceCells;
  }
  return places;
}

}  // namespace

BoxLibrary::BoxLibrary(const BoxSettings& settings)
    : path_(settings.path), config_(settings.config), states_(settings.states) {
  for (int k = 0; k < kBoxFunctions; ++k) {
    groups_[k] = groupsOf(settings, static_cast<BoxFunction>(k));
  }
}

template <class Function>
Function* BoxLibrary::find(BoxFunction function) const {
  return reinterpret_cast<Function*>(symbols_[indexOf(function)]);
}

void BoxLibrary::invoke(BoxCall& call) {
  const double* x = call.inputs.data();
  const double* u = x + states_;
  const auto out = placesOf(groups_[indexOf(call.function)], call.outputs.data());
  switch (call.function) {
    case BoxFunction::kLoad:
      return load(call);
    case BoxFunction::kCreate:
      block_ = find<decltype(block_create)>(call.function)(config_.c_str());
      return;
    case BoxFunction::kOutput:
      return find<decltype(block_output)>(call.function)(block_, call.time, u, out[0]);
    case BoxFunction::kSave:
      call.answer = find<decltype(block_save)>(call.function)(block_, call.memory.data(),
                                                              call.memory.size() - kFenceBytes);
      return;
    case BoxFunction::kRestore:
      return find<decltype(block_restore)>(call.function)(block_, call.memory.data(),
                                                          call.memory.size());
    case BoxFunction::kDerivative:
    case BoxFunction::kNonlinearOutput:
      static_assert(std::is_same_v<decltype(block_derivative), decltype(block_nonlinear_output)>);
      return find<decltype(block_derivative)>(call.function)(block_, call.time, x, u, out[0]);
    case BoxFunction::kJacobian:
      return find<decltype(block_jacobian)>(call.function)(block_, call.time, x, u, out[0], out[1],
                                                           out[2], out[3]);
    case BoxFunction::kDestroy:
      return find<decltype(block_destroy)>(call.function)(block_);
    case BoxFunction::kUnload:
      dlclose(library_);
      return;
  }
}

void BoxLibrary::load(BoxCall& call) {
  call.answer = 0;
  if (void* earlier = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) {
    dlclose(earlier);
    call.answer |= kAlreadyLoaded;
  }
  // Now, so that a function that the library needs and nobody has is found here and not in mid-run.
  library_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    const char* reason = dlerror();
    copyText(reason != nullptr ? reason : "no reason is known", call.memory);
    call.answer = 0;
    return;
  }
  call.answer |= bitOf(BoxFunction::kLoad);
  for (int k = indexOf(BoxFunction::kCreate); k <= indexOf(BoxFunction::kDestroy); ++k) {
    symbols_[k] = dlsym(library_, nameOf(static_cast<BoxFunction>(k)));
    if (symbols_[k] != nullptr) call.answer |= bitOf(static_cast<BoxFunction>(k));
  }
}

}  // namespace flexloop::control
