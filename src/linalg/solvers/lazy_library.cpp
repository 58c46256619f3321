#include "linalg/solvers/lazy_library.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>

#include <dlfcn.h>

namespace flexloop::linalg {
namespace {

std::atomic<bool> oneThread = false;
std::atomic<bool> isApart = false;
std::mutex loading;

// A variable of OpenBLAS, which reads it while it is loaded. It is put back: programs that this one starts must not see the
// change.
class LoadSetting {
 public:
  LoadSetting(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~LoadSetting() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  LoadSetting(const LoadSetting&) = delete;
  LoadSetting& operator=(const LoadSetting&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// All in one name space of the loader, which the first of them makes. `loading` is locked.
void* openApart(const char* file) {
  static Lmid_t space = LM_ID_NEWLM;
  void* const handle = dlmopen(space, file, RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr && space == LM_ID_NEWLM) dlinfo(handle, RTLD_DI_LMID, &space);
  return handle;
}

// The same sums on all processors, so that results do not depend on them (docs/decisions/0031).
bool canUseCommonKernels() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace

void* LazyLibrary::findIfAny(const char* function) {
  const std::scoped_lock lock(loading);
  if (handle_ == nullptr) load();
  return dlsym(handle_, function);
}

void* LazyLibrary::find(const char* function) {
  void* const address = findIfAny(function);
  if (address == nullptr) {
    throw std::runtime_error("the library " + file_ + " has no function " + function);
  }
  return address;
}

void LazyLibrary::load() {
  constexpr const char* kKernels = "OPENBLAS_CORETYPE";
  std::optional<LoadSetting> threads, kernels;
  if (oneThread) threads.emplace("OPENBLAS_NUM_THREADS", "1");
  if (std::getenv(kKernels) == nullptr && canUseCommonKernels())
    kernels.emplace(kKernels, "Haswell");
  if (isApart) handle_ = openApart(file_.c_str());
  if (handle_ == nullptr) handle_ = dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* why = dlerror();
    throw std::runtime_error("the library " + file_ +
                             " cannot be loaded: " + (why != nullptr ? why : "unknown reason"));
  }
}

void loadApart() {
  isApart = true;
}

void useOneBlasThread() {
  oneThread = true;
}

}  // namespace flexloop::linalg
