// The safe home of a black box: a process of its own. Whatever the box does (crash, endless loop,
// exit(), damage to its memory), this process goes on.
//
// The other process is a copy of this one (fork without exec) that loads the library and serves
// calls. It ends with the thread that has made it (or with this object), so a box is opened in a
// thread that outlives its use.
#pragma once

#include <cstdint>
#include <sys/types.h>

#include "control/box_call.hpp"
#include "control/box_channel.hpp"

namespace flexloop::control {

class OwnProcessHost final : public BoxHost {
 public:
  explicit OwnProcessHost(const BoxSettings& settings);
  ~OwnProcessHost() override;

  BoxEnding call(BoxCall& call) override;

 private:
  // Ends the process of the box and tells how it ended.
  BoxEnding reap();

  BoxChannel channel_;
  pid_t owner_;         // this process
  pid_t process_ = -1;  // that of the box; -1: none
  int error_ = 0;       // why there is none
  std::int64_t limit_;  // ns
  std::uint64_t calls_ = 0;
};

}  // namespace flexloop::control
