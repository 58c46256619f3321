#include "language/raw_model.hpp"

#include <filesystem>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/file_text.hpp"
#include "language/source_reader.hpp"

namespace flexloop::language {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersion = "1";
constexpr std::size_t kDeepestInclude = 100;
constexpr const char* kVersionHint =
    "write 'flexloop: 1' in the first line; 1 is the version of the model language";

class FileMerger {
 public:
  // Without stored files, those on disk.
  FileMerger(const system::Registry& registry, ErrorList& errors,
             const model::SourceFiles* stored = nullptr)
      : registry_(registry), errors_(errors), stored_(stored) {}

  void addFile(const std::string& path, const std::string& name, const base::Place& from) {
    const std::string identity = stored_ != nullptr ? name : identityOf(path);
    if (open_.contains(identity)) {
      errors_.add(from, "the file " + quote(path) + " includes itself, directly or through others",
                  "remove one 'include'");
      return;
    }
    if (open_.size() >= kDeepestInclude) {
      errors_.add(from, "includes are nested too deeply", "include all files from the first one");
      return;
    }
    // Two files may both include a third one with common materials: it counts once.
    if (!done_.insert(identity).second || isRepeated(name)) {
      if (sources_.findName(name) == nullptr) sources_.files.push_back({name, path, {}, true});
      return;
    }
    const base::Result<std::string> text = readText(path, name);
    if (!text) {
      errors_.add(from, text.failure().message, text.failure().hint);
      errors_.raise();
    }
    sources_.files.push_back({name, path, text.value(), false});
    addText(text.value(), path, identity);
  }

  void addText(const std::string& text, const std::string& path, const std::string& identity) {
    open_.insert(identity);
    const auto file = std::make_shared<const std::string>(path);
    const bool isMain = model_.file == nullptr;
    if (isMain) model_.file = file;
    RawNode root = parseYaml(text, file, errors_);
    addRoot(std::move(root), base::Place{file, 1, 1}, isMain);
    open_.erase(identity);
  }

  void addGivenText(const std::string& text, const std::string& path) {
    sources_.files.push_back({nameOf(path), path, text, false});
    addText(text, path, identityOf(path));
  }

  static std::string identityOf(const std::string& path) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(path, error);
    return error ? path : canonical.string();
  }

  static std::string nameOf(const std::string& path) { return fs::path(path).filename().string(); }

  RawModel take() { return std::move(model_); }
  model::SourceFiles takeSources() { return std::move(sources_); }

 private:
  bool isRepeated(const std::string& name) const {
    const model::SourceFile* file = stored_ != nullptr ? stored_->findName(name) : nullptr;
    return file != nullptr && file->isRepeated;
  }

  base::Result<std::string> readText(const std::string& path, const std::string& name) const {
    if (stored_ == nullptr) return base::readFileText(path);
    if (const model::SourceFile* file = stored_->findName(name)) return file->text;
    return base::Failure{"the file " + quote(name) + " was not part of the run", {}};
  }

  void addRoot(RawNode root, const base::Place& start, bool isMain) {
    if (root.isNull()) {
      errors_.add(start, "the file is empty", isMain ? kVersionHint : "");
      return;
    }
    RawMap* entries = std::get_if<RawMap>(&root.data);
    if (entries == nullptr) {
      errors_.add(root.place, "this is not a model",
                  "a model consists of sections such as 'nodes:' and 'joints:'");
      return;
    }
    checkVersion(*entries, start, isMain);
    for (RawEntry& entry : *entries) addEntry(std::move(entry), isMain);
  }

  void checkVersion(const RawMap& entries, const base::Place& start, bool isMain) {
    const RawEntry* entry = findEntry(entries, "flexloop");
    if (entry == nullptr) {
      if (isMain) errors_.add(start, "the version of the model language is missing", kVersionHint);
      return;
    }
    const RawScalar* version = entry->value.scalar();
    if (version != nullptr && version->text == kVersion) return;
    const std::string given = version != nullptr ? " " + quote(version->text) : "";
    errors_.add(entry->value.isNull() ? entry->place : entry->value.place,
                "flexloop: the version" + given + " of the model language is not supported",
                "this program reads version 1: write 'flexloop: 1'");
  }

  void addEntry(RawEntry entry, bool isMain) {
    if (entry.key == "flexloop") return;
    if (entry.key == "include") return include(std::move(entry.value));
    if (entry.key == "title") {
      if (isMain || !model_.title) model_.title = std::move(entry.value);
    } else if (entry.key == "gravity") {
      addOnce(std::move(entry), model_.gravity);
    } else if (entry.key == "formulation") {
      addOnce(std::move(entry), model_.formulation);
    } else if (entry.key == "outputs") {
      addOutputs(std::move(entry.value));
    } else if (isSection(entry.key, registry_)) {
      addSection(std::move(entry));
    } else {
      refuse(entry);
    }
  }

  void include(RawNode value) {
    for (const RawNode& file : asList(std::move(value))) {
      const RawScalar* name = file.scalar();
      if (name == nullptr || name->text.empty()) {
        errors_.add(file.place, "include: expected the name of a file",
                    "write 'include: [materials.yaml]'");
        continue;
      }
      const std::string& from = *file.place.file;
      addFile((fs::path(from).parent_path() / name->text).string(),
              sources_.nameFrom(from, name->text), file.place);
    }
  }

