#include <ostream>
#include <utility>

#include "analysis/model_check.hpp"
#include "api/commands.hpp"
#include "api/guard.hpp"
#include "api/load.hpp"
#include "api/registry.hpp"
#include "io/check_text.hpp"
#include "io/parameter_uses.hpp"
#include "io/source_reader.hpp"
#include "model/build.hpp"

namespace flexloop::api {

Outcome check(const ModelSource& source, const Targets& targets, const Console& console) {
  return guard(console, [&] {
    // Nothing of a model is run before somebody wants it computed.
    const system::Registry registry = makeRegistryWithoutBoxes(BoxFiles::kChecked);
    const model::Model model = model::buildModel(readDescription(source, registry), registry);
    analysis::CheckReport report = analysis::checkModel(model, registry);
    base::Diagnostics findings = model.warnings();
    io::ErrorList ignored;  // reported above
    io::RawModel raw = source.files != nullptr
                           ? io::readRawFiles(*source.files, source.file, registry, ignored)
                           : io::readRawFile(source.file, registry, ignored);
    io::applyOverrides(source.overrides, registry, raw, ignored);
    io::warnOfUnusedParameters(raw, findings);
    findings.add(report.findings);
    report.findings = std::move(findings);
    if (!console.quiet) {
      for (const std::string& line : io::describeCheck(model, report))
        *console.text << line << '\n';
    }
    console.text->flush();
    report.findings.print(*console.errors);
    if (!targets.jsonFile.empty()) io::writeCheckJson(targets.jsonFile, report);
    return report.findings.hasErrors() ? Outcome::kBadInput : Outcome::kDone;
  });
}

}  // namespace flexloop::api
