#include "language/overrides.hpp"

#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "language/item_reader.hpp"

namespace flexloop::language {
namespace {

struct Assignment {
  std::vector<std::string> path;
  RawNode value;
  base::Place place;
};

class Overrider {
 public:
  Overrider(const system::Registry& registry, RawModel& model, ErrorList& errors)
      : registry_(registry), model_(model), errors_(errors) {}

  void apply(const std::string& option, const std::string& text) {
    const auto origin = std::make_shared<const std::string>(option + " " + text);
    const base::Place place{origin, 0, 0};
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0) {
      errors_.add(
          place, option == "-p" ? "expected 'name=value'" : "expected 'path=value'",
          option == "-p" ? "for example -p L=0.2" : "for example --set joints.hinge1.locked=true");
      return;
    }
    Assignment assignment{{}, parseYaml(text.substr(sign + 1), origin, errors_, false), place};
    if (assignment.value.place.file == nullptr) assignment.value.place = place;
    const std::string path = trim(text.substr(0, sign));
    assignment.path = option == "-p" ? std::vector<std::string>{"parameters", path} : split(path);
    set(std::move(assignment));
  }

 private:
  static std::string trim(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
  }

  static std::vector<std::string> split(const std::string& path) {
    std::vector<std::string> parts{""};
    for (const char c : path) {
      if (c == '.') {
        parts.emplace_back();
      } else {
        parts.back() += c;
      }
    }
    return parts;
  }

  void set(Assignment assignment) {
    for (const std::string& part : assignment.path) {
      if (part.empty()) {
        errors_.add(assignment.place, "a name is missing in the path",
                    "for example --set joints.hinge1.locked=true");
        return;
      }
    }
    const std::string& first = assignment.path.front();
    if (isSection(first, registry_)) return setInSection(std::move(assignment));
    std::optional<RawNode>* target = first == "title"         ? &model_.title
                                     : first == "gravity"     ? &model_.gravity
                                     : first == "formulation" ? &model_.formulation
                                     : first == "outputs"     ? &model_.outputs
                                                              : nullptr;
    if (first == "flexloop" || first == "include") {
      errors_.add(assignment.place, quote(first) + " cannot be set on the command line",
                  "change it in the file");
    } else if (target == nullptr) {
      errors_.addUnknown(assignment.place, "there is no section " + quote(first) + " to set", first,
                         topLevelWords(registry_));
    } else if (assignment.path.size() > 1) {
      reportDeadEnd(assignment, 0);
    } else if (first == "outputs") {
      const base::Place place = assignment.value.place;
      *target = RawNode{place, asList(std::move(assignment.value))};
    } else {
      *target = std::move(assignment.value);
    }
  }

  void setInSection(Assignment assignment) {
    const std::string& name = assignment.path.front();
    RawSection& section = model_.sectionOf(name, assignment.place);
    if (assignment.path.size() == 1) {
      RawMap* entries = std::get_if<RawMap>(&assignment.value.data);
      if (entries == nullptr) return reportDeadEnd(assignment, 0);
      section.entries = std::move(*entries);
      return;
    }
    RawEntry* entry = findEntry(section.entries, assignment.path[1]);
    const bool isNewThing =
        assignment.path.size() == 2 && name != "parameters" &&
        (assignment.value.map() != nullptr || assignment.value.list() != nullptr);
    if (entry == nullptr && !isNewThing && name != "analysis") {
      return reportUnknown(section, assignment);
    }
    if (entry == nullptr) {
      section.entries.push_back({assignment.path[1], assignment.place, {assignment.place, {}}});
      entry = &section.entries.back();
    }
    if (assignment.path.size() > 2) expandShortForm(name, entry->value);
    if (!hasItems(name) && !isThereInside(entry->value, assignment)) return;
    if (name == "assemblies" && assignment.path.size() > 4) {
      expandShortForm(assignment.path[2], findInside(entry->value, assignment)->value);
    }
    setInside(entry->value, std::move(assignment));
  }

  // The thing `assemblies.leg.nodes.foot` of a path inside an assembly, or null.
  static RawEntry* findInside(RawNode& group, const Assignment& assignment) {
    RawMap* map = std::get_if<RawMap>(&group.data);
    RawEntry* part = map != nullptr ? findEntry(*map, assignment.path[2]) : nullptr;
    RawMap* known = part != nullptr ? std::get_if<RawMap>(&part->value.data) : nullptr;
    return known != nullptr ? findEntry(*known, assignment.path[3]) : nullptr;
  }

