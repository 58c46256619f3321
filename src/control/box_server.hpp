// The other side of box_process.hpp: what runs in the process of a black box.
#pragma once

#include <cstdint>
#include <span>

#include "control/box_call.hpp"

namespace flexloop::control {

// A request is followed by the inputs and by the memory that is sent.
struct BoxRequest {
  std::uint64_t number;  // of the call
  BoxFunction function;
  double time;
  std::uint64_t memory;  // bytes
};

// A reply is followed by the outputs and by the memory that is returned.
struct BoxReply {
  std::uint64_t number;  // of the request
  std::uint64_t answer;
  std::uint64_t threw;  // 0: no; not a bool because a broken box may send anything
};

// Which memory goes along; none for most functions.
inline std::span<unsigned char> sentMemory(BoxFunction function, std::span<unsigned char> memory) {
  return function == BoxFunction::kRestore ? memory : std::span<unsigned char>();
}
inline std::span<unsigned char> returnedMemory(BoxFunction function,
                                               std::span<unsigned char> memory) {
  const bool isReturned = function == BoxFunction::kSave || function == BoxFunction::kLoad;
  return isReturned ? memory : std::span<unsigned char>();
}

// Serves calls until the other side closes the socket. `parent` is the process that has forked.
[[noreturn]] void serveBox(const BoxSettings& settings, int socket, int parent);

}  // namespace flexloop::control
