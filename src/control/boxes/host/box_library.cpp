#include "control/boxes/host/box_library.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <dlfcn.h>
#include <flexloop_block.h>

#include "base/text_format.hpp"

namespace flexloop::control {
namespace {

constexpr std::size_t kUsualMemory = 1024;  // bytes for which there is room from the start

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

bool isExported(BoxFunction function) {
  return function <= BoxFunction::kJacobian || function == BoxFunction::kDestroy;
}

}  // namespace

std::unique_ptr<BoxCode> makeBoxCode(const BoxSettings& settings) {
  if (settings.form != nullptr) return settings.form->makeCode();
  return std::make_unique<BoxLibrary>(settings);
}

BoxLibrary::BoxLibrary(const BoxSettings& settings)
    : path_(settings.path),
      config_(settings.config),
      inputs_(settings.inputs),
      outputs_(settings.outputs),
      states_(settings.states),
      sample_(settings.sample) {
  for (int k = 0; k < kBoxFunctions; ++k) {
    groups_[k] = groupsOf(settings, static_cast<BoxFunction>(k));
  }
  restored_.reserve(kUsualMemory);
}

template <class Function>
Function* BoxLibrary::find(BoxFunction function) const {
  return reinterpret_cast<Function*>(symbols_[indexOf(function)]);
}

void BoxLibrary::invoke(BoxCall& call, const BoxBatch& batch) {
  const double* x = call.inputs.data();
  const double* u = x + states_;
  const auto out = placesOf(groups_[indexOf(call.function)], call.outputs.data());
  switch (call.function) {
    case BoxFunction::kLoad:
      return load(call, batch.taken);
    case BoxFunction::kCreate:
      block_ = find<decltype(block_create)>(call.function)(config_.c_str());
      return;
    case BoxFunction::kOutput:
      return find<decltype(block_output)>(call.function)(block_, call.time, u, out[0]);
    case BoxFunction::kSave:
      call.answer = find<decltype(block_save)>(call.function)(block_, batch.taken.data(),
                                                              batch.taken.size() - kFenceBytes);
      return;
    case BoxFunction::kRestore:
      return restore(batch.given);
    case BoxFunction::kDerivative:
    case BoxFunction::kNonlinearOutput:
      static_assert(std::is_same_v<decltype(block_derivative), decltype(block_nonlinear_output)>);
      return find<decltype(block_derivative)>(call.function)(block_, call.time, x, u, out[0]);
    case BoxFunction::kJacobian:
      return find<decltype(block_jacobian)>(call.function)(block_, call.time, x, u, out[0], out[1],
                                                           out[2], out[3]);
    case BoxFunction::kInitialStates:
    case BoxFunction::kIndicators:
    case BoxFunction::kEvent:
    case BoxFunction::kStepDone:
      return;  // never asked of a library
    case BoxFunction::kDestroy:
      return find<decltype(block_destroy)>(call.function)(block_);
    case BoxFunction::kUnload:
      // A thread of the box would run on in code that is gone.
      if (!threads_.hasNew()) dlclose(library_);
      return;
  }
}

// From a copy: a box that writes to it must not change what was saved.
void BoxLibrary::restore(std::span<const unsigned char> memory) {
  restored_.assign(memory.begin(), memory.end());
  find<decltype(block_restore)>(BoxFunction::kRestore)(block_, restored_.data(), restored_.size());
}

void BoxLibrary::load(BoxCall& call, std::span<unsigned char> message) {
  call.answer = 0;
  threads_.begin();
  if (void* earlier = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) {
    dlclose(earlier);
    call.answer |= kAlreadyLoaded;
  }
  // Now, so that a function that the library needs and nobody has is found here and not in mid-run.
  library_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    const char* reason = dlerror();
    copyText(reason != nullptr ? reason : "unknown reason", message);
    call.answer = 0;
    return;
  }
  call.answer |= bitOf(BoxFunction::kLoad);
  for (int k = indexOf(BoxFunction::kCreate); k <= indexOf(BoxFunction::kDestroy); ++k) {
    if (!isExported(static_cast<BoxFunction>(k))) continue;
    symbols_[k] = dlsym(library_, nameOf(static_cast<BoxFunction>(k)));
    if (symbols_[k] != nullptr) call.answer |= bitOf(static_cast<BoxFunction>(k));
  }
  const std::string mismatch = findMismatch();
  if (mismatch.empty()) return;
  copyText(mismatch.c_str(), message);
  call.answer |= kMismatch;
}

std::string BoxLibrary::findMismatch() const {
  const auto compare = [&](const char* noun, const char* countName, const char* listName,
                           int given) -> std::string {
    const auto* count = static_cast<const int*>(dlsym(library_, countName));
    if (count == nullptr || *count == given) return {};
    const auto* list = static_cast<const char*>(dlsym(library_, listName));
    std::string text = "it has " + std::to_string(*count) + " " + noun;
    if (list != nullptr && *list != 0) text += " (" + std::string(list) + ")";
    return text + ", and the model gives it " + std::to_string(given) + "\ncorrect '" + noun + "'";
  };
  std::string text = compare("inputs", "block_input_count", "block_input_names", inputs_);
  if (text.empty()) text = compare("outputs", "block_output_count", "block_output_names", outputs_);
  const auto* sample = static_cast<const double*>(dlsym(library_, "block_sample"));
  if (!text.empty() || sample == nullptr) return text;
  constexpr double kSame = 1e-9;
  if (std::abs(sample_ - *sample) <= kSame * *sample) return {};
  const std::string wanted = base::formatText("%g s", *sample);
  text = "it is made for a period of " + wanted;
  text += sample_ > 0.0 ? base::formatText(", and the model calls it every %g s", sample_)
                        : ", and the model has no 'sample'";
  return text + "\nset 'sample: " + wanted + "', or make the library for another period";
}

}  // namespace flexloop::control
