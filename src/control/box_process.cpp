#include "control/box_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "control/box_server.hpp"
#include "control/deadline.hpp"

namespace flexloop::control {
namespace {

// The child starts with all signals blocked, so that no handler of ours runs in it.
pid_t forkWithoutSignals() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t process = fork();
  const int error = errno;
  if (process != 0) pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return process;
}

}  // namespace

OwnProcessHost::OwnProcessHost(const BoxSettings& settings)
    : owner_(getpid()), limit_(nanosecondsOf(settings.timeLimit)) {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    error_ = errno;
    return;
  }
  channel_.reset(ends[0]);
  // Or the child would write once more what is waiting to be written.
  std::cout.flush();
  std::fflush(stdout);
  process_ = forkWithoutSignals();
  error_ = errno;
  if (process_ == 0) serveBox(settings, ends[1], owner_);
  close(ends[1]);
}

OwnProcessHost::~OwnProcessHost() {
  reap();
}

// A process that is ending by itself keeps its own reason: the signal comes too late for it.
BoxEnding OwnProcessHost::reap() {
  channel_.reset();
  const pid_t process = std::exchange(process_, -1);
  if (process < 0) return {BoxEnding::Kind::kNoHost, error_};
  // Not ours if this process is itself a copy of the one that opened the box.
  if (getpid() != owner_) return {BoxEnding::Kind::kNoHost, ECHILD};
  kill(process, SIGKILL);
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return {BoxEnding::Kind::kNoHost, errno};
  }
  if (WIFSIGNALED(status)) return {BoxEnding::Kind::kSignal, WTERMSIG(status)};
  return {BoxEnding::Kind::kExit, WEXITSTATUS(status)};
}

BoxEnding OwnProcessHost::call(BoxCall& call) {
  if (process_ < 0 || getpid() != owner_) return reap();
  const std::int64_t deadline = monotonicNow() + limit_;
  BoxRequest request{++calls_, call.function, call.time, call.memory.size()};
  BoxReply reply{};
  const BoxChannel::Message sent{bytesOf(std::span(&request, 1)), bytesOf(call.inputs),
                                 sentMemory(call.function, call.memory)};
  const BoxChannel::Message received{bytesOf(std::span(&reply, 1)), bytesOf(call.outputs),
                                     returnedMemory(call.function, call.memory)};
  Transfer transfer = channel_.send(sent, deadline);
  if (transfer == Transfer::kDone) transfer = channel_.receive(received, deadline);
  if (transfer == Transfer::kClosed) return reap();
  if (transfer == Transfer::kTimeLimit) {
    reap();
    return {BoxEnding::Kind::kTimeLimit};
  }
  if (reply.number != request.number) {
    reap();
    return {BoxEnding::Kind::kNoHost, EPROTO};
  }
  call.answer = reply.answer;
  return {reply.threw != 0 ? BoxEnding::Kind::kException : BoxEnding::Kind::kDone};
}

}  // namespace flexloop::control
