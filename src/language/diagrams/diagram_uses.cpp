#include "language/diagrams/diagram_uses.hpp"

#include <algorithm>

namespace flexloop::language {

std::string_view parentOf(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

const Diagram* DiagramUses::findDiagram(const std::string& path) const {
  const auto diagram = diagrams_.find(path);
  return diagram == diagrams_.end() ? nullptr : diagram->second;
}

void DiagramUses::addOutputs(const std::string& path) {
  const Diagram& diagram = *diagrams_.at(path);
  for (const Diagram::Output& output : diagram.outputs) {
    std::string signal = path + "." + output.signal;
    const std::string owner = output.signal.substr(0, output.signal.find('.'));
    if (diagram.findBlock(owner)->diagram != nullptr) {
      const UseSignal inner = findInside(signal, path.size() + 1 + owner.size());
      if (inner.state != UseSignal::State::kFound) continue;  // the diagram inside is wrong
      signal = inner.signal;
    }
    const std::string port = path + "." + output.name;
    if (port != signal) names_.emplace_back(port, signal);
    if (diagram.outputs.size() == 1) names_.emplace_back(path, signal);
    ports_.emplace(port, std::move(signal));
  }
}

UseSignal DiagramUses::findPort(const std::string& path, const std::string& port,
                                const std::string& rest) const {
  UseSignal result;
  result.state = UseSignal::State::kWrong;
  const auto signal = ports_.find(path + "." + port);
  if (signal == ports_.end()) return result;
  result.state = UseSignal::State::kFound;
  result.signal = signal->second + rest;
  result.scope = scopeOf(path);
  return result;
}

UseSignal DiagramUses::find(const std::string& name) const {
  if (diagrams_.empty()) return {};
  // A use inside an instance of an assembly has the name of the instance before its own.
  for (std::size_t length = std::min(name.find('.'), name.size());;
       length = std::min(name.find('.', length + 1), name.size())) {
    if (diagrams_.contains(name.substr(0, length))) return findInside(name, length);
    if (length == name.size()) return {};
  }
}

std::string_view DiagramUses::scopeOf(std::string_view name) const {
  const std::string_view parent = parentOf(name);
  return diagrams_.contains(std::string(parent)) ? parent : std::string_view();
}

// Goes from use to use along the name.
UseSignal DiagramUses::findInside(const std::string& name, std::size_t length) const {
  using State = UseSignal::State;
  std::size_t end = length;
  for (;;) {
    const std::string path = name.substr(0, end);
    const Diagram* diagram = findDiagram(path);
    if (diagram == nullptr) return {State::kWrong, {}, {}, {}, {}};
    const bool hasOne = diagram->outputs.size() == 1;
    if (end == name.size()) {
      if (hasOne) return findPort(path, diagram->outputs.front().name, "");
      return {State::kSeveral, {}, {}, path, {}};
    }
    const std::size_t next = std::min(name.find('.', end + 1), name.size());
    const std::string part = name.substr(end + 1, next - end - 1);
    const std::string rest = name.substr(next);
    const Diagram::Block* block = diagram->findBlock(part);
    const bool goesDeeper = block != nullptr && block->diagram != nullptr &&
                            (diagram->findOutput(part) < 0 || (!rest.empty() && rest != ".rate"));
    if (!goesDeeper) {
      if (diagram->findOutput(part) >= 0) return findPort(path, part, rest);
      if (block != nullptr) return {State::kFound, name, path, {}, {}};
      if (part == "rate" && hasOne) return findPort(path, diagram->outputs.front().name, ".rate");
      return {State::kUnknown, {}, {}, path, part};
    }
    end = next;
  }
}

std::string DiagramUses::contextOf(std::string_view path) const {
  std::string text;
  for (std::size_t start = 0, end = 0; start < path.size(); end = end + 1) {
    end = std::min(path.find('.', end), path.size());
    const Diagram* diagram = findDiagram(std::string(path.substr(0, end)));
    if (diagram == nullptr && end < path.size()) continue;  // an instance of an assembly
    text += start == 0 ? "blocks." : "";
    text += path.substr(start, end - start);
    if (diagram != nullptr) text += " (diagram " + diagram->name + ")";
    text += ": ";
    start = end + 1;
  }
  return text;
}

}  // namespace flexloop::language
