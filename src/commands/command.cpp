#include "commands/command.hpp"

#include <filesystem>

#include "files/staged_file.hpp"

namespace flexloop::commands {
namespace {

// Some tables become several files in a folder.
bool isFolder(const std::string& path) {
  std::error_code ignored;
  return path.ends_with('/') || std::filesystem::is_directory(path, ignored);
}

}  // namespace

void Call::rejectOverwriting(const std::string& option, const std::string& written) const {
  std::vector<std::string> read{model.file};
  for (const Option& other : options) {
    if (other.name.starts_with('-')) continue;
    if (auto* const* file = std::get_if<std::string*>(&other.target)) read.push_back(**file);
    if (auto* const* files = std::get_if<std::vector<std::string>*>(&other.target)) {
      read.insert(read.end(), (*files)->begin(), (*files)->end());
    }
  }
  for (const std::string& file : read) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored) ||
        !std::filesystem::equivalent(file, written, ignored)) {
      continue;
    }
    reject(option + " '" + written + "': this is the file that is read", "give another name");
  }
}

void Call::run(const Console& console) const {
  for (const Option& option : options) {
    auto* const* file = std::get_if<std::string*>(&option.target);
    if (!option.rules.isWritten || file == nullptr || (*file)->empty()) continue;
    if (option.name == "--csv" && isFolder(**file)) continue;
    rejectOverwriting(option.name, **file);
    files::requireWritable(**file);
  }
  action(console);
}

void Call::add(const std::vector<Option>& more) {
  options.insert(options.end(), more.begin(), more.end());
}

void Call::addModelOptions() {
  add({{"MODEL", "", "model file", &model.file, {.isRequired = true}}});
  addOverrideOptions();
  addTargetOptions();
}

void Call::addOverrideOptions() {
  add({{"-p",
        "NAME=VALUE",
        "set a parameter of the model",
        &model.overrides.parameters,
        {.isOneByOne = true}},
       {"--set",
        "PATH=VALUE",
        "set any value of the model",
        &model.overrides.values,
        {.isOneByOne = true}}});
}

void Call::addTargetOptions() {
  add({{"--out", "DIR", "results folder (default: out/<model>)", &targets.directory},
       {"--json",
        "FILE",
        "results as JSON; - for standard output",
        &targets.jsonFile,
        {.isWritten = true}},
       {"--csv",
        "FILE",
        "outputs as CSV; - for standard output",
        &targets.csvFile,
        {.isWritten = true}}});
  addQuietOption();
}

void Call::addQuietOption() {
  add({{"--quiet", "", "errors only", &isQuiet}});
}

void Call::addValueOptions(const std::vector<language::OptionHelp>& known,
                           std::vector<language::OptionText>& values) {
  for (const language::OptionHelp& option : known) {
    const auto keep = [&values, name = option.name](const std::string& text) {
      values.push_back({name, text});
    };
    add({{"--" + option.name, "VALUE", option.meaning, keep}});
  }
}

void Call::addFigureOption(const char* name, const char* meaning) {
  add({{name, "FILE", meaning, &targets.figureFile, {.isWritten = true}}});
}

}  // namespace flexloop::commands
