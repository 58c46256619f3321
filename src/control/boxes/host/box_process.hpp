// The home of a black box: a process of its own. Whatever the box does (crash, endless loop, exit(),
// damage to its memory), this process continues.
//
// The other process is a copy of this one (fork without exec) that loads the library and serves
// batches of calls in shared memory. A keeper in between (box_keeper.hpp) ends it with this object or
// with this process.
#pragma once

#include <cstdint>
#include <memory>
#include <sys/types.h>

#include "control/boxes/host/box_call.hpp"
#include "control/boxes/host/box_keeper.hpp"
#include "control/boxes/host/box_region.hpp"

namespace flexloop::control {

class OwnProcessHost final : public BoxHost {
 public:
  explicit OwnProcessHost(const BoxSettings& settings);
  ~OwnProcessHost() override;

  BoxEnding run(const BoxBatch& batch) override;

  // Where it is seen that somebody wants the program to stop (not zero; null: nowhere): a box that is
  // just being called then gets a moment and no more.
  static void heed(const volatile int* stopRequest);

 private:
  // How many of the calls from `first` on there is room for.
  std::size_t countFitting(std::span<const BoxCall> calls) const;
  BoxEnding runPart(std::span<BoxCall> calls, const BoxBatch& batch);
  void write(std::span<const BoxCall> calls, const BoxBatch& batch);
  void read(std::span<BoxCall> calls, const BoxBatch& batch) const;
  BoxEnding wait(std::size_t calls);
  // Ends the processes and returns how that of the box had ended.
  BoxEnding reap();

  BoxSettings settings_;
  BoxRegion region_;
  TurnWaiter waiter_;
  int socket_ = -1;
  pid_t owner_;               // this process
  pid_t keeper_ = -1;         // -1: none
  int error_ = 0;             // why there is none
  std::uint32_t number_ = 0;  // of the last batch
};

}  // namespace flexloop::control
