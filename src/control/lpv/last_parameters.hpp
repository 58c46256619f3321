// The parameters with which a model was evaluated last, and what is said if they are outside of its range.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "control/lpv/lpv_model.hpp"

namespace flexloop::control {

class LastParameters {
 public:
  explicit LastParameters(const LpvModel& model);

  void store(const double* values) const;
  std::optional<base::Failure> findFault(const std::string& block) const;

 private:
  std::vector<LpvAxis> axes_;
  mutable std::array<std::atomic<double>, LpvModel::kMostParameters> last_;
};

}  // namespace flexloop::control
