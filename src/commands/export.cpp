#include <algorithm>
#include <filesystem>
#include <ostream>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "base/text_format.hpp"
#include "commands/commands.hpp"
#include "commands/guard.hpp"
#include "commands/mode_options.hpp"
#include "commands/record_source.hpp"
#include "commands/viewed_files.hpp"
#include "files/csv_writer.hpp"
#include "files/mat_file.hpp"
#include "view/data/motion_export.hpp"

namespace flexloop::commands {
namespace {

namespace fs = std::filesystem;

std::string endingOf(const std::string& path) {
  return fs::path(path).extension().string();
}

void refuseEnding(const ExportRequest& request) {
  const std::string ending = endingOf(request.file);
  const std::vector<std::string> known =
      request.modes ? std::vector<std::string>{".vtu", ".glb"}
                    : std::vector<std::string>{".csv", ".mat", ".pvd", ".glb"};
  if (std::find(known.begin(), known.end(), ending) != known.end()) return;
  refuse("'" + request.file + "' cannot be exported in this format",
         std::string("end the name with ") + (request.modes ? ".vtu or .glb" : "one of ") +
             (request.modes ? "" : ".csv, .mat, .pvd (ParaView) or .glb (glTF)"));
}

void exportCsv(const std::string& file, const view::ResultSource& result) {
  std::vector<std::vector<double>> columns;
  for (std::size_t i = 0; i < result.channels().size(); ++i)
    columns.push_back(result.readChannel(i));
  files::CsvWriter writer(file, result.channels());
  std::vector<double> row(columns.size());
  for (std::size_t k = 0; k < result.records(); ++k) {
    for (std::size_t i = 0; i < columns.size(); ++i) row[i] = columns[i][k];
    writer.write(result.times()[k], row);
  }
  writer.close();
}

void exportMat(const std::string& file, const view::ResultSource& result) {
  const std::size_t records = result.records(), channels = result.channels().size();
  std::vector<double> values;
  for (std::size_t i = 0; i < channels; ++i) {
    const std::vector<double> column = result.readChannel(i);
    values.insert(values.end(), column.begin(), column.end());
  }
  files::MatFile writer(file);
  writer.write("time", result.times(), {records, 1});
  writer.write("names", result.channels());
  writer.write("units", result.units());
  writer.write("values", values, {records, channels});
  if (!result.nodes().empty()) {
    writer.write("nodes", result.nodes());
    // The frames of ground, which never moves, are left out.
    const std::vector<double> all = result.readFrames(0, records);
    std::vector<double> frames;
    const std::size_t record = (result.nodes().size() + 1) * view::kFrameNumbers;
    for (std::size_t k = 0; k < records; ++k) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(k * record + view::kFrameNumbers);
      frames.insert(frames.end(), from,
                    from + static_cast<std::ptrdiff_t>(record - view::kFrameNumbers));
    }
    writer.write("frames", frames, {view::kFrameNumbers, result.nodes().size(), records});
  }
  writer.close();
}

const model::Model& modelOf(const ViewedFile& file) {
  if (file.model == nullptr) refuse("the machine cannot be rebuilt: " + file.whyNoModel, "");
  return *file.model;
}

void exportMotion(const ExportRequest& request, const ViewedFile& file, const Console& console) {
  const view::ResultSource& result = *file.result;
  if (result.nodes().empty()) {
    refuse("this run contains no node motions",
           "run the model again with 'record: {frames: true}' under 'analysis: time'");
  }
  if (result.records() == 0) {
    refuse("this run has recorded nothing", "it ended before its first record was written");
  }
  if (!fits(modelOf(file), result)) {
    refuse("the model does not have the nodes that were recorded", "run it again");
  }
  if (!file.note.empty() && !console.quiet) *console.errors << "note: " << file.note << '\n';
  const std::vector<std::size_t> records =
      view::chooseRecords(result.records(), static_cast<std::size_t>(request.frames));
  if (records.size() < result.records() && !console.quiet) {
    *console.text << base::formatText("%zu of %zu frames; --frames N exports more\n",
                                      records.size(), result.records());
  }
  if (endingOf(request.file) == ".glb") {
    view::writeMotionGlb(request.file, modelOf(file), result, records, file.source.files.get());
  } else {
    view::writeMotionPvd(request.file, modelOf(file), result, records, file.source.files.get());
  }
}

Outcome exportModes(const ExportRequest& request, const Console& console) {
  const ViewedFile file =
      openViewed(request.run.model.file, request.run.model.overrides, false, Boxes::kStart);
  const model::Model& model = modelOf(file);
  analysis::ModeOptions options;
  options.count = request.count.value_or(model.modes().count);
  const analysis::OperatingState point =
      analysis::findOperatingPoint(model, readOperatingPoint(std::nullopt, "", model));
  if (point.failure) return reportFailure(console, *point.failure);
  const analysis::ModeResult result = analysis::findModes(model, point.state, options);
  if (result.failure) return reportFailure(console, *result.failure);
  if (endingOf(request.file) == ".glb") {
    view::writeModesGlb(request.file, model, point.state, result.modes, file.source.files.get());
  } else {
    view::writeModesVtu(request.file, model, point.state, result.modes, file.source.files.get());
  }
  return Outcome::kDone;
}

Outcome exportRun(const ExportRequest& request, const Console& console) {
  RecordSource source;
  const Outcome outcome = findRecord(request.run, console, source);
  if (outcome != Outcome::kDone) return outcome;
  if (source.kind == results::RecordKind::kCsv) {
    refuse("'" + source.file + "' contains no machine", "name the result.h5 of a run, or a model");
  }
  const ViewedFile file = openViewed(source.file, {}, false);
  const std::string ending = endingOf(request.file);
  if (ending == ".csv") {
    exportCsv(request.file, *file.result);
  } else if (ending == ".mat") {
    exportMat(request.file, *file.result);
  } else {
    exportMotion(request, file, console);
  }
  return Outcome::kDone;
}

}  // namespace

Outcome exportResult(const ExportRequest& request, const Console& console) {
  return guard(console, [&] {
    refuseEnding(request);
    const Outcome outcome =
        request.modes ? exportModes(request, console) : exportRun(request, console);
    if (outcome == Outcome::kDone && !console.quiet) *console.text << request.file << '\n';
    return outcome;
  });
}

}  // namespace flexloop::commands
