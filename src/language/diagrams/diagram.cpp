#include "language/diagrams/diagram.hpp"

#include <algorithm>
#include <utility>

#include "language/diagrams/diagram_reader.hpp"
#include "language/parameter_order.hpp"

namespace flexloop::language {
namespace {

constexpr int kDeepestLevel = 50;

int findWord(const std::vector<std::string>& words, std::string_view word) {
  const auto at = std::find(words.begin(), words.end(), word);
  return at == words.end() ? -1 : static_cast<int>(at - words.begin());
}

// The diagrams inside have been counted.
void countBlocks(Diagram& diagram, ErrorList& errors) {
  bool isInnerWrong = false;
  for (const Diagram::Block& block : diagram.blocks) {
    const Diagram* inner = block.diagram;
    diagram.size += inner != nullptr ? inner->size : 1;
    if (inner == nullptr) continue;
    diagram.depth = std::max(diagram.depth, inner->depth + 1);
    isInnerWrong = isInnerWrong || inner->isWrong;
  }
  const bool isDeep = diagram.depth > kDeepestLevel;
  if (!isDeep && diagram.size <= kMostDiagramBlocks) return;
  diagram.size = kMostDiagramBlocks + 1;  // it must not grow without end
  diagram.isWrong = true;
  if (isInnerWrong) return;  // it has been reported
  const std::string subject = "diagrams." + diagram.name + ": ";
  errors.add(diagram.place,
             isDeep ? subject + "diagrams are nested more than " + std::to_string(kDeepestLevel) +
                          " levels deep"
                    : subject + "the diagram has more than " + std::to_string(kMostDiagramBlocks) +
                          " blocks, including those of nested diagrams",
             "the number of blocks multiplies where diagrams use others several times");
}

}  // namespace

int Diagram::findInput(std::string_view word) const {
  return findWord(inputs, word);
}

int Diagram::findOutput(std::string_view word) const {
  const auto at = std::find_if(outputs.begin(), outputs.end(),
                               [&](const Output& output) { return output.name == word; });
  return at == outputs.end() ? -1 : static_cast<int>(at - outputs.begin());
}

const Diagram::Block* Diagram::findBlock(const std::string& word) const {
  const auto at = blockIndex.find(word);
  return at == blockIndex.end() ? nullptr : &blocks[at->second];
}

std::string_view typeWordOf(const RawEntry& block) {
  const RawMap* map = block.value.map();
  const RawEntry* type = map != nullptr ? findEntry(*map, "type") : nullptr;
  const RawScalar* word = type != nullptr ? type->value.scalar() : nullptr;
  return word != nullptr ? std::string_view(word->text) : std::string_view();
}

Diagrams::Diagrams(RawModel& model, const system::Registry& registry, ErrorList& errors)
    : forgiven_(model.forgivenNames.begin(), model.forgivenNames.end()) {
  RawSection* section = model.findSection("diagrams");
  if (section == nullptr) return;
  for (const RawEntry& entry : section->entries) {
    Diagram& diagram = diagrams_.emplace_back();
    diagram.name = entry.key;
    diagram.place = entry.place;
    // One that is named like a type of the registry is reported and hides it not.
    if (registry.find("blocks", entry.key) == nullptr) byName_.emplace(entry.key, &diagram);
  }
  DiagramReader reader(registry, errors);
  for (std::size_t i = 0; i < diagrams_.size(); ++i) {
    reader.read(section->entries[i], diagrams_[i]);
    for (Diagram::Block& block : diagrams_[i].blocks) {
      block.diagram = findTypeOf(*block.entry);
      if (block.diagram != nullptr) block.diagram->isUsed = true;
    }
  }
  orderAndCount(errors);
  for (Diagram& diagram : diagrams_) {
    const std::size_t before = errors.count();
    checkOutputsOfInner(diagram, errors);
    diagram.isWrong = diagram.isWrong || errors.count() != before;
  }
}

std::vector<std::string> Diagrams::names() const {
  std::vector<std::string> names;
  for (const Diagram& diagram : diagrams_) names.push_back(diagram.name);
  return names;
}

Diagram* Diagrams::findTypeOf(const RawEntry& block) {
  if (byName_.empty()) return nullptr;
  const auto diagram = byName_.find(std::string(typeWordOf(block)));
  return diagram == byName_.end() ? nullptr : diagram->second;
}

bool Diagrams::isForgiven(const RawEntry& block) const {
  return !forgiven_.empty() && forgiven_.contains(std::string(typeWordOf(block)));
}

void Diagrams::warnOfUnused(const std::string& file, base::Diagnostics& warnings) const {
  for (const Diagram& diagram : diagrams_) {
    const bool isOwn = diagram.place.file == nullptr || *diagram.place.file == file;
    if (diagram.isUsed || !isOwn) continue;
    warnings.addWarning(
        diagram.place, "diagrams." + diagram.name + ": the diagram is not used",
        "use it under 'blocks:' as 'name: {type: " + diagram.name + ", ...}', or remove it");
  }
}

void Diagrams::orderAndCount(ErrorList& errors) {
  std::vector<std::vector<int>> needs(diagrams_.size());
  std::unordered_map<const Diagram*, int> indices;
  for (const Diagram& diagram : diagrams_) indices.emplace(&diagram, indices.size());
  for (std::size_t i = 0; i < diagrams_.size(); ++i) {
    for (const Diagram::Block& block : diagrams_[i].blocks) {
      if (block.diagram != nullptr) needs[i].push_back(indices.at(block.diagram));
    }
  }
  const DependencyOrder order = calcDependencyOrder(needs);
  for (const std::vector<int>& cycle : order.cycles) {
    const Diagram& first = diagrams_[cycle.front()];
    std::string message = "diagrams." + first.name + ": the diagram contains itself: ";
    for (const int i : cycle) message.append(diagrams_[i].name).append(" -> ");
    errors.add(first.place, message.append(first.name),
               "a diagram cannot contain itself; use a different one");
  }
  for (const int i : order.blocked) diagrams_[i].isWrong = true;
  for (const int i : order.order) countBlocks(diagrams_[i], errors);
}

// Blocks of the registry know their outputs only when they are made; diagrams are known now.
void Diagrams::checkOutputsOfInner(const Diagram& diagram, ErrorList& errors) const {
  for (const Diagram::Output& output : diagram.outputs) {
    const std::size_t dot = output.signal.find('.');
    const std::string owner = output.signal.substr(0, dot);
    const Diagram::Block* block = diagram.findBlock(owner);
    const Diagram* inner = block != nullptr ? block->diagram : nullptr;
    if (inner == nullptr || inner->outputs.empty()) continue;
    const std::string subject = "diagrams." + diagram.name + ".outputs." + output.name + ": ";
    std::vector<std::string> ports;
    for (const Diagram::Output& port : inner->outputs) ports.push_back(port.name);
    if (dot == std::string::npos) {
      if (ports.size() == 1) continue;
      for (std::string& port : ports) port.insert(0, owner + ".");
      errors.add(output.place,
                 subject + quote(owner) + " (diagram " + inner->name + ") has several outputs",
                 "write " + listOf(ports));
      continue;
    }
    const std::string port = output.signal.substr(dot + 1);
    if (inner->findOutput(port.substr(0, port.find('.'))) >= 0) continue;
    errors.addUnknown(
        output.place,
        subject + quote(owner) + " (diagram " + inner->name + ") has no output " + quote(port),
        port, ports);
  }
}

}  // namespace flexloop::language
