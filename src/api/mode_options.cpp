#include "api/mode_options.hpp"

#include <algorithm>
#include <ostream>

#include "base/diagnostics.hpp"

namespace flexloop::api {

using analysis::BodyView;
using analysis::LoopView;
using model::OperatingPoint;

void refuse(const std::string& what, const std::string& hint) {
  throw base::InputError({}, what, hint);
}

int choose(const char* option, const std::string& word, const std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), word);
  if (found != known.end()) return static_cast<int>(found - known.begin());
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  refuse(std::string(option) + ": there is no '" + word + "'", "known: " + all);
}

analysis::ModeOptions readModeOptions(const ModesRequest& request, const model::Model& model) {
  analysis::ModeOptions options;
  options.count = request.count.value_or(model.modes().count);
  if (options.count < 1) refuse("--count must be at least 1", "");
  options.nearHz = request.nearHz.value_or(0.0);
  if (options.nearHz < 0.0) refuse("--near must not be negative", "");
  options.view.loop =
      static_cast<LoopView>(choose("--loop", request.loop, {"closed", "open", "locked"}));
  options.view.bodies =
      static_cast<BodyView>(choose("--bodies", request.bodies, {"flexible", "rigid"}));
  options.method = static_cast<analysis::ModeMethod>(
      choose("--method", request.method, {"full", "undamped", "2n", "3n"}));
  return options;
}

OperatingPoint readOperatingPoint(const std::optional<double>& at, const std::string& about,
                                  const model::Model& model) {
  if (at && !about.empty()) {
    refuse("--at and --about both say which state is meant", "give one of them");
  }
  if (at) return {OperatingPoint::Kind::kTime, *at};
  if (about.empty()) return model.modes().about;
  return {static_cast<OperatingPoint::Kind>(choose("--about", about, {"initial", "equilibrium"})),
          0.0};
}

void tellFailure(const Console& console, const std::string& trouble, const std::string& hint) {
  *console.errors << "error: " << trouble << '\n';
  if (!hint.empty()) *console.errors << "  hint: " << hint << '\n';
}

}  // namespace flexloop::api
