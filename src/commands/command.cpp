#include "commands/command.hpp"

namespace flexloop::commands {

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
       {"--json", "FILE", "results as JSON; - for standard output", &targets.jsonFile},
       {"--csv", "FILE", "outputs as CSV; - for standard output", &targets.csvFile}});
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
  add({{name, "FILE", meaning, &targets.figureFile}});
}

}  // namespace flexloop::commands
