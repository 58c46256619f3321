#include "language/manual/topics.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/nearest_word.hpp"
#include "base/text_format.hpp"
#include "base/units.hpp"
#include "language/item_reader.hpp"
#include "language/manual/manual.hpp"
#include "language/manual/pages.hpp"

namespace flexloop::language {
namespace {

constexpr std::string_view kFolder = "docs/manual/";
constexpr std::string_view kReference = "reference/";

std::string toLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool isWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether a word of `text` begins with `word`; both in lower case.
bool hasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    if (at == 0 || !isWordPart(text[at - 1]) || !isWordPart(word.front())) return true;
  }
  return false;
}

std::vector<std::string> splitWords(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(toLower(word));
  return words;
}

bool hasAll(const std::string& text, const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const auto& word) { return hasWord(text, word); });
}

// `units` of `docs/manual/units.md`.
std::string pageName(std::string_view path) {
  path.remove_prefix(std::min(path.size(), path.starts_with(kFolder) ? kFolder.size() : 0));
  return std::string(path.substr(0, path.rfind('.')));
}

std::string unitText(const std::string& symbol) {
  const base::Result<base::Unit> unit = base::parseUnit(symbol);
  if (symbol.empty() || !unit.hasValue()) return {};
  return "## " + symbol + "\n\nThe unit of " + base::describe(unit.value().dimension) + ": 1 " +
         symbol + " is " + base::numberText(unit.value().numerator / unit.value().denominator) +
         " in SI. More about units: flexloop help units\n";
}

}  // namespace

TopicIndex::TopicIndex(const system::Registry& registry) : registry_(registry) {
  for (const StoredPage& page : storedPages()) {
    if (page.path.starts_with(kFolder)) addPage(pageName(page.path), page.text);
  }
  for (const ManualPage& page : makeManual(registry)) {
    addPage(std::string(kReference) + pageName(page.filename), page.text);
  }
}

void TopicIndex::addPage(const std::string& page, std::string_view text) {
  bool isCode = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line.starts_with("```")) isCode = !isCode;
    if (!isCode && line.starts_with("#")) {
      const std::string_view heading = line.substr(line.find_first_not_of("# "));
      topics_.push_back({page, std::string(heading.substr(0, heading.find('\n'))), {}});
    }
    if (!topics_.empty()) topics_.back().text += line;
  }
}

std::string TopicIndex::findNamed(const std::string& words) const {
  const std::string lower = toLower(words);
  const std::string text = findEntries(lower) + findPage(lower);
  return text.empty() ? unitText(words) : text;
}

// A type has its own heading on the page of its section; a section that needs no types has the whole page.
std::string TopicIndex::findEntries(const std::string& words) const {
  std::string text;
  for (const Topic& topic : topics_) {
    if (!topic.page.starts_with(kReference)) continue;
    const std::string section = topic.page.substr(kReference.size());
    if (section == "index" || section == "diagrams") continue;
    const bool isType = registry_.find(section, topic.heading) != nullptr;
    if (!isType) continue;
    for (const char* between : {".", " "}) {
      if (words == section + between + topic.heading) return topic.text;
    }
    if (words != topic.heading) continue;
    text +=
        "# " + section + ": " + topic.heading + "\n" + topic.text.substr(topic.text.find('\n') + 1);
  }
  return text;
}

std::string TopicIndex::findPage(const std::string& words) const {
  std::string name;
  for (const Topic& topic : topics_) {
    const bool isNamed = topic.page == words || topic.page == std::string(kReference) + words;
    const bool isTitle = topic.text.starts_with("# ") && toLower(topic.heading) == words;
    if (isNamed || isTitle) name = topic.page;
    if (!name.empty()) break;
  }
  if (name.empty()) return {};
  std::string text;
  const bool isTyped = name.starts_with(kReference) &&
                       registry_.find(name.substr(kReference.size()), "") == nullptr &&
                       registry_.hasSection(name.substr(kReference.size()));
  for (const Topic& topic : topics_) {
    if (topic.page != name) continue;
    // Of a section with many types their first sentences; each is a topic of its own.
    text += !isTyped || text.empty() ? topic.text : "";
  }
  if (!isTyped) return text;
  for (const system::TypeEntry& entry : registry_.entries()) {
    if (entry.section == name.substr(kReference.size())) {
      text += "| " + entry.type + " | " + entry.doc.substr(0, entry.doc.find(". ")) + " |\n";
    }
  }
  return text;
}

std::string TopicIndex::findKeys(const std::string& word) const {
  std::string rows;
  for (const system::TypeEntry& entry : registry_.entries()) {
    for (const system::Parameter& parameter : entry.parameters) {
      if (parameter.name != word) continue;
      rows += "| " + entry.section + (entry.type.empty() ? "" : "." + entry.type) + " | " +
              parameter.doc + " |\n";
    }
  }
  return rows.empty() ? rows : "# " + word + "\n\nA key of\n\n" + rows;
}

std::vector<const Topic*> TopicIndex::findHeadings(const std::string& words) const {
  std::vector<const Topic*> found;
  for (const Topic& topic : topics_) {
    if (hasAll(toLower(topic.heading), splitWords(words))) found.push_back(&topic);
  }
  return found;
}

std::vector<const Topic*> TopicIndex::findTexts(const std::string& words) const {
  std::vector<const Topic*> found;
  for (const Topic& topic : topics_) {
    if (hasAll(toLower(topic.text), splitWords(words))) found.push_back(&topic);
  }
  return found;
}

std::optional<std::string> TopicIndex::findNearest(const std::string& words) const {
  std::vector<std::string> known;
  for (const system::TypeEntry& entry : registry_.entries()) {
    known.push_back(entry.type.empty() ? entry.section : entry.type);
    known.push_back(entry.section);
    for (const system::Parameter& parameter : entry.parameters) known.push_back(parameter.name);
  }
  for (const Topic& topic : topics_) {
    if (!topic.page.starts_with(kReference)) known.push_back(topic.page);
    for (const std::string& word : splitWords(topic.heading)) known.push_back(word);
  }
  return base::findNearestWord(toLower(words), known);
}

std::string TopicIndex::contents() const {
  std::string text;
  for (const Topic& topic : topics_) {
    if (!topic.text.starts_with("# ") || topic.page.ends_with("index")) continue;
    const bool isReference = topic.page.starts_with(kReference);
    const std::string name = isReference ? topic.page.substr(kReference.size()) : topic.page;
    std::string types;
    for (const std::string& type :
         isReference ? registry_.typesOf(name) : std::vector<std::string>()) {
      types += (types.empty() || type.empty() ? "" : ", ") + type;
    }
    text += "| " + name + " | " + (isReference ? types : topic.heading) + " |\n";
  }
  return text;
}

}  // namespace flexloop::language
