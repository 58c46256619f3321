#include <memory>

#include "analysis/schemes/scheme_properties.hpp"
#include "commands/command.hpp"
#include "reports/scheme_options.hpp"
#include "reports/scheme_text.hpp"

namespace flexloop::commands {
namespace {

// Needs no model.
void describeScheme(const std::vector<language::OptionText>& values, const Targets& targets,
                    const Console& console) {
  const reports::SchemeRequest request = reports::readSchemeRequest(values);
  const analysis::SchemeProperties properties =
      analysis::calcSchemeProperties(request.scheme, request.system, request.range);
  console.print(reports::describeScheme(request, properties));
  if (!targets.csvFile.empty()) reports::writeSchemeCsv(targets.csvFile, properties);
  if (!targets.jsonFile.empty()) reports::writeSchemeJson(targets.jsonFile, request, properties);
  if (!targets.figureFile.empty()) {
    reports::writeSchemeSvg(targets.figureFile, request, properties);
  }
}

}  // namespace

void declareScheme(Call& call) {
  const auto values = std::make_shared<std::vector<language::OptionText>>();
  call.addValueOptions(reports::schemeOptions(), *values);
  call.addFigureOption("--svg", "figure of the radii; - for standard output");
  call.addTargetOptions();
  call.action = [&call, values](const Console& console) {
    describeScheme(*values, call.targets, console);
  };
}

}  // namespace flexloop::commands
