// A machine that is linearised at several values of its parameters.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "commands/linear_request.hpp"
#include "study/lpv/lpv_grid.hpp"

namespace flexloop::commands {

inline constexpr int kMostPoints = 257;

// Takes the ranges `NAME=from:to:count` out of -p and --set. Throws base::InputError unless there are 1 to `most`; their values
// rise then. `command` is for messages.
std::vector<study::SweepAxis> takeAxes(api::ModelSource& source, const std::string& command,
                                       int most);
// Whether there is one.
bool hasAxis(const api::ModelSource& source);

class LinearPoints {
 public:
  LinearPoints(LinearRequest request, const std::vector<study::SweepAxis>& axes,
               const Console& console)
      : request_(std::move(request)), grid_(axes), console_(console) {}

  // Warnings that are the same at several values are printed once.
  void at(const std::vector<double>& values, const analysis::PortNames& names,
          const std::function<void(const LinearCommand&)>& use);

  // For messages: "at NAME = VALUE: "
  std::string context(const std::vector<double>& values) const;

 private:
  LinearRequest request_;
  study::LpvGrid grid_;
  const Console& console_;
  std::set<std::string> printed_;
};

}  // namespace flexloop::commands
