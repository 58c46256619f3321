#include <memory>

#include "commands/command.hpp"
#include "commands/record_source.hpp"
#include "reports/spectrum_options.hpp"
#include "reports/spectrum_text.hpp"

namespace flexloop::commands {
namespace {

struct Request {
  std::vector<std::string> channels;         // empty: all
  std::vector<language::OptionText> values;  // of reports::spectrumOptions()
  bool keepsMean = false;
};

void analyze(const Request& request, const api::ModelSource& record, const Targets& targets,
             const Console& console) {
  reports::SpectrumRequest asked = reports::readSpectrumRequest(request.values);
  asked.settings.keepsMean = request.keepsMean;
  const RecordSource source =
      findRecord({.model = record, .targets = {.directory = targets.directory}}, console);
  const analysis::TimeRecord part = reports::selectRecord(
      results::readRecordFile(source.file, source.kind), request.channels, asked, source.file);
  const reports::SpectrumSummary summary{source.file, asked.settings,
                                         analysis::analyzeRecord(part, asked.settings)};
  console.print(reports::describeSpectrum(summary));
  if (!targets.csvFile.empty()) reports::writeSpectrumCsv(targets.csvFile, summary);
  if (!targets.jsonFile.empty()) reports::writeSpectrumJson(targets.jsonFile, summary);
  if (!targets.figureFile.empty()) reports::writeSpectrumSvg(targets.figureFile, summary);
}

}  // namespace

void declareSpectrum(Call& call) {
  const auto request = std::make_shared<Request>();
  call.stopsGently = true;
  call.add({{"RECORD",
             "",
             "result.h5 or CSV of a run, or a model, which is run first",
             &call.model.file,
             {.isRequired = true}}});
  call.addOverrideOptions();
  call.add({{"--channel", "NAME", "outputs to analyse (default: all)", &request->channels}});
  call.addValueOptions(reports::spectrumOptions(), request->values);
  call.add({{"--keep-mean", "", "keep the mean in the spectrum", &request->keepsMean}});
  call.addFigureOption("--figure", "figure of the spectra (SVG); - for standard output");
  call.addTargetOptions();
  call.action = [&call, request](const Console& console) {
    analyze(*request, call.model, call.targets, console);
  };
}

}  // namespace flexloop::commands
