#include "control/lpv/last_parameters.hpp"

#include "base/text_format.hpp"

namespace flexloop::control {

LastParameters::LastParameters(const LpvModel& model) : axes_(model.axes) {
  for (std::size_t d = 0; d < axes_.size(); ++d) last_[d] = axes_[d].points.front();
}

void LastParameters::store(const double* values) const {
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    last_[d].store(values[d], std::memory_order_relaxed);
  }
}

std::optional<base::Failure> LastParameters::findFault(const std::string& block) const {
  constexpr double kRounding = 1e-9;  // of the range: a parameter that ends exactly there
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    const LpvAxis& axis = axes_[d];
    const double first = axis.points.front(), end = axis.points.back();
    const double p = last_[d].load(std::memory_order_relaxed);
    const double margin = kRounding * (end - first);
    if (p >= first - margin && p <= end + margin) continue;
    return base::numericalFailure("blocks." + block + ": the parameter '" + axis.name + "' is " +
                                      base::numberText(p) + ", outside of the range from " +
                                      base::numberText(first) + " to " + base::numberText(end) +
                                      " of its model",
                                  "make the model for a wider range, or write 'outside: clamp'");
  }
  return std::nullopt;
}

}  // namespace flexloop::control
