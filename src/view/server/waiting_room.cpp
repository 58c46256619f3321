#include "view/server/waiting_room.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace flexloop::view {
namespace {

constexpr std::size_t kPiece = 4096;  // bytes

// An empty line ends the head of a request.
bool hasHead(const std::string& bytes) {
  return bytes.find("\n\r\n") != std::string::npos;
}

// What is there, without waiting. False: the connection is lost.
bool receive(Visitor& visitor, std::size_t most) {
  std::array<char, kPiece> piece;
  while (!visitor.hasEnded && visitor.bytes.size() <= most) {
    const ssize_t count = recv(visitor.socket, piece.data(), piece.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (count == 0) visitor.hasEnded = true;
    visitor.bytes.append(piece.data(), static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

// A connection with unread bytes is reset when it is closed, and its last answer may be lost with it.
Visitor::~Visitor() {
  std::array<char, kPiece> piece;
  shutdown(socket, SHUT_WR);
  for (int k = 0; k < 16 && recv(socket, piece.data(), piece.size(), MSG_DONTWAIT) > 0; ++k) {
  }
  ::close(socket);
}

WaitingRoom::WaitingRoom(Ready ready, const Limits& limits)
    : ready_(std::move(ready)), limits_(limits), bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (bell_ < 0) throw std::runtime_error(std::string("no more files: ") + std::strerror(errno));
  thread_ = std::thread([this] { run(); });
}

void WaitingRoom::enter(VisitorPointer visitor) {
  const std::scoped_lock lock(mutex_);
  if (isClosed_) return;
  arrivals_.push_back({std::move(visitor), Clock::now() + limits_.patience, true});
  wake();
}

void WaitingRoom::close() {
  {
    const std::scoped_lock lock(mutex_);
    if (isClosed_) return;
    isClosed_ = true;
    arrivals_.clear();
    wake();
  }
  thread_.join();
  seats_.clear();
  ::close(bell_);
}

void WaitingRoom::wake() const {
  const std::uint64_t one = 1;
  static_cast<void>(!write(bell_, &one, sizeof one));
}

void WaitingRoom::run() {
  while (true) {
    waitForBytes();
    {
      const std::scoped_lock lock(mutex_);
      if (isClosed_) return;
      seatArrivals();
    }
    lookAtAll();
    makeRoom();
  }
}

void WaitingRoom::waitForBytes() {
  std::vector<pollfd> files{{bell_, POLLIN, 0}};
  auto until = Clock::time_point::max();
  for (const Seat& seat : seats_) {
    files.push_back({seat.visitor->socket, POLLIN, 0});
    until = std::min(until, seat.until);
  }
  int patience = -1;
  if (!seats_.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    patience = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }
  poll(files.data(), files.size(), patience);
  for (std::size_t k = 0; k < seats_.size(); ++k) seats_[k].hasNews = files[k + 1].revents != 0;
  std::uint64_t rings = 0;
  static_cast<void>(!read(bell_, &rings, sizeof rings));
}

void WaitingRoom::seatArrivals() {
  std::move(arrivals_.begin(), arrivals_.end(), std::back_inserter(seats_));
  arrivals_.clear();
}

void WaitingRoom::lookAtAll() {
  std::vector<Seat> staying;
  for (Seat& seat : seats_) {
    const Next next = lookAt(seat);
    if (next == Next::kServe) ready_(std::move(seat.visitor));
    if (next == Next::kWait) staying.push_back(std::move(seat));
  }
  seats_ = std::move(staying);
}

WaitingRoom::Next WaitingRoom::lookAt(const Seat& seat) const {
  Visitor& visitor = *seat.visitor;
  const bool isThere = !seat.hasNews || receive(visitor, limits_.longestHead);
  if (hasHead(visitor.bytes)) return Next::kServe;
  if (visitor.hasEnded && !visitor.bytes.empty()) return Next::kServe;
  const bool isTooLong = visitor.bytes.size() > limits_.longestHead;
  if (!isThere || visitor.hasEnded || isTooLong || Clock::now() >= seat.until) return Next::kLeave;
  return Next::kWait;
}

void WaitingRoom::makeRoom() {
  const auto isStranger = [](const Seat& seat) { return !seat.visitor->hasToken; };
  while (seats_.size() > limits_.seats) {
    const auto first = std::find_if(seats_.begin(), seats_.end(), isStranger);
    seats_.erase(first == seats_.end() ? seats_.begin() : first);
  }
}

}  // namespace flexloop::view
