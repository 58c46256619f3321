#include <ostream>

#include "analysis/schemes/scheme_properties.hpp"
#include "commands/commands.hpp"
#include "commands/guard.hpp"
#include "reports/scheme_text.hpp"

namespace flexloop::commands {

Outcome scheme(const SchemeOptions& options, const Console& console) {
  return guard(console, [&] {
    const reports::SchemeRequest request = reports::readSchemeRequest(options.values);
    const analysis::SchemeProperties properties =
        analysis::calcSchemeProperties(request.scheme, request.system, request.range);
    if (!console.quiet) {
      for (const std::string& line : reports::describeScheme(request, properties)) {
        *console.text << line << '\n';
      }
    }
    const Targets& targets = options.targets;
    if (!targets.csvFile.empty()) reports::writeSchemeCsv(targets.csvFile, properties);
    if (!targets.jsonFile.empty()) reports::writeSchemeJson(targets.jsonFile, request, properties);
    if (!options.svgFile.empty()) reports::writeSchemeSvg(options.svgFile, request, properties);
    return Outcome::kDone;
  });
}

}  // namespace flexloop::commands
