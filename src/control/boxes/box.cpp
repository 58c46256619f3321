#include "control/boxes/box.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "control/boxes/host/box_code.hpp"
#include "control/boxes/host/box_direct.hpp"
#include "control/boxes/host/box_process.hpp"

namespace flexloop::control {
namespace {

namespace fs = std::filesystem;
using Kind = BoxSettings::Kind;

constexpr std::size_t kLongestMessage = 1024;
constexpr std::size_t kUsualCalls = 8;  // of a batch
// Inputs, outputs or states, so that no size of a matrix overflows.
constexpr int kMostNumbers = 10000;

const char* signatureOf(BoxFunction function) {
  switch (function) {
    case BoxFunction::kOutput:
      return "void block_output(void*, double t, const double* u, double* y)";
    case BoxFunction::kDerivative:
      return "void block_derivative(void*, double t, const double* x, const double* u, double* dx)";
    default:
      return "void block_nonlinear_output(void*, double t, const double* x, const double* u, "
             "double* y)";
  }
}

std::uint64_t memoryOfComputer() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

base::Failure toFailure(BoxFault fault) {
  return {std::move(fault.message), std::move(fault.hint)};
}

}  // namespace

std::optional<base::Failure> Box::check(const BoxSettings& settings) {
  if (!(settings.timeLimit > 0.0)) {
    return base::Failure{
        fmt::format("black box '{}' has a time limit of {:g} s", settings.name, settings.timeLimit),
        "it must be positive"};
  }
  for (const int numbers : {settings.inputs, settings.outputs, settings.states}) {
    if (numbers >= 0 && numbers <= kMostNumbers) continue;
    return base::Failure{
        fmt::format("black box '{}' has {} inputs, outputs or states", settings.name, numbers),
        fmt::format("at most {} of each are allowed", kMostNumbers)};
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(settings.path, ignored);
  if (!fs::exists(status)) {
    return base::Failure{
        fmt::format("black box '{}': there is no file '{}'", settings.name, settings.path),
        "build the library, or correct 'path'"};
  }
  if (!fs::is_regular_file(status)) {
    return base::Failure{
        fmt::format("black box '{}': '{}' is not a file", settings.name, settings.path),
        "'path' is the shared library itself, such as ./libvendor.so"};
  }
  return {};
}

base::Result<std::shared_ptr<Box>> Box::open(const BoxSettings& settings) {
  if (auto failure = check(settings)) return *failure;
  BoxSettings absolute = settings;
  // A bare name would be searched for in the folders of the system.
  std::error_code ignored;
  absolute.path = fs::absolute(settings.path, ignored).lexically_normal().string();
  const std::shared_ptr<Box> box(new Box(absolute));
  if (auto failure = box->start()) return *failure;
  return box;
}

Box::Box(const BoxSettings& settings) : settings_(settings) {
  if (settings_.memoryLimit == 0) settings_.memoryLimit = memoryOfComputer() / 2;
  // From the start, so that no step allocates.
  calls_.reserve(kUsualCalls);
  numbers_.reserve(kUsualCalls * static_cast<std::size_t>(kFenceCells + 2 * settings_.states +
                                                          settings_.inputs + settings_.outputs));
  for (std::vector<unsigned char>* memory : {&given_, &taken_}) {
    memory->reserve(kLongestMessage + saveCapacity_);
  }
}

Box::~Box() {
  static_cast<void>(close());
}

std::optional<base::Failure> Box::start() {
  if (settings_.isolate) {
    host_ = std::make_unique<OwnProcessHost>(settings_);
  } else {
    host_ = std::make_unique<DirectHost>(settings_);
  }
  if (auto failure = load()) return failure;
  auto failure = checkFunctions();
  if (!failure && has(BoxFunction::kCreate)) {
    if (BoxFault fault = callPlain(BoxFunction::kCreate)) return toFailure(std::move(fault));
  }
  // There is no block yet that could be destroyed.
  if (failure) found_ &= ~bitOf(BoxFunction::kDestroy);
  return failure;
}

std::optional<base::Failure> Box::load() {
  taken_.assign(kLongestMessage, 0);
  if (BoxFault fault = callPlain(BoxFunction::kLoad)) return toFailure(std::move(fault));
  found_ = calls_.front().answer;
  const bool isOther = (found_ & kMismatch) != 0;
  if (has(BoxFunction::kLoad) && !isOther) return {};
  const char* const message = reinterpret_cast<const char*>(taken_.data());
  std::string reason(message, strnlen(message, taken_.size()));
  if (isOther) static_cast<void>(callPlain(BoxFunction::kUnload));
  found_ = 0;  // nothing is there that could be destroyed
  host_.reset();
  if (isOther) {
    const std::size_t line = reason.find('\n');
    return base::Failure{fmt::format("black box '{}': '{}' does not fit the model: {}",
                                     settings_.name, settings_.path, reason.substr(0, line)),
                         line == std::string::npos ? std::string() : reason.substr(line + 1)};
  }
  if (settings_.form != nullptr) return settings_.form->makeLoadFailure(settings_.name, reason);
  const std::string prefix = settings_.path + ": ";
  if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
  return base::Failure{fmt::format("black box '{}': '{}' cannot be loaded as a shared library: {}",
                                   settings_.name, settings_.path, reason),
                       "build it for this machine: gcc -shared -fPIC -o libvendor.so vendor.c"};
}

std::optional<base::Failure> Box::checkFunctions() const {
  if (settings_.form != nullptr) return {};  // knows its functions itself
  std::vector<BoxFunction> needed{BoxFunction::kOutput};
  if (settings_.kind == Kind::kNonlinear) {
    needed = {BoxFunction::kNonlinearOutput};
    if (settings_.states > 0) needed.push_back(BoxFunction::kDerivative);
  }
  for (const BoxFunction function : needed) {
    if (has(function)) continue;
    return base::Failure{
        fmt::format("black box '{}': '{}' has no function {}", settings_.name, settings_.path,
                    nameOf(function)),
        fmt::format("a block of type '{}' needs '{}'; C++ code must include flexloop_block.h or "
                    "declare it extern \"C\"",
                    settings_.kind == Kind::kLibrary ? "library" : "nonlinear",
                    signatureOf(function))};
  }
  // A box without block_create can only remember in static variables, which all of its blocks
  // share.
  const bool isShared = (found_ & kAlreadyLoaded) != 0 && !has(BoxFunction::kCreate);
  if (isShared && settings_.kind == Kind::kLibrary) {
    return base::Failure{
        fmt::format(
            "black box '{}': the memory of '{}' is in use by another block, or was left behind by "
            "one that failed, and the library has no block_create to make another instance",
            settings_.name, settings_.path),
        "remove 'isolate: false', or add block_create to the library"};
  }
  return {};
}

BoxFault Box::close() {
  if (host_ == nullptr) return dead_;
  BoxFault fault;
  if (has(BoxFunction::kDestroy)) fault = callPlain(BoxFunction::kDestroy);
  if (!fault) fault = callPlain(BoxFunction::kUnload);
  host_.reset();
  return fault;
}

BoxFault Box::callPlain(BoxFunction function) {
  begin();
  calls_.push_back({.function = function});
  return run();
}

BoxFault Box::makeMissing(BoxFunction function) const {
  return makeFault(settings_, BoxFault::Kind::kMissing,
                   fmt::format("has no function {}", nameOf(function)), "");
}

}  // namespace flexloop::control
