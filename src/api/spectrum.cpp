#include <ostream>

#include "api/commands.hpp"
#include "api/guard.hpp"
#include "api/record_source.hpp"
#include "io/spectrum_text.hpp"

namespace flexloop::api {
namespace {

io::SpectrumSummary summarize(const SpectrumOptions& options, const io::SpectrumRequest& request,
                              const RecordSource& source) {
  analysis::SpectrumSettings settings = request.settings;
  settings.keepsMean = options.keepsMean;
  const analysis::TimeRecord record = io::selectRecord(io::readRecordFile(source.file, source.kind),
                                                       options.channels, request, source.file);
  return {source.file, settings, analysis::analyzeRecord(record, settings)};
}

Outcome execute(const SpectrumOptions& options, const Console& console) {
  const io::SpectrumRequest request = io::readSpectrumRequest(options.values);
  RecordSource source;
  const Outcome outcome = findRecord(options.run, console, source);
  if (outcome != Outcome::kDone) return outcome;
  const io::SpectrumSummary summary = summarize(options, request, source);
  if (!console.quiet) {
    for (const std::string& line : io::describeSpectrum(summary)) *console.text << line << '\n';
  }
  const Targets& targets = options.targets;
  if (!targets.csvFile.empty()) io::writeSpectrumCsv(targets.csvFile, summary);
  if (!targets.jsonFile.empty()) io::writeSpectrumJson(targets.jsonFile, summary);
  if (!options.svgFile.empty()) io::writeSpectrumSvg(options.svgFile, summary);
  return Outcome::kDone;
}

}  // namespace

Outcome spectrum(const SpectrumOptions& options, const Console& console) {
  return guard(console, [&] { return execute(options, console); });
}

}  // namespace flexloop::api
