#include <ostream>

#include "analysis/scheme_properties.hpp"
#include "api/commands.hpp"
#include "api/guard.hpp"
#include "io/scheme_text.hpp"

namespace flexloop::api {

Outcome scheme(const SchemeOptions& options, const Console& console) {
  return guard(console, [&] {
    const io::SchemeRequest request = io::readSchemeRequest(options.values);
    const analysis::SchemeProperties properties =
        analysis::calcSchemeProperties(request.scheme, request.system, request.range);
    if (!console.quiet) {
      for (const std::string& line : io::describeScheme(request, properties)) {
        *console.text << line << '\n';
      }
    }
    const Targets& targets = options.targets;
    if (!targets.csvFile.empty()) io::writeSchemeCsv(targets.csvFile, properties);
    if (!targets.jsonFile.empty()) io::writeSchemeJson(targets.jsonFile, request, properties);
    if (!options.svgFile.empty()) io::writeSchemeSvg(options.svgFile, request, properties);
    return Outcome::kDone;
  });
}

}  // namespace flexloop::api
