#include "api/record_source.hpp"

#include <filesystem>
#include <sstream>

#include "base/diagnostics.hpp"

namespace flexloop::api {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResultName = "result.h5";

std::string resultOf(const RunOptions& options) {
  const std::string& directory = options.targets.directory;
  return (fs::path(directory.empty() ? defaultDirectory(options.model.file) : directory) /
          kResultName)
      .string();
}

void refuseOverrides(const io::Overrides& overrides) {
  if (overrides.parameters.empty() && overrides.values.empty()) return;
  throw base::InputError({}, "-p and --set change a model, but this is a record of one",
                         "name the model instead; it is run first");
}

}  // namespace

Outcome findRecord(const RunOptions& options, const Console& console, RecordSource& source) {
  source.file = options.model.file;
  const fs::path inside = fs::path(source.file) / kResultName;
  if (fs::is_directory(source.file) && fs::exists(inside)) source.file = inside.string();
  source.kind = io::findRecordKind(source.file);
  if (source.kind != io::RecordKind::kModel) {
    refuseOverrides(options.model.overrides);
    return Outcome::kDone;
  }
  std::ostringstream summary;  // of the run; only its progress and its mistakes are told
  Console runConsole = console;
  runConsole.text = &summary;
  source = {resultOf(options), io::RecordKind::kResult};
  return run(options, runConsole);
}

}  // namespace flexloop::api
