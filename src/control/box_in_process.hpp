// The fast home of a black box: this process, under a guard.
#pragma once

#include <cstdint>
#include <string>

#include "control/box_call.hpp"
#include "control/box_guard.hpp"
#include "control/box_library.hpp"

namespace flexloop::control {

class InProcessHost final : public BoxHost {
 public:
  explicit InProcessHost(const BoxSettings& settings);
  BoxEnding call(BoxCall& call) override;

 private:
  BoxGuard guard_;
  BoxLibrary library_;
  std::string name_;
  std::int64_t limit_;  // ns
};

}  // namespace flexloop::control
