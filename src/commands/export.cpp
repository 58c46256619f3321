#include <filesystem>
#include <memory>
#include <ostream>

#include "api/analyses.hpp"
#include "base/text_format.hpp"
#include "commands/command.hpp"
#include "commands/mode_options.hpp"
#include "commands/record_source.hpp"
#include "commands/viewed_files.hpp"
#include "files/csv_writer.hpp"
#include "files/mat_file.hpp"
#include "view/data/motion_export.hpp"

namespace flexloop::commands {
namespace {

namespace fs = std::filesystem;

// What a run or the modes look like to other programs.
struct Request {
  api::ModelSource model;    // or a result.h5 or its folder
  std::string file;          // .csv, .mat, .pvd or .glb; of modes .vtu or .glb
  int frames = 500;          // most instants of a motion
  bool modes = false;        // instead of the run
  std::optional<int> count;  // of modes; absent: as the model says
};

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
  if (file.model == nullptr) reject("the machine cannot be rebuilt: " + file.whyNoModel, "");
  return *file.model;
}

using MotionWriter = decltype(view::writeMotionPvd);

void exportMotion(const Request& request, const ViewedFile& file, MotionWriter& write,
                  const Console& console) {
  const view::ResultSource& result = *file.result;
  if (result.nodes().empty()) {
    reject("this run contains no node motions",
           "run the model again with 'record: {frames: true}' under 'analysis: time'");
  }
  if (result.records() == 0) {
    reject("this run has recorded nothing", "it ended before its first record was written");
  }
  if (!fits(modelOf(file), result)) {
    reject("the model does not have the nodes that were recorded", "run it again");
  }
  if (!file.note.empty() && !console.quiet) *console.errors << "note: " << file.note << '\n';
  const std::vector<std::size_t> records =
      view::chooseRecords(result.records(), static_cast<std::size_t>(request.frames));
  if (records.size() < result.records() && !console.quiet) {
    *console.text << base::formatText("%zu of %zu frames; --frames N exports more\n",
                                      records.size(), result.records());
  }
  write(request.file, modelOf(file), result, records, file.source.files.get());
}

// How a run is written: its channels, or the moving machine.
struct RunFormat {
  const char* ending;
  const char* program;  // that reads it, for the hint
  void (*writeChannels)(const std::string& file, const view::ResultSource& result);
  MotionWriter* writeMotion;
};

constexpr RunFormat kRunFormats[] = {{".csv", "", exportCsv, nullptr},
                                     {".mat", "", exportMat, nullptr},
                                     {".pvd", " (ParaView)", nullptr, view::writeMotionPvd},
                                     {".glb", " (glTF)", nullptr, view::writeMotionGlb}};

struct ModeFormat {
  const char* ending;
  const char* program;
  decltype(&view::writeModesVtu) write;
};

constexpr ModeFormat kModeFormats[] = {{".vtu", "", view::writeModesVtu},
                                       {".glb", "", view::writeModesGlb}};

// By the ending of the name. Throws base::InputError.
template <class Format, std::size_t kCount>
const Format& findFormat(const std::string& file, const Format (&formats)[kCount]) {
  const std::string ending = fs::path(file).extension().string();
  std::string known = kCount > 2 ? "one of " : "";
  for (const Format& format : formats) {
    if (ending == format.ending) return format;
    const bool isFirst = &format == &formats[0], isLast = &format == &formats[kCount - 1];
    known += std::string(isFirst ? "" : isLast ? " or " : ", ") + format.ending + format.program;
  }
  reject("'" + file + "' cannot be exported in this format", "end the name with " + known);
}

void exportModes(const Request& request) {
  const ModeFormat& format = findFormat(request.file, kModeFormats);
  const ViewedFile file =
      openViewed(request.model.file, request.model.overrides, false, Boxes::kStart);
  const model::Model& model = modelOf(file);
  analysis::ModeOptions options;
  options.count = request.count.value_or(model.modes().count);
  const analysis::OperatingState point =
      api::findState(model, readOperatingPoint(std::nullopt, "", model));
  const analysis::ModeResult result = api::findModes(model, point.state, options);
  format.write(request.file, model, point.state, result.modes, file.source.files.get());
}

void exportRun(const Request& request, const Console& console) {
  const RunFormat& format = findFormat(request.file, kRunFormats);
  const RecordSource source = findRecord({.model = request.model}, console);
  if (source.kind != results::RecordKind::kResult) {
    reject("'" + source.file + "' contains no machine", "name the result.h5 of a run, or a model");
  }
  const ViewedFile file = openViewed(source.file, {}, false);
  if (format.writeChannels != nullptr) {
    format.writeChannels(request.file, *file.result);
  } else {
    exportMotion(request, file, *format.writeMotion, console);
  }
}

}  // namespace

void declareExport(Call& call) {
  const auto request = std::make_shared<Request>();
  call.stopsGently = true;
  call.add({{"RESULT",
             "",
             "result.h5 of a run, its folder, or a model, which is run first",
             &call.model.file,
             {.isRequired = true}}});
  call.addOverrideOptions();
  call.add({{"-o",
             "FILE",
             ".csv or .mat: channels; .pvd (ParaView) or .glb (glTF): the moving machine",
             &request->file,
             {.isRequired = true}},
            {"--frames",
             "N",
             "largest number of frames (default: 500)",
             &request->frames,
             {.least = 2, .most = 1000000}},
            {"--modes", "", "export modes instead of the run, as .vtu or .glb", &request->modes},
            {"--count",
             "N",
             "number of modes (default: as in the model)",
             &request->count,
             {.least = 1}}});
  call.addQuietOption();
  call.action = [&call, request](const Console& console) {
    request->model = call.model;
    request->modes ? exportModes(*request) : exportRun(*request, console);
    console.print({request->file});
  };
}

}  // namespace flexloop::commands
