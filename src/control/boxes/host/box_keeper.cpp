#include "control/boxes/host/box_keeper.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/boxes/host/box_code.hpp"
#include "control/boxes/host/box_server.hpp"
#include "control/boxes/host/deadline.hpp"

namespace flexloop::control {
namespace {

// A process that the kernel cannot end, such as one that waits for a lost disk, is not waited for.
constexpr std::int64_t kPatience = 2 * kNanoseconds;

void closeAllBut(int descriptor) {
  constexpr int kFirstOther = STDERR_FILENO + 1;
  if (descriptor > kFirstOther) close_range(kFirstOther, static_cast<unsigned>(descriptor) - 1, 0);
  close_range(static_cast<unsigned>(std::max(kFirstOther, descriptor + 1)), ~0U, 0);
}

// With the subreaper, children of children that have ended become children of this process.
void killChildren() {
  const std::string id = std::to_string(getpid());
  std::ifstream list("/proc/self/task/" + id + "/children");
  for (pid_t child = 0; list >> child;) kill(child, SIGKILL);
}

void killAll() {
  const std::int64_t end = monotonicNow() + kPatience;
  while (monotonicNow() < end) {
    killChildren();
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended < 0 && errno == ECHILD) return;
    if (ended == 0) usleep(200);
  }
}

// Whether the box has ended; children of the box that come and go do not matter.
bool hasEnded(pid_t box, BoxObituary& obituary) {
  for (;;) {
    int status = 0;
    rusage usage{};
    const pid_t ended = wait4(-1, &status, WNOHANG, &usage);
    if (ended == box) {
      obituary = {status, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
      return true;
    }
    if (ended <= 0) return false;
  }
}

extern "C" void onChild(int) {}

// Returns when the box has ended or the program is gone.
void watch(pid_t box, BoxRegion& region, int socket) {
  // SIGCHLD comes only while ppoll waits, so that none is missed.
  sigset_t others;
  sigfillset(&others);
  sigdelset(&others, SIGCHLD);
  pollfd program{socket, POLLIN, 0};
  BoxObituary obituary;
  while (!hasEnded(box, obituary)) {
    if (ppoll(&program, 1, nullptr, &others) > 0) return;
  }
  send(socket, &obituary, sizeof obituary, MSG_NOSIGNAL);
  region.header().reply.wake();
}

}  // namespace

void keepBox(const BoxSettings& settings, BoxRegion& region, int socket) {
  const pid_t program = getppid();
  setpgid(0, 0);
  prctl(PR_SET_NAME, "flexloop-keeper");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  closeAllBut(socket);
  struct sigaction action {};
  action.sa_handler = onChild;
  sigaction(SIGCHLD, &action, nullptr);
  const pid_t keeper = getpid();
  const pid_t box = fork();
  const int error = errno;
  if (box == 0) {
    setpgid(0, 0);
    prctl(PR_SET_NAME, "flexloop-box");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) _exit(0);
    serveBox(settings, region);
  }
  if (box > 0) watch(box, region, socket);
  killAll();
  // A program that is gone cannot tidy up itself.
  if (settings.form != nullptr && getppid() != program) settings.form->cleanUp();
  _exit(box > 0 ? 0 : error);
}

}  // namespace flexloop::control
