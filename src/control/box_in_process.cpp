#include "control/box_in_process.hpp"

#include "control/deadline.hpp"

namespace flexloop::control {

InProcessHost::InProcessHost(const BoxSettings& settings)
    : library_(settings), name_(settings.name), limit_(nanosecondsOf(settings.timeLimit)) {}

BoxEnding InProcessHost::call(BoxCall& call) {
  struct Invocation {
    BoxLibrary* library;
    BoxCall* call;
  } invocation{&library_, &call};
  const auto invoke = [](void* argument) {
    const auto* it = static_cast<Invocation*>(argument);
    it->library->invoke(*it->call);
  };
  return guard_.run({name_.c_str(), nameOf(call.function), limit_}, invoke, &invocation);
}

}  // namespace flexloop::control
