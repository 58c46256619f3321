#include <ostream>

#include "commands/commands.hpp"
#include "commands/guard.hpp"
#include "commands/record_source.hpp"
#include "reports/spectrum_text.hpp"

namespace flexloop::commands {
namespace {

reports::SpectrumSummary summarize(const SpectrumOptions& options,
                                   const reports::SpectrumRequest& request,
                                   const RecordSource& source) {
  analysis::SpectrumSettings settings = request.settings;
  settings.keepsMean = options.keepsMean;
  const analysis::TimeRecord record = reports::selectRecord(
      results::readRecordFile(source.file, source.kind), options.channels, request, source.file);
  return {source.file, settings, analysis::analyzeRecord(record, settings)};
}

Outcome execute(const SpectrumOptions& options, const Console& console) {
  const reports::SpectrumRequest request = reports::readSpectrumRequest(options.values);
  RecordSource source;
  const Outcome outcome = findRecord(options.run, console, source);
  if (outcome != Outcome::kDone) return outcome;
  const reports::SpectrumSummary summary = summarize(options, request, source);
  if (!console.quiet) {
    for (const std::string& line : reports::describeSpectrum(summary))
      *console.text << line << '\n';
  }
  const Targets& targets = options.targets;
  if (!targets.csvFile.empty()) reports::writeSpectrumCsv(targets.csvFile, summary);
  if (!targets.jsonFile.empty()) reports::writeSpectrumJson(targets.jsonFile, summary);
  if (!options.svgFile.empty()) reports::writeSpectrumSvg(options.svgFile, summary);
  return Outcome::kDone;
}

}  // namespace

Outcome spectrum(const SpectrumOptions& options, const Console& console) {
  return guard(console, [&] { return execute(options, console); });
}

}  // namespace flexloop::commands
