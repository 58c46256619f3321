#include <filesystem>
#include <ostream>
#include <sstream>

#include "api/commands.hpp"
#include "api/guard.hpp"
#include "io/record_file.hpp"
#include "io/spectrum_text.hpp"

namespace flexloop::api {
namespace {

// What a model records is in the file that its run leaves.
std::string resultOf(const RunOptions& options) {
  const std::string& directory = options.targets.directory;
  return (std::filesystem::path(directory.empty() ? defaultDirectory(options.model.file)
                                                  : directory) /
          "result.h5")
      .string();
}

void refuseOverrides(const io::Overrides& overrides) {
  if (overrides.parameters.empty() && overrides.values.empty()) return;
  throw base::InputError({}, "-p and --set change a model, but this is a record of one",
                         "name the model instead; it is run first");
}

io::SpectrumSummary summarize(const SpectrumOptions& options, const io::SpectrumRequest& request,
                              const std::string& file, io::RecordKind kind) {
  analysis::SpectrumSettings settings = request.settings;
  settings.keepsMean = options.keepsMean;
  const analysis::TimeRecord record =
      io::selectRecord(io::readRecordFile(file, kind), options.channels, request, file);
  return {file, settings, analysis::analyzeRecord(record, settings)};
}

Outcome execute(const SpectrumOptions& options, const Console& console) {
  const io::SpectrumRequest request = io::readSpectrumRequest(options.values);
  std::string file = options.run.model.file;
  io::RecordKind kind = io::findRecordKind(file);
  if (kind == io::RecordKind::kModel) {
    std::ostringstream summary;  // of the run; only its progress and its mistakes are told
    Console runConsole = console;
    runConsole.text = &summary;
    const Outcome outcome = run(options.run, runConsole);
    if (outcome != Outcome::kDone) return outcome;
    file = resultOf(options.run);
    kind = io::RecordKind::kResult;
  } else {
    refuseOverrides(options.run.model.overrides);
  }
  const io::SpectrumSummary summary = summarize(options, request, file, kind);
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
