// What the manual says about a word: reference entries, pages, their sections, keys and units.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/registry.hpp"

namespace flexloop::language {

// The part of the manual under one heading.
struct Topic {
  std::string page;     // `units`, `reference/joints`
  std::string heading;  // `Symbols`; that of the page itself for what comes first
  std::string text;     // Markdown, with its heading
};

class TopicIndex {
 public:
  explicit TopicIndex(const system::Registry& registry);

  // What `words` names: a type (also as `joints.hinge`), a section, a page or a unit. Markdown; empty if it names
  // nothing.
  std::string findNamed(const std::string& words) const;
  // The types that have this key, in Markdown; empty if none has.
  std::string findKeys(const std::string& word) const;
  // Sections with all words in their heading, or else those with all words in their text.
  std::vector<const Topic*> findHeadings(const std::string& words) const;
  std::vector<const Topic*> findTexts(const std::string& words) const;
  // The word of the manual that was probably meant.
  std::optional<std::string> findNearest(const std::string& words) const;
  // All pages with their headings.
  std::string contents() const;

 private:
  void addPage(const std::string& page, std::string_view text);
  std::string findEntries(const std::string& words) const;
  std::string findPage(const std::string& words) const;

  const system::Registry& registry_;
  std::vector<Topic> topics_;
};

}  // namespace flexloop::language
