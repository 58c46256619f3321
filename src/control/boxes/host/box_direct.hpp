// Plain calls of a black box, for code that is trusted like the program itself: no time limit, and a
// crash of the box is one of the program. What is done is to name the box in a last message.
//
// A library that has started a thread stays loaded, since the thread may still run in it, and the process
// then ends without running destructors beside it.
#pragma once

#include <memory>
#include <string>

#include "control/boxes/host/box_call.hpp"
#include "control/boxes/host/box_code.hpp"

namespace flexloop::control {

class DirectHost final : public BoxHost {
 public:
  explicit DirectHost(const BoxSettings& settings);
  ~DirectHost() override;
  DirectHost(const DirectHost&) = delete;
  DirectHost& operator=(const DirectHost&) = delete;
  BoxEnding run(const BoxBatch& batch) override;

 private:
  std::unique_ptr<BoxCode> code_;
  std::string name_;
};

}  // namespace flexloop::control
