#include <ostream>
#include <utility>

#include "analysis/check/model_check.hpp"
#include "api/registry.hpp"
#include "commands/command.hpp"
#include "language/parameter_uses.hpp"
#include "language/source_reader.hpp"
#include "model/build.hpp"
#include "reports/check_text.hpp"

namespace flexloop::commands {
namespace {

base::Diagnostics findUnusedParameters(const api::ModelSource& source,
                                       const system::Registry& registry) {
  language::ErrorList ignored;  // reported by the reader of the model
  language::RawModel raw =
      source.files != nullptr
          ? language::readRawFiles(*source.files, source.file, registry, ignored)
          : language::readRawFile(source.file, registry, ignored);
  language::applyOverrides(source.overrides, registry, raw, ignored);
  base::Diagnostics findings;
  language::warnOfUnusedParameters(raw, findings);
  return findings;
}

void check(const api::ModelSource& source, const Targets& targets, const Console& console) {
  // Nothing of a model is run before somebody wants it computed.
  const system::Registry registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kChecked);
  const model::Model model = model::buildModel(api::readDescription(source, registry), registry);
  analysis::CheckReport report = analysis::checkModel(model, registry);
  base::Diagnostics findings = model.warnings();
  findings.add(findUnusedParameters(source, registry));
  findings.add(report.findings);
  report.findings = std::move(findings);
  console.print(reports::describeCheck(model, report));
  console.text->flush();
  if (!targets.jsonFile.empty()) reports::writeCheckJson(targets.jsonFile, report);
  if (report.findings.hasErrors()) throw base::InputError(report.findings);
  report.findings.print(*console.errors);
}

}  // namespace

void declareCheck(Call& call) {
  call.addModelOptions();
  call.action = [&call](const Console& console) { check(call.model, call.targets, console); };
}

}  // namespace flexloop::commands
