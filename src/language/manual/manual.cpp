#include "language/manual/manual.hpp"

#include <cmath>
#include <sstream>

#include "language/error_list.hpp"
#include "language/item_reader.hpp"
#include "language/manual/manual_diagrams.hpp"
#include "language/manual/pages.hpp"
#include "language/unit_name.hpp"

namespace flexloop::language {
namespace {

using system::Parameter;
using system::Registry;
using system::Shape;
using system::TypeEntry;

// A bar would end a cell of a table.
std::string escape(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::string codeOf(const std::string& text) {
  return text.empty() ? std::string() : "`" + text + "`";
}

std::string countOf(const Parameter& parameter) {
  std::vector<std::string> words;
  for (const int count : parameter.counts) words.push_back(std::to_string(count));
  if (words.empty() && parameter.count > 0) words.push_back(std::to_string(parameter.count));
  return words.empty() ? "numbers" : listOf(words) + " numbers";
}

std::string formOf(const Parameter& parameter) {
  std::string words;
  for (const std::string& choice : parameter.choices) {
    words += (words.empty() ? "" : ", ") + codeOf(choice);
  }
  switch (parameter.shape) {
    case Shape::kNumber:
      return "number";
    case Shape::kInteger:
      return "whole number";
    case Shape::kBoolean:
      return "true or false";
    case Shape::kText:
      return parameter.anyDimension ? "number, true, false or text" : "text";
    case Shape::kChoice:
      return words + (parameter.fields.empty() ? "" : ", or a map");
    case Shape::kVector:
      return "[x, y, z]";
    case Shape::kNumbers:
      return countOf(parameter);
    case Shape::kMatrix:
      return "matrix";
    case Shape::kNode:
      return "node";
    case Shape::kNodePair:
      return "[node, node]";
    case Shape::kName:
      return "name from `" + parameter.refersTo + "`";
    case Shape::kSignal:
      return "signal or number";
    case Shape::kSignals:
      return "signals";
    case Shape::kNamedSignals:
      return "signals, or a map of names and signals";
    case Shape::kExpression:
      return "expression";
    case Shape::kMap:
      return "map";
    case Shape::kByName:
      return parameter.fields.front().shape == Shape::kSignals ? "map of names and signals"
                                                               : "map of names and values";
    case Shape::kTexts:
      return "texts";
    case Shape::kChoices:
      return "list of " + words;
    case Shape::kNames:
      return "names from `" + parameter.refersTo + "`";
    case Shape::kNodes:
      return "nodes";
  }
  return {};
}

std::string limitsOf(const Parameter& parameter) {
  std::ostringstream text;
  if (std::isfinite(parameter.lower)) {
    text << (parameter.lowerOpen ? "> " : "≥ ") << parameter.lower;
  }
  if (std::isfinite(parameter.upper)) {
    text << (text.str().empty() ? "" : ", ") << "≤ " << parameter.upper;
  }
  if (parameter.nonZero) text << (text.str().empty() ? "" : ", ") << "not zero";
  return text.str().empty() ? std::string() : " (" + text.str() + ")";
}

std::string defaultOf(const Parameter& parameter) {
  if (parameter.required) return "required";
  if (!parameter.defaultText.empty()) return codeOf(parameter.defaultText);
  return parameter.defaultNote.empty() ? "none" : parameter.defaultNote;
}

void addRows(std::ostream& page, const std::vector<Parameter>& parameters,
             const std::string& prefix) {
  for (const Parameter& parameter : parameters) {
    page << "| `" << prefix << parameter.name << "` | " << escape(formOf(parameter)) << " | "
         << escape(codeOf(unitNameOf(parameter))) << " | " << escape(defaultOf(parameter)) << " | "
         << escape(parameter.doc + limitsOf(parameter)) << " |\n";
    const bool isByName = parameter.shape == Shape::kByName;
    addRows(page, isByName ? parameter.fields.front().fields : parameter.fields,
            prefix + parameter.name + (isByName ? ".NAME." : "."));
  }
}

void addType(std::ostream& page, const TypeEntry& entry) {
  if (!entry.type.empty()) page << "## " << entry.type << "\n\n";
  page << entry.doc << "\n\n";
  if (!entry.parameters.empty()) {
    page << "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n";
    addRows(page, entry.parameters, "");
    page << "\n";
  }
  // Samples are for tests, in general position; they serve where nobody has written an example.
  std::string example(findExample(entry.section, entry.type));
  if (example.empty() && !entry.samples.empty()) example = entry.samples.front();
  if (example.empty()) return;
  page << "```yaml\n" << example << (example.ends_with('\n') ? "" : "\n") << "```\n\n";
}

ManualPage makePage(const std::string& section, const Registry& registry) {
  std::ostringstream page;
  page << "# " << section << "\n\n";
  const bool typed = registry.find(section, "") == nullptr && section != "analysis";
  if (typed) page << "The key `" << typeKeyOf(section) << "` chooses one of the following.\n\n";
  for (const TypeEntry& entry : registry.entries()) {
    if (entry.section == section) addType(page, entry);
  }
  std::string text = page.str();
  while (text.ends_with("\n\n")) text.pop_back();
  return {section + ".md", text};
}

ManualPage makeIndex(const Registry& registry) {
  std::ostringstream page;
  page << "# Reference of the model language\n\n| section | types |\n|---|---|\n";
  for (const std::string& section : registry.sections()) {
    page << "| [" << section << "](" << section << ".md) |";
    for (const std::string& type : registry.typesOf(section)) {
      if (!type.empty()) page << " " << codeOf(type);
    }
    page << " |\n";
    if (section == "blocks") page << "| [diagrams](diagrams.md) | |\n";
  }
  return {"index.md", page.str()};
}

}  // namespace

std::vector<ManualPage> makeManual(const Registry& registry) {
  std::vector<ManualPage> pages{makeIndex(registry)};
  for (const std::string& section : registry.sections()) {
    pages.push_back(makePage(section, registry));
    if (section == "blocks") pages.push_back({"diagrams.md", diagramsPage()});
  }
  return pages;
}

}  // namespace flexloop::language
