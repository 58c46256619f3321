#include "control/box_channel.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

#include "control/deadline.hpp"

namespace flexloop::control {
namespace {

// What is left of a message.
class Rest {
 public:
  explicit Rest(const BoxChannel::Message& message) {
    for (std::size_t k = 0; k < message.size(); ++k) {
      parts_[k] = {message[k].data(), message[k].size()};
      left_ += message[k].size();
    }
    header_.msg_iov = parts_.data();
    header_.msg_iovlen = parts_.size();
  }

  msghdr* header() { return &header_; }
  bool isEmpty() const { return left_ == 0; }
  void drop(std::size_t bytes) {
    left_ -= bytes;
    for (iovec& part : parts_) {
      const std::size_t done = std::min(bytes, part.iov_len);
      part.iov_base = static_cast<unsigned char*>(part.iov_base) + done;
      part.iov_len -= done;
      bytes -= done;
    }
  }

 private:
  std::array<iovec, 3> parts_;
  msghdr header_{};
  std::size_t left_ = 0;  // bytes
};

// Until something can be sent or received, or the other side is gone.
Transfer wait(int descriptor, short events, std::int64_t deadline) {
  pollfd waited{descriptor, events, 0};
  for (;;) {
    const std::int64_t left = std::max<std::int64_t>(deadline - monotonicNow(), 0);
    const timespec limit = timespecOf(left);
    const int ready = ppoll(&waited, 1, deadline == kNever ? nullptr : &limit, nullptr);
    if (ready > 0) return Transfer::kDone;
    if (ready == 0) return Transfer::kTimeLimit;
    if (errno != EINTR) return Transfer::kClosed;
  }
}

}  // namespace

BoxChannel::~BoxChannel() {
  reset();
}

void BoxChannel::reset(int descriptor) {
  const int before = std::exchange(descriptor_, descriptor);
  if (before >= 0) close(before);
}

Transfer BoxChannel::send(const Message& message, std::int64_t deadline) {
  Rest rest(message);
  while (!rest.isEmpty()) {
    // No signal if the other side is gone, which would end this process.
    const ssize_t sent = sendmsg(descriptor_, rest.header(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      rest.drop(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      const Transfer ready = wait(descriptor_, POLLOUT, deadline);
      if (ready != Transfer::kDone) return ready;
    } else if (errno != EINTR) {
      return Transfer::kClosed;
    }
  }
  return Transfer::kDone;
}

Transfer BoxChannel::receive(const Message& message, std::int64_t deadline) {
  Rest rest(message);
  const bool isPatient = deadline == kNever;  // waits while receiving
  while (!rest.isEmpty()) {
    const Transfer ready = isPatient ? Transfer::kDone : wait(descriptor_, POLLIN, deadline);
    if (ready != Transfer::kDone) return ready;
    const ssize_t received = recvmsg(descriptor_, rest.header(), isPatient ? 0 : MSG_DONTWAIT);
    if (received > 0) {
      rest.drop(static_cast<std::size_t>(received));
    } else if (received == 0 || (errno != EINTR && errno != EAGAIN)) {
      return Transfer::kClosed;
    }
  }
  return Transfer::kDone;
}

}  // namespace flexloop::control
