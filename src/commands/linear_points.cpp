#include "commands/linear_points.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

#include "api/study_source.hpp"
#include "commands/sweep_range.hpp"

namespace flexloop::commands {

std::vector<study::SweepAxis> takeAxes(api::ModelSource& source, const std::string& command,
                                       int most) {
  std::vector<study::SweepAxis> axes;
  for (std::vector<std::string>* texts : {&source.overrides.parameters, &source.overrides.values}) {
    std::erase_if(*texts, [&](const std::string& text) {
      std::optional<study::SweepAxis> axis = readAxis(text, study::Spacing::kEven);
      if (axis) axes.push_back(std::move(*axis));
      return axis.has_value();
    });
  }
  if (axes.empty()) {
    reject(command + ": no range of a parameter is given",
           "-p NAME=from:to:count, as in -p length=0.3:0.5:9");
  }
  if (std::ssize(axes) > most) {
    reject(command + ": the result depends on " +
               (most == 1 ? "one parameter" : std::to_string(most) + " parameters at most") +
               ", but " + std::to_string(axes.size()) + " ranges are given",
           "give a value instead of a range to the others");
  }
  std::size_t points = 1;
  for (study::SweepAxis& axis : axes) {
    for (const study::SweepAxis& other : axes) {
      if (&axis == &other || axis.name != other.name) continue;
      reject(command + ": two ranges are given for '" + axis.name + "'", "give one");
    }
    std::sort(axis.values.begin(), axis.values.end());
    points *= axis.values.size();
  }
  if (points > kMostPoints) {
    reject(command + ": more than " + std::to_string(kMostPoints) + " points",
           "a few are usually enough");
  }
  return axes;
}

bool hasAxis(const api::ModelSource& source) {
  const auto isAxis = [](const std::string& text) {
    return readAxis(text, study::Spacing::kEven).has_value();
  };
  const language::Overrides& overrides = source.overrides;
  return std::any_of(overrides.parameters.begin(), overrides.parameters.end(), isAxis) ||
         std::any_of(overrides.values.begin(), overrides.values.end(), isAxis);
}

void LinearPoints::at(const std::vector<double>& values, const analysis::PortNames& names,
                      const std::function<void(const LinearCommand&)>& use) {
  LinearRequest request = request_;
  study::Settings settings;
  for (std::size_t d = 0; d < values.size(); ++d) {
    settings.push_back({grid_.axes()[d].name, values[d]});
  }
  request.model = api::withSettings(request.model, settings);
  std::ostringstream warnings;
  const Console own{.text = &warnings, .errors = &warnings, .quiet = console_.quiet};
  LinearCommand command(request, names, own);
  command.linearize(false);
  use(command);
  if (!warnings.str().empty() && printed_.insert(warnings.str()).second) {
    *console_.errors << "at " << grid_.describe(values) << ":\n" << warnings.str();
  }
}

std::string LinearPoints::context(const std::vector<double>& values) const {
  return "at " + grid_.describe(values) + ": ";
}

}  // namespace flexloop::commands
