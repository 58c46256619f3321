#include "language/parameter_uses.hpp"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/units.hpp"
#include "language/parameter_table.hpp"
#include "math/expressions/expression.hpp"

namespace flexloop::language {
namespace {

using Words = std::unordered_set<std::string>;

// Formulas may be written without '=' in some places.
void addWords(const std::string& text, Words& words) {
  std::string word;
  for (const char c : text + " ") {
    if (word.empty() ? math::isNameStart(c) : math::isNamePart(c)) {
      word += c;
    } else if (!word.empty()) {
      words.insert(word);
      word.clear();
    }
  }
}

void addWords(const RawNode& node, Words& words) {
  if (const RawScalar* scalar = node.scalar()) {
    if (findFormula(node) || !base::parseQuantity(scalar->text)) addWords(scalar->text, words);
  } else if (const RawList* list = node.list()) {
    for (const RawNode& entry : *list) addWords(entry, words);
  } else if (const RawMap* map = node.map()) {
    for (const RawEntry& entry : *map) addWords(entry.value, words);
  }
}

// What the model needs outside of its parameters.
Words collectWords(const RawModel& model) {
  Words words;
  for (const auto* node : {&model.title, &model.gravity, &model.formulation, &model.outputs}) {
    if (*node) addWords(**node, words);
  }
  for (const RawSection& section : model.sections) {
    if (section.name == "parameters") continue;
    for (const RawEntry& entry : section.entries) addWords(entry.value, words);
  }
  return words;
}

}  // namespace

void warnOfUnusedParameters(RawModel& model, base::Diagnostics& remarks) {
  const RawSection* parameters = model.findSection("parameters");
  if (parameters == nullptr) return;
  Words used = collectWords(model);
  std::unordered_map<std::string, const RawEntry*> entries;
  for (const RawEntry& entry : parameters->entries) entries.emplace(entry.key, &entry);
  std::vector<std::string> found(used.begin(), used.end());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto entry = entries.find(found[i]);
    if (entry == entries.end()) continue;
    Words needed;
    addWords(entry->second->value, needed);
    for (const std::string& word : needed) {
      if (used.insert(word).second) found.push_back(word);
    }
  }
  for (const RawEntry& entry : parameters->entries) {
    const bool isOwn = entry.place.file == nullptr || *entry.place.file == *model.file;
    if (used.contains(entry.key) || !isOwn) continue;
    remarks.addWarning(entry.place, "parameters." + entry.key + ": nothing uses this parameter",
                       "use it as '= " + entry.key + "', or remove it");
  }
}

}  // namespace flexloop::language
