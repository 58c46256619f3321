#include <ostream>
#include <utility>

#include "analysis/check/model_check.hpp"
#include "api/load.hpp"
#include "api/registry.hpp"
#include "commands/commands.hpp"
#include "commands/guard.hpp"
#include "language/parameter_uses.hpp"
#include "language/source_reader.hpp"
#include "model/build.hpp"
#include "reports/check_text.hpp"

namespace flexloop::commands {

Outcome check(const api::ModelSource& source, const Targets& targets, const Console& console) {
  return guard(console, [&] {
    // Nothing of a model is run before somebody wants it computed.
    const system::Registry registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kChecked);
    const model::Model model = model::buildModel(api::readDescription(source, registry), registry);
    analysis::CheckReport report = analysis::checkModel(model, registry);
    base::Diagnostics findings = model.warnings();
    language::ErrorList ignored;  // reported above
    language::RawModel raw =
        source.files != nullptr
            ? language::readRawFiles(*source.files, source.file, registry, ignored)
            : language::readRawFile(source.file, registry, ignored);
    language::applyOverrides(source.overrides, registry, raw, ignored);
    language::warnOfUnusedParameters(raw, findings);
    findings.add(report.findings);
    report.findings = std::move(findings);
    if (!console.quiet) {
      for (const std::string& line : reports::describeCheck(model, report))
        *console.text << line << '\n';
    }
    console.text->flush();
    report.findings.print(*console.errors);
    if (!targets.jsonFile.empty()) reports::writeCheckJson(targets.jsonFile, report);
    return report.findings.hasErrors() ? Outcome::kBadInput : Outcome::kDone;
  });
}

}  // namespace flexloop::commands
