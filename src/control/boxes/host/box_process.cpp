#include "control/boxes/host/box_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "control/boxes/host/deadline.hpp"

namespace flexloop::control {
namespace {

using Kind = BoxEnding::Kind;

constexpr std::int64_t kSlice = kNanoseconds / 20;  // between looks at what else may have happened
constexpr std::int64_t kLastMoment = kNanoseconds;  // for a box, when the program is to stop
constexpr int kKeeperPatience = 4000;               // ms: more than that of the keeper

const volatile int* stopRequest = nullptr;

bool isStopWanted() {
  return stopRequest != nullptr && *stopRequest != 0;
}

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

BoxEnding endingOf(const BoxObituary& obituary) {
  BoxEnding ending{.memory = obituary.memory};
  ending.kind = WIFSIGNALED(obituary.status) ? Kind::kSignal : Kind::kExit;
  ending.detail =
      WIFSIGNALED(obituary.status) ? WTERMSIG(obituary.status) : WEXITSTATUS(obituary.status);
  return ending;
}

}  // namespace

void OwnProcessHost::heed(const volatile int* request) {
  stopRequest = request;
}

OwnProcessHost::OwnProcessHost(const BoxSettings& settings)
    : settings_(settings), region_(settings), owner_(getpid()) {
  std::array<int, 2> ends{-1, -1};
  if (!region_.isThere() ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    error_ = region_.isThere() ? errno : region_.error();
    return;
  }
  socket_ = ends[0];
  // Or the child would write once more what is waiting to be written.
  std::cout.flush();
  std::fflush(stdout);
  keeper_ = forkWithoutSignals();
  error_ = errno;
  if (keeper_ == 0) keepBox(settings_, region_, ends[1]);
  close(ends[1]);
  region_.keepFromOthers();
}

OwnProcessHost::~OwnProcessHost() {
  static_cast<void>(reap());
}

// A box that is ending by itself keeps its own reason: the keeper comes too late for it.
BoxEnding OwnProcessHost::reap() {
  const int socket = std::exchange(socket_, -1);
  const pid_t keeper = std::exchange(keeper_, -1);
  BoxEnding ending{.kind = Kind::kNoHost, .detail = error_};
  if (keeper < 0 || getpid() != owner_) {  // the latter: a copy of the process that opened the box
    if (socket >= 0) close(socket);
    return ending;
  }
  shutdown(socket, SHUT_WR);
  pollfd end{socket, POLLIN, 0};
  BoxObituary obituary;
  // The keeper ends, which closes its socket, after reporting how the box ended, if it has.
  for (;;) {
    const int ready = poll(&end, 1, kKeeperPatience);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      kill(keeper, SIGKILL);
      break;
    }
    if (recv(socket, &obituary, sizeof obituary, 0) != sizeof obituary) break;
    ending = endingOf(obituary);
  }
  close(socket);
  int status = 0;
  while (waitpid(keeper, &status, 0) < 0 && errno == EINTR) {
  }
  if (ending.kind == Kind::kNoHost) {
    ending.detail = WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : ECHILD;
  }
  return ending;
}

std::size_t OwnProcessHost::countFitting(std::span<const BoxCall> calls) const {
  std::size_t room = region_.numbers().size(), fitting = 0;
  for (const BoxCall& call : calls.first(std::min(calls.size(), BoxRegion::kMostCalls))) {
    const std::size_t numbers = call.inputs.size() + call.outputs.size();
    if (numbers > room) break;
    room -= numbers;
    ++fitting;
  }
  return fitting;
}

BoxEnding OwnProcessHost::run(const BoxBatch& batch) {
  if (keeper_ < 0) return reap();
  std::size_t done = 0;
  while (done < batch.calls.size()) {
    const std::size_t part = countFitting(batch.calls.subspan(done));
    BoxEnding ending = runPart(batch.calls.subspan(done, part), batch);
    ending.call += done;
    if (ending.kind != Kind::kDone) return ending;
    done += part;
  }
  return {};
}

