// Messages between two processes over a pair of sockets, with a deadline. The end of the other
// process closes the channel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace flexloop::control {

enum class Transfer { kDone, kTimeLimit, kClosed };

// Consecutive bytes.
using MessagePart = std::span<unsigned char>;

template <class T>
MessagePart bytesOf(std::span<T> values) {
  return {reinterpret_cast<unsigned char*>(values.data()), values.size_bytes()};
}

class BoxChannel {
 public:
  explicit BoxChannel(int descriptor = -1) : descriptor_(descriptor) {}
  ~BoxChannel();
  BoxChannel(const BoxChannel&) = delete;
  BoxChannel& operator=(const BoxChannel&) = delete;

  int descriptor() const { return descriptor_; }
  void reset(int descriptor = -1);

  // One part after the other; parts may be empty. The deadline is one of deadline.hpp; kNever waits
  // for ever.
  using Message = std::array<MessagePart, 3>;
  Transfer send(const Message& message, std::int64_t deadline);
  Transfer receive(const Message& message, std::int64_t deadline);

 private:
  int descriptor_;
};

}  // namespace flexloop::control
