#include "linalg/solvers/lazy_library.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>

#include <dlfcn.h>

namespace flexloop::linalg {
namespace {

constexpr const char* kThreads = "OPENBLAS_NUM_THREADS";  // read while the library is loaded

std::atomic<bool> oneThread = false;
std::mutex loading;

// Sets the variable, and puts back what it was: programs that this one starts must not see the change.
class ThreadSetting {
 public:
  ThreadSetting() {
    if (!oneThread) return;
    if (const char* value = std::getenv(kThreads)) before_ = value;
    setenv(kThreads, "1", 1);
  }
  ~ThreadSetting() {
    if (!oneThread) return;
    if (before_) {
      setenv(kThreads, before_->c_str(), 1);
    } else {
      unsetenv(kThreads);
    }
  }
  ThreadSetting(const ThreadSetting&) = delete;
  ThreadSetting& operator=(const ThreadSetting&) = delete;

 private:
  std::optional<std::string> before_;
};

}  // namespace

void* LazyLibrary::find(const char* function) {
  const std::scoped_lock lock(loading);
  if (handle_ == nullptr) load();
  void* const address = dlsym(handle_, function);
  if (address == nullptr) {
    throw std::runtime_error("the library " + file_ + " has no function " + function);
  }
  return address;
}

void LazyLibrary::load() {
  const ThreadSetting setting;
  handle_ = dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* why = dlerror();
    throw std::runtime_error("the library " + file_ +
                             " cannot be loaded: " + (why != nullptr ? why : "unknown reason"));
  }
}

void useOneBlasThread() {
  oneThread = true;
}

}  // namespace flexloop::linalg