BoxEnding OwnProcessHost::runPart(std::span<BoxCall> calls, const BoxBatch& batch) {
  BoxRegion::Header& header = region_.header();
  write(calls, batch);
  header.request.set(++number_);
  BoxEnding ending = wait(calls.size());
  if (ending.kind == Kind::kDone && header.threw == 0) {
    read(calls, batch);
    return ending;
  }
  ending.call = std::min<std::size_t>(header.done.load(), calls.size() - 1);
  if (ending.kind != Kind::kDone) return ending;
  ending.kind = Kind::kException;
  ending.text.assign(header.text.data(), strnlen(header.text.data(), header.text.size()));
  reap();
  return ending;
}

void OwnProcessHost::write(std::span<const BoxCall> calls, const BoxBatch& batch) {
  BoxRegion::Header& header = region_.header();
  header.done.store(0);
  header.threw = 0;
  header.calls = static_cast<std::uint32_t>(calls.size());
  header.given = header.taken = 0;
  double* cell = region_.numbers().data();
  for (std::size_t k = 0; k < calls.size(); ++k) {
    const BoxCall& call = calls[k];
    header.call[k] = {call.function, call.time, 0};
    std::copy(call.inputs.begin(), call.inputs.end(), cell);
    cell += call.inputs.size() + call.outputs.size();
    if (call.function == BoxFunction::kRestore) header.given = batch.given.size();
    if (call.function == BoxFunction::kSave || call.function == BoxFunction::kLoad) {
      header.taken = batch.taken.size();
    }
  }
  if (header.given > 0) std::copy(batch.given.begin(), batch.given.end(), region_.memory().begin());
}

void OwnProcessHost::read(std::span<BoxCall> calls, const BoxBatch& batch) const {
  const BoxRegion::Header& header = region_.header();
  const double* cell = region_.numbers().data();
  for (std::size_t k = 0; k < calls.size(); ++k) {
    BoxCall& call = calls[k];
    call.answer = header.call[k].answer;
    cell += call.inputs.size();
    std::copy_n(cell, call.outputs.size(), call.outputs.begin());
    cell += call.outputs.size();
    if (call.function == BoxFunction::kSave || call.function == BoxFunction::kLoad) {
      std::copy_n(region_.memory().begin(), batch.taken.size(), batch.taken.begin());
    }
  }
}

// The time limit is that of a call: it starts anew when another call of the batch is seen to be over.
BoxEnding OwnProcessHost::wait(std::size_t calls) {
  BoxRegion::Header& header = region_.header();
  const std::uint32_t before = number_ - 1;
  const std::int64_t limit = nanosecondsOf(settings_.timeLimit);
  const std::int64_t slice = std::clamp<std::int64_t>(limit / 8, 1'000'000, kSlice);
  std::int64_t start = monotonicNow(), stopSeen = kNever;
  std::uint32_t done = 0;
  std::size_t advances = 0;
  while (!waiter_.waitForChange(header.reply, before, slice)) {
    pollfd keeper{socket_, POLLIN, 0};
    if (poll(&keeper, 1, 0) > 0) return reap();
    const std::int64_t now = monotonicNow();
    if (const std::uint32_t seen = header.done.load(); seen != done && advances < calls) {
      done = seen;
      ++advances;
      start = now;
    }
    if (isStopWanted()) stopSeen = std::min(stopSeen, now);
    const bool isStopped = stopSeen != kNever && now - stopSeen >= kLastMoment;
    if (now - start < limit && !isStopped) continue;
    reap();
    return {.kind = isStopped ? Kind::kStopped : Kind::kTimeLimit};
  }
  if (header.reply.number.load() == number_) return {};
  reap();
  return {.kind = Kind::kNoHost, .detail = EPROTO};
}

}  // namespace flexloop::control
