#include <ostream>

#include "analysis/model_check.hpp"
#include "api/commands.hpp"
#include "api/guard.hpp"
#include "io/check_text.hpp"

namespace flexloop::api {

Outcome check(const ModelSource& source, const Targets& targets, const Console& console) {
  return guard(console, [&] {
    const model::Model model = loadModel(source);
    const analysis::CheckReport report = analysis::checkModel(model);
    model.warnings().print(*console.errors);
    if (!console.quiet) {
      for (const std::string& line : io::describeCheck(model, report))
        *console.text << line << '\n';
    }
    if (!targets.jsonFile.empty()) io::writeCheckJson(targets.jsonFile, report);
    return Outcome::kDone;
  });
}

}  // namespace flexloop::api