  // What is inside a diagram or an assembly has names too, and a slip of the pen is no new one.
  bool isThereInside(RawNode& group, const Assignment& assignment) {
    const std::vector<std::string>& path = assignment.path;
    const bool isNamed = path[0] == "assemblies" || (path.size() > 2 && path[2] == "blocks") ||
                         (path.size() > 2 && path[2] == "parameters");
    if (path.size() < 4 || !isNamed || findInside(group, assignment) != nullptr) return true;
    const bool isWhole = assignment.value.map() != nullptr || assignment.value.list() != nullptr;
    if (path[2] != "parameters" && path.size() == 4 && isWhole) return true;
    const RawMap* map = group.map();
    const RawEntry* part = map != nullptr ? findEntry(*map, path[2]) : nullptr;
    std::vector<std::string> names;
    if (part != nullptr && part->value.map() != nullptr) {
      for (const RawEntry& entry : *part->value.map()) names.push_back(entry.key);
    }
    errors_.addUnknown(
        assignment.place,
        "there is no " + quote(path[3]) + " in " + path[0] + "." + path[1] + "." + path[2], path[3],
        names);
    return false;
  }

  // The place of an entry of a list, counted from 1.
  static std::optional<std::size_t> readPlace(const std::string& word) {
    std::size_t place = 0;
    const char* end = word.data() + word.size();
    const auto [last, status] = std::from_chars(word.data(), end, place);
    return status == std::errc() && last == end ? std::optional(place) : std::nullopt;
  }

  void setInside(RawNode& item, Assignment assignment) {
    RawNode* target = &item;
    for (std::size_t i = 2; i < assignment.path.size(); ++i) {
      if (target->isNull()) target->data = RawMap();
      if (auto* list = std::get_if<RawList>(&target->data)) {
        const std::optional<std::size_t> place = readPlace(assignment.path[i]);
        if (!place) return reportDeadEnd(assignment, i - 1);
        if (*place < 1 || *place > list->size()) {
          return reportOutside(assignment, i - 1, list->size());
        }
        target = &(*list)[*place - 1];
        continue;
      }
      RawMap* map = std::get_if<RawMap>(&target->data);
      if (map == nullptr) return reportDeadEnd(assignment, i - 1);
      RawEntry* entry = findEntry(*map, assignment.path[i]);
      if (entry == nullptr) {
        map->push_back({assignment.path[i], assignment.place, {assignment.place, {}}});
        entry = &map->back();
      }
      target = &entry->value;
    }
    *target = std::move(assignment.value);
  }

  void reportUnknown(const RawSection& section, const Assignment& assignment) {
    std::vector<std::string> names;
    for (const RawEntry& entry : section.entries) names.push_back(entry.key);
    const std::string& name = assignment.path[1];
    errors_.addUnknown(assignment.place,
                       section.name == "parameters"
                           ? "there is no parameter " + quote(name)
                           : "there is no " + quote(name) + " in " + section.name,
                       name, names);
  }

  static std::string pathUntil(const Assignment& assignment, std::size_t last) {
    std::string path;
    for (std::size_t i = 0; i <= last; ++i) path += (i > 0 ? "." : "") + assignment.path[i];
    return path;
  }

  void reportOutside(const Assignment& assignment, std::size_t last, std::size_t size) {
    const std::string path = pathUntil(assignment, last);
    errors_.add(assignment.place,
                quote(path) + " has no entry " + quote(assignment.path[last + 1]) + ": it has " +
                    std::to_string(size) + ", counted from 1",
                "for example --set " + path + ".1=…");
  }

  void reportDeadEnd(const Assignment& assignment, std::size_t last) {
    const std::string path = pathUntil(assignment, last);
    errors_.add(assignment.place, quote(path) + " has no named entries",
                "set all of " + quote(path) + " at once");
  }

  const system::Registry& registry_;
  RawModel& model_;
  ErrorList& errors_;
};

}  // namespace

void applyOverrides(const Overrides& overrides, const system::Registry& registry, RawModel& model,
                    ErrorList& errors) {
  Overrider overrider(registry, model, errors);
  for (const std::string& text : overrides.values) overrider.apply("--set", text);
  for (const std::string& text : overrides.parameters) overrider.apply("-p", text);
}

}  // namespace flexloop::language
