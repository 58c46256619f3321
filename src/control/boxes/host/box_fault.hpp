// What a black box has done wrong, in words for the user.
#pragma once

#include <string>

#include "control/boxes/host/box_call.hpp"

namespace flexloop::control {

struct [[nodiscard]] BoxFault {
  enum class Kind {
    kNone,
    kCrashed,
    kTooSlow,
    kThrew,
    kEnded,        // its process, by exit()
    kUnreachable,  // no process for it
    kBadValue,     // a result that is not set, or more results than stated
    kNotFinite,    // a result that is no number: its arguments may lie outside of its domain
    kBadMemory,    // block_save contradicts itself
    kMissing,      // a function that the library does not have
  };
  Kind kind = Kind::kNone;
  std::string message;  // names the box
  std::string hint;     // may be empty

  explicit operator bool() const { return kind != Kind::kNone; }
};

BoxFault makeFault(const BoxSettings& settings, const BoxCall& call, const BoxEnding& ending);
// `what` follows the name of the box: "returned …".
BoxFault makeFault(const BoxSettings& settings, BoxFault::Kind kind, const std::string& what,
                   std::string hint);

// " in block_output at t = 0.5 s"
std::string placeOf(const BoxSettings& settings, const BoxCall& call);
// "black box 'ctl'"
std::string titleOf(const BoxSettings& settings);

}  // namespace flexloop::control
