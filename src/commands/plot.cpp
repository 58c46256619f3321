#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "base/diagnostics.hpp"
#include "commands/command.hpp"
#include "commands/record_source.hpp"
#include "files/output_file.hpp"
#include "reports/charts/picture_file.hpp"
#include "reports/plot_figure.hpp"
#include "results/record_part.hpp"

namespace flexloop::commands {
namespace {

namespace fs = std::filesystem;

// A figure of recorded channels.
struct Request {
  std::vector<std::string> more;             // records in the same figure
  std::vector<std::string> channels;         // empty: all
  std::string over;                          // a channel instead of the time; empty: the time
  std::vector<language::OptionText> limits;  // from, to
  std::optional<std::string> title;
  std::vector<std::string> renames;  // OTHER=NAME, as other programs call a channel
};

// In every record that has such a channel.
void rename(const std::vector<std::string>& renames, analysis::TimeRecord& record) {
  for (const std::string& text : renames) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
      reject("--rename '" + text + "' is not OTHER=NAME", "as in '--rename RotSpeed=rotor.rate'");
    }
    const auto channel =
        std::find(record.names.begin(), record.names.end(), text.substr(0, equals));
    if (channel != record.names.end()) *channel = text.substr(equals + 1);
  }
}

// A result is called after its folder, which is called after its model.
std::string nameOf(const std::string& file) {
  const fs::path path = fs::absolute(file);
  const bool isNamedAfterFolder =
      path.filename() == "result.h5" || path.filename() == files::partialName("result.h5");
  return (isNamedAfterFolder ? path.parent_path().filename() : path.stem()).string();
}

reports::PlotRecord select(const Request& request, const results::RecordLimits& limits,
                           const RecordSource& source, reports::PlotAxis& axis) {
  analysis::TimeRecord all = results::readRecordFile(source.file, source.kind);
  rename(request.renames, all);
  reports::PlotRecord plot{
      nameOf(source.file), results::selectPart(all, request.channels, limits, source.file), {}};
  if (request.over.empty()) return plot;
  analysis::TimeRecord over = results::selectPart(all, {request.over}, limits, source.file);
  if (over.names.size() != 1) {
    reject("--over " + request.over + " names several channels",
           "choose one: " + language::listOf(over.names));
  }
  axis = {over.names.front(), over.units.front()};
  plot.over = std::move(over.columns.front());
  return plot;
}

void plot(const Request& request, const api::ModelSource& record, std::string file,
          const Console& console) {
  if (!file.empty()) reports::checkPictureName(file);
  const results::RecordLimits limits = results::readLimits(
      language::readOptions(request.limits, results::limitParameters(), "plot"));
  std::vector<std::string> names{record.file};
  names.insert(names.end(), request.more.begin(), request.more.end());
  std::vector<reports::PlotRecord> records;
  reports::PlotAxis axis;
  for (const std::string& name : names) {
    const RecordSource source =
        findRecord({.model = {.file = name, .overrides = record.overrides}}, console);
    records.push_back(select(request, limits, source, axis));
    if (file.empty()) file = (fs::path(source.file).parent_path() / "plot.svg").string();
  }
  const std::string title = request.title.value_or(records.size() == 1 ? records[0].name : "");
  reports::writePicture(file,
                        reports::drawSvgColumn(reports::makePlotCharts(records, axis, title)));
  if (file != "-") console.print({file});
}

}  // namespace

void declarePlot(Call& call) {
  const auto request = std::make_shared<Request>();
  call.stopsGently = true;
  call.add({{"RECORD",
             "",
             "result.h5 or CSV of a run, its folder, a record of another program, or a model, "
             "which is run first",
             &call.model.file,
             {.isRequired = true}},
            {"CHANNEL", "", "outputs to plot, such as theta1 hand *.x (default: all)",
             &request->channels}});
  call.addOverrideOptions();
  call.addFigureOption("-o",
                       "output file: .svg, .png or .pdf (default: plot.svg next to the result)");
  call.add({{"--over", "CHANNEL", "plot over this channel instead of time", &request->over},
            {"--with",
             "RECORD",
             "plot another record in the same figure",
             &request->more,
             {.isOneByOne = true}},
            {"--rename",
             "OTHER=NAME",
             "a channel that another program calls OTHER is that called NAME",
             &request->renames,
             {.isOneByOne = true}}});
  const auto limit = [request](const char* name) {
    return [request, name](const std::string& text) { request->limits.push_back({name, text}); };
  };
  call.add({{"--from", "TIME", "start of the plotted interval", limit("from")},
            {"--to", "TIME", "end of the plotted interval", limit("to")},
            {"--title", "TEXT", "title of the figure (default: the name of the result)",
             &request->title}});
  call.addQuietOption();
  call.action = [&call, request](const Console& console) {
    plot(*request, call.model, call.targets.figureFile, console);
  };
}

}  // namespace flexloop::commands
