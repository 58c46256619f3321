#include "commands/record_source.hpp"

#include <filesystem>
#include <ostream>
#include <sstream>

#include "base/diagnostics.hpp"
#include "files/output_file.hpp"

namespace flexloop::commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResultName = "result.h5";

std::string resultOf(const RunRequest& request) {
  const std::string& directory = request.targets.directory;
  return (fs::path(directory.empty() ? defaultDirectory(request.model.file) : directory) /
          kResultName)
      .string();
}

void rejectOverrides(const language::Overrides& overrides) {
  if (overrides.parameters.empty() && overrides.values.empty()) return;
  throw base::InputError({}, "-p and --set apply to models, but this is a record",
                         "give the model instead; it is run first");
}

// In a folder the result of its run; of one in progress or cut off, what there is of it.
std::string findResult(const std::string& name, const Console& console) {
  std::string result = fs::is_directory(name) ? (fs::path(name) / kResultName).string() : name;
  const std::string partial = files::partialName(result);
  std::error_code ignored;
  const bool hasResult = fs::exists(result, ignored), hasPartial = fs::exists(partial, ignored);
  if (!hasResult) return hasPartial ? partial : name;
  if (hasPartial && !console.quiet &&
      fs::last_write_time(partial, ignored) > fs::last_write_time(result, ignored)) {
    *console.errors << "warning: a later run did not finish; its results so far are in " << partial
                    << '\n';
  }
  return result;
}

}  // namespace

RecordSource findRecord(const RunRequest& request, const Console& console) {
  const std::string file = findResult(request.model.file, console);
  const results::RecordKind kind = results::findRecordKind(file);
  if (kind != results::RecordKind::kModel) {
    rejectOverrides(request.model.overrides);
    return {file, kind};
  }
  std::ostringstream summary;  // of the run; only its progress and its mistakes are printed
  Console runConsole = console;
  runConsole.text = &summary;
  run(request, runConsole);
  return {resultOf(request), results::RecordKind::kResult};
}

}  // namespace flexloop::commands
