// Files of other programs as models.
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>

#include "api/failed.hpp"
#include "base/file_text.hpp"
#include "commands/command.hpp"
#include "files/csv_writer.hpp"
#include "files/output_file.hpp"
#include "language/convert/mjcf_reader.hpp"
#include "language/convert/urdf_reader.hpp"
#include "results/record_file.hpp"

namespace flexloop::commands {
namespace {

namespace fs = std::filesystem;

struct Request {
  std::string source, file;
  language::RobotOptions options;
};

// Meshes are written relative to the model, so that both can be moved together.
void placeMeshes(language::Robot& robot, const std::string& file) {
  std::error_code ignored;
  const fs::path folder =
      file == "-" ? fs::current_path(ignored) : fs::absolute(file, ignored).parent_path();
  for (language::RobotLink& link : robot.links) {
    if (!link.shape || link.shape->file.empty()) continue;
    const fs::path mesh = fs::absolute(link.shape->file, ignored).lexically_normal();
    const fs::path relative = mesh.lexically_relative(folder.lexically_normal());
    link.shape->file = (relative.empty() ? mesh : relative).string();
  }
}

std::string nameOf(const Request& request, const char* ending) {
  return request.file.empty() ? fs::path(request.source).stem().string() + ending : request.file;
}

// Records of other programs as CSV, in SI.
void convertRecord(const Request& request, results::RecordKind kind, const Console& console) {
  const analysis::TimeRecord record = results::readRecordFile(request.source, kind);
  const std::string file = nameOf(request, ".csv");
  if (!file.ends_with(".csv") && file != "-") {
    reject("a record becomes CSV, and '" + file + "' has another ending", "add '-o FILE.csv'");
  }
  if (request.options.isFree || request.options.weld) {
    reject("--free and --weld belong to robots", "remove them");
  }
  // Times may be there twice, where a signal jumps.
  for (std::size_t k = 0; k < record.times.size(); ++k) {
    if (std::isfinite(record.times[k])) continue;
    reject("'" + request.source + "': time " + std::to_string(k + 1) + " is not a number",
           "is the file damaged, or from another program?");
  }
  files::CsvWriter writer(file, record.names);
  std::vector<double> row(record.names.size());
  for (std::size_t k = 0; k < record.times.size(); ++k) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = record.columns[i][k];
    writer.write(record.times[k], row);
  }
  writer.close();
  if (file != "-") console.print({file});
}

// Both may be called .xml.
language::Robot readRobot(const std::string& text, const Request& request) {
  if (!language::isMjcf(text, request.source)) return language::readUrdf(text, request.source);
  if (request.options.isFree) {
    reject("--free belongs to URDF", "in MJCF, a body is free by a joint of type 'free'");
  }
  return language::readMjcf(text, request.source);
}

void convertRobot(const Request& request, const Console& console) {
  const auto text = base::readFileText(request.source);
  if (!text) throw api::Failed(text.failure());
  language::Robot robot = readRobot(text.value(), request);
  const std::string file = nameOf(request, ".yaml");
  placeMeshes(robot, file);
  files::writeTextFile(file, language::writeRobotModel(robot, request.options));
  if (!console.quiet) {
    for (const std::string& note : robot.notes) *console.errors << "note: " << note << '\n';
  }
  if (file != "-") console.print({file});
}

void convert(const Request& request, const Console& console) {
  const std::string ending = fs::path(request.source).extension().string();
  if (ending == ".urdf" || ending == ".xml" || ending == ".mjcf")
    return convertRobot(request, console);
  const results::RecordKind kind = results::findRecordKind(request.source);
  if (kind == results::RecordKind::kModel || kind == results::RecordKind::kResult) {
    reject("'" + request.source + "' is a file of Flexloop",
           "'flexloop export' writes files for other programs");
  }
  convertRecord(request, kind, console);
}

}  // namespace

void declareConvert(Call& call) {
  const auto request = std::make_shared<Request>();
  call.add(
      {{"FILE",
        "",
        "a robot (.urdf, or MJCF as .xml), or a record of another program (.mat, .out, .outb, "
        ".csv)",
        &request->source,
        {.isRequired = true}},
       {"-o",
        "FILE",
        "the model, or the record as CSV (default: FILE.yaml or FILE.csv in this folder)",
        &request->file,
        {.isWritten = true}},
       {"--free", "", "the root link may move; otherwise it is fixed to ground",
        &request->options.isFree},
       {"--weld", "", "links on fixed joints keep nodes of their own", &request->options.weld}});
  call.addQuietOption();
  call.action = [request](const Console& console) { convert(*request, console); };
}

}  // namespace flexloop::commands
