#include <filesystem>
#include <ostream>

#include "api/commands.hpp"
#include "api/guard.hpp"
#include "api/record_source.hpp"
#include "io/option_text.hpp"
#include "io/output_file.hpp"
#include "io/picture_file.hpp"
#include "io/plot_figure.hpp"
#include "io/record_part.hpp"

namespace flexloop::api {
namespace {

namespace fs = std::filesystem;

// A result is called after its folder, which is called after its model.
std::string nameOf(const std::string& file) {
  const fs::path path = fs::absolute(file);
  const bool isNamedAfterFolder =
      path.filename() == "result.h5" || path.filename() == io::partialName("result.h5");
  return (isNamedAfterFolder ? path.parent_path().filename() : path.stem()).string();
}

io::PlotRecord select(const PlotRequest& request, const io::RecordLimits& limits,
                      const RecordSource& source, io::PlotAxis& axis) {
  const analysis::TimeRecord all = io::readRecordFile(source.file, source.kind);
  io::PlotRecord plot{
      nameOf(source.file), io::selectPart(all, request.channels, limits, source.file), {}};
  if (request.over.empty()) return plot;
  analysis::TimeRecord over = io::selectPart(all, {request.over}, limits, source.file);
  if (over.names.size() != 1) {
    throw base::InputError({}, "--over " + request.over + " names several channels",
                           "choose one: " + io::listOf(over.names));
  }
  axis = {over.names.front(), over.units.front()};
  plot.over = std::move(over.columns.front());
  return plot;
}

std::string defaultFile(const RecordSource& source) {
  return (fs::path(source.file).parent_path() / "plot.svg").string();
}

Outcome execute(const PlotRequest& request, const Console& console) {
  if (!request.file.empty()) io::checkPictureName(request.file);
  const io::RecordLimits limits =
      io::readLimits(io::readOptions(request.limits, io::limitParameters(), "plot"));
  std::vector<io::PlotRecord> records;
  io::PlotAxis axis;
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
  io::writePicture(file, io::drawSvgColumn(io::makePlotCharts(records, axis, title)));
  if (!console.quiet && file != "-") *console.text << file << '\n';
  return Outcome::kDone;
}

}  // namespace

Outcome plot(const PlotRequest& request, const Console& console) {
  return guard(console, [&] { return execute(request, console); });
}

}  // namespace flexloop::api