  void addOnce(RawEntry entry, std::optional<RawNode>& target) {
    if (target) {
      errors_.add(entry.place, "'" + entry.key + "' is given twice",
                  "the first is at " + base::toText(target->place));
      return;
    }
    target = std::move(entry.value);
  }

  void addOutputs(RawNode value) {
    if (!model_.outputs) model_.outputs = RawNode{value.place, RawList()};
    RawList& all = std::get<RawList>(model_.outputs->data);
    for (RawNode& output : asList(std::move(value))) all.push_back(std::move(output));
  }

  void addSection(RawEntry entry) {
    RawSection& section = model_.sectionOf(entry.key, entry.place);
    if (entry.value.isNull()) return;
    RawMap* entries = std::get_if<RawMap>(&entry.value.data);
    if (entries == nullptr) {
      errors_.add(entry.value.place, entry.key + ": expected named entries",
                  "write '" + entry.key + ":' followed by lines 'name: ...', without '- '");
      return;
    }
    auto& places = places_[entry.key];
    for (RawEntry& item : *entries) {
      const auto [first, isNew] = places.try_emplace(item.key, item.place);
      if (isNew) {
        section.entries.push_back(std::move(item));
      } else {
        errors_.add(item.place, quote(entry.key + "." + item.key) + " is given twice",
                    "the first is at " + base::toText(first->second));
      }
    }
  }

  void refuse(const RawEntry& entry) {
    errors_.addUnknown(entry.place, "unknown section " + quote(entry.key), entry.key,
                       topLevelWords(registry_));
    if (entry.value.map() == nullptr) return;
    for (const RawEntry& item : *entry.value.map()) model_.forgivenNames.push_back(item.key);
  }

  const system::Registry& registry_;
  ErrorList& errors_;
  const model::SourceFiles* stored_;
  model::SourceFiles sources_;
  RawModel model_;
  std::unordered_set<std::string> open_, done_;
  std::unordered_map<std::string, std::unordered_map<std::string, base::Place>> places_;
};

}  // namespace

RawSection* RawModel::findSection(std::string_view name) {
  for (RawSection& section : sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

RawSection& RawModel::sectionOf(std::string_view name, const base::Place& place) {
  if (RawSection* section = findSection(name)) return *section;
  sections.push_back({std::string(name), place, {}});
  return sections.back();
}

bool isSection(std::string_view word, const system::Registry& registry) {
  return word == "parameters" || word == "diagrams" || word == "assemblies" ||
         registry.hasSection(word);
}

bool hasItems(std::string_view section) {
  return section != "parameters" && section != "diagrams" && section != "assemblies";
}

std::vector<std::string> topLevelWords(const system::Registry& registry) {
  std::vector<std::string> words{"flexloop", "title",       "include",  "parameters",
                                 "gravity",  "formulation", "diagrams", "assemblies"};
  const std::vector<std::string> sections = registry.sections();
  words.insert(words.end(), sections.begin(), sections.end());
  words.emplace_back("outputs");
  return words;
}

RawList asList(RawNode node) {
  if (node.isNull()) return {};
  if (RawList* list = std::get_if<RawList>(&node.data)) return std::move(*list);
  RawList single;
  single.push_back(std::move(node));
  return single;
}

RawModel readRawFile(const std::string& path, const system::Registry& registry, ErrorList& errors) {
  FileMerger merger(registry, errors);
  merger.addFile(path, FileMerger::nameOf(path), {});
  return merger.take();
}

RawModel readRawText(const std::string& text, const std::string& name,
                     const system::Registry& registry, ErrorList& errors) {
  FileMerger merger(registry, errors);
  merger.addGivenText(text, name);
  return merger.take();
}

model::SourceFiles readSourceFiles(const std::string& path, const system::Registry& registry) {
  ErrorList errors;
  FileMerger merger(registry, errors);
  merger.addFile(path, FileMerger::nameOf(path), {});
  return merger.takeSources();
}

model::SourceFiles readSourceFiles(const std::string& text, const std::string& path,
                                   const system::Registry& registry) {
  ErrorList errors;
  FileMerger merger(registry, errors);
  merger.addGivenText(text, path);
  return merger.takeSources();
}

model::SourceFiles placeSourceFiles(const model::SourceFiles& stored, const std::string& path,
                                    const system::Registry& registry) {
  ErrorList errors;
  FileMerger merger(registry, errors, &stored);
  merger.addFile(path, stored.files.at(0).name, {});
  model::SourceFiles placed = merger.takeSources();
  placed.isStored = stored.isStored;
  // Meshes are not merged, but belong to the model.
  for (const model::SourceFile& file : stored.files) {
    if (placed.findName(file.name) == nullptr) placed.files.push_back(file);
  }
  return placed;
}

RawModel readRawFiles(const model::SourceFiles& files, const std::string& path,
                      const system::Registry& registry, ErrorList& errors) {
  FileMerger merger(registry, errors, &files);
  merger.addFile(path, files.files.at(0).name, {});
  return merger.take();
}

}  // namespace flexloop::language
