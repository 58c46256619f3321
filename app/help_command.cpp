// The command `help`.
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"
#include "commands/help.hpp"

namespace flexloop::app {

void addHelpCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command = *program.add_subcommand("help", "prints what the manual says about a word");
  auto words = std::make_shared<std::vector<std::string>>();
  command.add_option("TOPIC", *words,
                     "a type, key, unit, page or words of the manual (a list of all)");
  command.callback([words, &line] {
    line.action = [words](const CommandLine&, const commands::Console& console) {
      std::string topic;
      for (const std::string& word : *words) topic += (topic.empty() ? "" : " ") + word;
      return commands::help(topic, console);
    };
  });
}

}  // namespace flexloop::app
