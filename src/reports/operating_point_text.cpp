#include "reports/operating_point_text.hpp"

#include "base/text_format.hpp"

namespace flexloop::reports {

std::string describePoint(const std::string& about, double time) {
  if (about.empty()) return base::formatText("at %g s", time);
  return about == "equilibrium" ? "about the equilibrium" : "about the steady motion";
}

}  // namespace flexloop::reports
