#include "control/box_server.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

#include "control/box_channel.hpp"
#include "control/box_library.hpp"
#include "control/deadline.hpp"
#include "control/floating_point_modes.hpp"

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
  // These come to all processes of a terminal or a job; the original decides what they mean.
  action.sa_handler = SIG_IGN;
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) sigaction(signal, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void becomeServer(int socket, int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  resetSignals();
  // The channels of other boxes among them, which would stay open when their owner is gone.
  constexpr int kFirstOther = STDERR_FILENO + 1;
  if (socket > kFirstOther) close_range(kFirstOther, static_cast<unsigned>(socket) - 1, 0);
  close_range(static_cast<unsigned>(std::max(kFirstOther, socket + 1)), ~0U, 0);
  on_exit([](int status, void*) { leave(status); }, nullptr);
}

class Server {
 public:
  Server(const BoxSettings& settings, int socket)
      : settings_(settings),
        channel_(socket),
        library_(settings),
        inputs_(settings.states + settings.inputs) {}

  // False when the other side is gone.
  bool serveOne() {
    BoxRequest request{};
    if (!receives({bytesOf(std::span(&request, 1)), bytesOf(std::span(inputs_))})) return false;
    memory_.assign(request.memory, kFenceByte);
    if (!receives({sentMemory(request.function, memory_)})) return false;
    outputs_.resize(groupsOf(settings_, request.function).cells());
    fillUntouched(outputs_);
    BoxReply reply = answer(request);
    const auto memory = returnedMemory(request.function, memory_);
    return channel_.send({bytesOf(std::span(&reply, 1)), bytesOf(std::span(outputs_)), memory},
                         kNever) == Transfer::kDone;
  }

 private:
  bool receives(const BoxChannel::Message& message) {
    return channel_.receive(message, kNever) == Transfer::kDone;
  }

  BoxReply answer(const BoxRequest& request) {
    const FloatingPointModes modes;
    BoxCall call{request.function, request.time, inputs_, outputs_, memory_, 0};
    try {
      library_.invoke(call);
      // The last chance: afterwards this process is killed.
      if (request.function == BoxFunction::kUnload) std::fflush(stdout);
      return {request.number, call.answer, 0};
    } catch (...) {
      return {request.number, 0, 1};
    }
  }

  const BoxSettings& settings_;
  BoxChannel channel_;
  BoxLibrary library_;
  std::vector<double> inputs_, outputs_;
  std::vector<unsigned char> memory_;
};

}  // namespace

void serveBox(const BoxSettings& settings, int socket, int parent) {
  becomeServer(socket, parent);
  Server server(settings, socket);
  while (server.serveOne()) {
  }
  leave(0);
}

}  // namespace flexloop::control
