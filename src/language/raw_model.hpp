// A model file and what it includes, merged into one tree, section by section.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/error_list.hpp"
#include "language/yaml/yaml_tree.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

struct RawSection {
  std::string name;
  base::Place place;
  RawMap entries;
};

struct RawModel {
  std::shared_ptr<const std::string> file;
  std::optional<RawNode> title;
  std::optional<RawNode> gravity;
  std::optional<RawNode> formulation;
  std::optional<RawNode> outputs;  // a list; those of all files
  // With the parameters, the diagrams and the assemblies; in the order in which they first appear.
  std::vector<RawSection> sections;

  // Names in sections that are misspelt: to refer to one is no second mistake.
  std::vector<std::string> forgivenNames;

  RawSection* findSection(std::string_view name);
  RawSection& sectionOf(std::string_view name, const base::Place& place);  // made if absent
};

// Whether a word at the left margin has entries with names below it.
bool isSection(std::string_view word, const system::Registry& registry);

// Whether the entries of a section are items of the model, and not definitions that others use.
bool hasItems(std::string_view section);

// The keys at the left margin of a model file, in the order of the manual.
std::vector<std::string> topLevelWords(const system::Registry& registry);

// The entries of a list as written, of a single value as a list of one, of nothing as none.
RawList asList(RawNode node);

// A file that cannot be read or is no YAML ends the reading with base::InputError; other mistakes
// are collected.
RawModel readRawFile(const std::string& path, const system::Registry& registry, ErrorList& errors);
RawModel readRawText(const std::string& text, const std::string& name,
                     const system::Registry& registry, ErrorList& errors);

}  // namespace flexloop::language
