#include <filesystem>
#include <ostream>

#include "commands/commands.hpp"
#include "commands/guard.hpp"
#include "commands/record_source.hpp"
#include "files/output_file.hpp"
#include "language/option_text.hpp"
#include "reports/charts/picture_file.hpp"
#include "reports/plot_figure.hpp"
#include "results/record_part.hpp"

namespace flexloop::commands {
namespace {

namespace fs = std::filesystem;

// A result is called after its folder, which is called after its model.
std::string nameOf(const std::string& file) {
  const fs::path path = fs::absolute(file);
  const bool isNamedAfterFolder =
      path.filename() == "result.h5" || path.filename() == files::partialName("result.h5");
  return (isNamedAfterFolder ? path.parent_path().filename() : path.stem()).string();
}

reports::PlotRecord select(const PlotRequest& request, const results::RecordLimits& limits,
                           const RecordSource& source, reports::PlotAxis& axis) {
  const analysis::TimeRecord all = results::readRecordFile(source.file, source.kind);
  reports::PlotRecord plot{
      nameOf(source.file), results::selectPart(all, request.channels, limits, source.file), {}};
  if (request.over.empty()) return plot;
  analysis::TimeRecord over = results::selectPart(all, {request.over}, limits, source.file);
  if (over.names.size() != 1) {
    throw base::InputError({}, "--over " + request.over + " names several channels",
                           "choose one: " + language::listOf(over.names));
  }
  axis = {over.names.front(), over.units.front()};
  plot.over = std::move(over.columns.front());
  return plot;
}

std::string defaultFile(const RecordSource& source) {
  return (fs::path(source.file).parent_path() / "plot.svg").string();
}

Outcome execute(const PlotRequest& request, const Console& console) {
  if (!request.file.empty()) reports::checkPictureName(request.file);
  const results::RecordLimits limits = results::readLimits(
      language::readOptions(request.limits, results::limitParameters(), "plot"));
  std::vector<reports::PlotRecord> records;
  reports::PlotAxis axis;
  std::string file = request.file;
  for (const std::string& name : request.records) {
    RunOptions options = request.run;
    options.model.file = name;
    RecordSource source;
    const Outcome outcome = findRecord(options, console, source);
    if (outcome != Outcome::kDone) return outcome;
    records.push_back(select(request, limits, source, axis));
    if (file.empty()) file = defaultFile(source);
  }
  const std::string title = request.title.value_or(records.size() == 1 ? records[0].name : "");
  reports::writePicture(file,
                        reports::drawSvgColumn(reports::makePlotCharts(records, axis, title)));
  if (!console.quiet && file != "-") *console.text << file << '\n';
  return Outcome::kDone;
}

}  // namespace

Outcome plot(const PlotRequest& request, const Console& console) {
  return guard(console, [&] { return execute(request, console); });
}

}  // namespace flexloop::commands
