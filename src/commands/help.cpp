// What the manual says about a word.
#include <algorithm>
#include <memory>
#include <ostream>

#include "api/registry.hpp"
#include "commands/command.hpp"
#include "language/manual/plain_page.hpp"
#include "language/manual/topics.hpp"

namespace flexloop::commands {
namespace {

using language::Topic;

constexpr std::size_t kWidth = 100;
constexpr std::size_t kMostSections = 3;  // that are printed in full; of more, the headings
constexpr std::size_t kMostHeadings = 20;

void print(const Console& console, std::string_view markdown) {
  *console.text << language::makePlainPage(markdown, kWidth);
}

std::string nameOf(const Topic& topic) {
  return topic.page + (topic.text.starts_with("# ") ? "" : ": " + topic.heading);
}

void printFound(const std::vector<const Topic*>& found, const std::string& topic,
                const Console& console) {
  if (found.size() <= kMostSections) {
    for (const Topic* section : found) {
      *console.text << "[" << section->page << "]\n";
      print(console, section->text);
      *console.text << '\n';
    }
    return;
  }
  *console.text << "'" << topic << "' is in " << found.size() << " places of the manual:\n";
  for (std::size_t i = 0; i < std::min(found.size(), kMostHeadings); ++i) {
    *console.text << "  " << nameOf(*found[i]) << '\n';
  }
  if (found.size() > kMostHeadings) *console.text << "  …\n";
  *console.text << "Print one with 'flexloop help' and its heading, or a page with its name.\n";
}

void help(const std::string& topic, const Console& console) {
  const system::Registry registry = api::makeRegistry();
  const language::TopicIndex index(registry);
  if (topic.empty()) {
    *console.text << "'flexloop help TOPIC' prints what the manual says about a type, a key, a "
                     "unit, a page "
                     "or a word.\n'flexloop COMMAND --help' lists the options of a command.\n\n";
    print(console, index.contents());
    return;
  }
  if (const std::string named = index.findNamed(topic); !named.empty()) {
    print(console, named);
    return;
  }
  const std::string keys = index.findKeys(topic);
  std::vector<const Topic*> found = index.findHeadings(topic);
  if (found.empty()) found = index.findTexts(topic);
  if (keys.empty() && found.empty()) {
    const std::optional<std::string> nearest = index.findNearest(topic);
    reject("the manual says nothing about '" + topic + "'",
           nearest ? "did you mean '" + *nearest + "'?" : "'flexloop help' lists its pages");
  }
  print(console, keys);
  if (!keys.empty() && !found.empty()) *console.text << '\n';
  if (!found.empty()) printFound(found, topic, console);
}

}  // namespace

void declareHelp(Call& call) {
  const auto words = std::make_shared<std::vector<std::string>>();
  call.add({{"TOPIC", "", "a type, key, unit, page or words of the manual (a list of all)",
             words.get()}});
  call.action = [words](const Console& console) {
    std::string topic;
    for (const std::string& word : *words) topic += (topic.empty() ? "" : " ") + word;
    help(topic, console);
  };
}

}  // namespace flexloop::commands
