#include "control/boxes/host/box_server.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "control/boxes/host/box_code.hpp"
#include "control/boxes/host/deadline.hpp"
#include "control/boxes/host/floating_point_modes.hpp"

namespace flexloop::control {
namespace {

// What the box has printed; nothing else of the copied process may be written or tidied up, which
// would reach into the files of the original.
[[noreturn]] void leave(int status) {
  std::fflush(stdout);
  _exit(status);
}

void resetSignals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &action, nullptr);
  // The program decides what these mean; and a box that prints is not stopped by its terminal.
  action.sa_handler = SIG_IGN;
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGTTIN, SIGTTOU}) {
    sigaction(signal, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A box reads nothing, and what it prints does not get between the results that the program prints.
void redirectStreams() {
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDIN_FILENO);
  if (fcntl(STDERR_FILENO, F_GETFD) < 0) dup2(nowhere, STDERR_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, 0);
  // What it printed before a crash is worth reading.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

// What this process has got from the program.
rlim_t inheritedData() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  for (int k = 0; k < 6; ++k) file >> pages;  // the sixth is data and stack
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

// Of a box that allocates without end, this process is what the computer gives up first.
void limitMemory(std::uint64_t bytes) {
  const rlim_t most = inheritedData() + bytes;
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur > most) {
    limit.rlim_cur = most;
    setrlimit(RLIMIT_DATA, &limit);
  }
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(!write(file, "1000", 4));
  close(file);
}

class Server {
 public:
  Server(const BoxSettings& settings, BoxRegion& region)
      : settings_(settings), region_(region), code_(makeBoxCode(settings)) {}

  void serveOne() {
    SharedTurn& request = region_.header().request;
    while (!waiter_.waitForChange(request, number_, kNever)) {
    }
    number_ = request.number.load();
    findPlaces();
    for (const BoxCall& call : calls_) fillUntouched(call.outputs);
    try {
      makeCalls();
    } catch (const std::exception& exception) {
      throwText(exception.what());
    } catch (...) {
      throwText("");
    }
    region_.header().reply.set(number_);
  }

 private:
  void findPlaces() {
    const BoxRegion::Header& header = region_.header();
    calls_.resize(header.calls);
    double* cell = region_.numbers().data();
    for (std::size_t k = 0; k < calls_.size(); ++k) {
      const BoxFunction function = header.call[k].function;
      const std::size_t in = inputsOf(settings_, function);
      const std::size_t out = groupsOf(settings_, function).cells();
      calls_[k] = {function, header.call[k].time, {cell, in}, {cell + in, out}, 0};
      cell += in + out;
    }
    const std::span<unsigned char> memory = region_.memory();
    batch_ = {calls_, memory.first(header.given), memory.first(header.taken)};
  }

  void makeCalls() {
    BoxRegion::Header& header = region_.header();
    for (std::size_t k = 0; k < calls_.size(); ++k) {
      const FloatingPointModes modes;
      if (calls_[k].function == BoxFunction::kSave) {
        std::fill(batch_.taken.begin(), batch_.taken.end(), kFenceByte);
      }
      code_->invoke(calls_[k], batch_);
      if (header.request.number.load() != number_) k = takeOver();
      header.call[k].answer = calls_[k].answer;
      header.done.store(static_cast<std::uint32_t>(k + 1));
      // The last chance: afterwards this process is killed.
      if (calls_[k].function == BoxFunction::kUnload) std::fflush(stdout);
    }
  }

  // This is a copy of a process that has stayed behind (ProcessCopies), and the call that it returns from is one of a later
  // request: the first that is not done yet.
  std::size_t takeOver() {
    number_ = region_.header().request.number.load();
    findPlaces();
    return region_.header().done.load();
  }

  void throwText(const char* text) {
    BoxRegion::Header& header = region_.header();
    std::strncpy(header.text.data(), text, header.text.size() - 1);
    header.threw = 1;
  }

  const BoxSettings& settings_;
  BoxRegion& region_;
  std::unique_ptr<BoxCode> code_;
  TurnWaiter waiter_;
  std::uint32_t number_ = 0;
  std::vector<BoxCall> calls_;
  BoxBatch batch_;
};

}  // namespace

void serveBox(const BoxSettings& settings, BoxRegion& region) {
  resetSignals();
  redirectStreams();
  limitMemory(settings.memoryLimit);
  on_exit([](int status, void*) { leave(status); }, nullptr);
  Server server(settings, region);
  for (;;) server.serveOne();
}

}  // namespace flexloop::control
