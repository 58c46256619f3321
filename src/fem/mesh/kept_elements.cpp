#include "fem/mesh/kept_elements.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/nearest_word.hpp"

namespace flexloop::fem {
namespace {

base::Failure unknownSet(const Mesh& mesh, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [set, elements] : mesh.elementSets) known.push_back(set);
  const std::optional<std::string> nearest = base::findNearestWord(name, known);
  return {mesh.file + ": there is no element set '" + name + "'",
          nearest ? "did you mean '" + *nearest + "'?" : ""};
}

template <class Set>
void removeEmpty(std::map<std::string, Set>& sets) {
  for (auto set = sets.begin(); set != sets.end();) {
    set = set->second.empty() ? sets.erase(set) : std::next(set);
  }
}

void removeNodes(Mesh& mesh, const std::vector<char>& isUsed) {
  std::vector<int> numbers(mesh.points.size(), -1);
  int count = 0;
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    if (isUsed[i] == 0) continue;
    mesh.points[count] = mesh.points[i];
    mesh.nodeIds[count] = mesh.nodeIds[i];
    numbers[i] = count++;
  }
  mesh.points.resize(count);
  mesh.nodeIds.resize(count);
  const auto renumber = [&](std::vector<int>& nodes) {
    for (int& node : nodes) node = numbers[node];
  };
  renumber(mesh.elementNodes);
  for (auto& [name, nodes] : mesh.nodeSets) renumber(nodes);
  for (Spider& spider : mesh.spiders) {
    spider.reference = numbers[spider.reference];
    renumber(spider.nodes);
  }
  for (PointMass& mass : mesh.masses) mass.node = numbers[mass.node];
  for (Equation& equation : mesh.equations) {
    for (Equation::Term& term : equation.terms) term.node = numbers[term.node];
  }
}

}  // namespace

void keepMarked(Mesh& mesh, const std::vector<char>& isKept) {
  std::vector<int> numbers(mesh.elements.size(), -1), nodes;
  int count = 0;
  for (std::size_t i = 0; i < mesh.elements.size(); ++i) {
    if (isKept[i] == 0) continue;
    MeshElement element = mesh.elements[i];
    const int* first = mesh.nodesOf(element);
    element.firstNode = static_cast<int>(nodes.size());
    nodes.insert(nodes.end(), first, first + nodeCount(element.shape));
    numbers[i] = count;
    mesh.elements[count++] = element;
  }
  mesh.elements.resize(count);
  mesh.elementNodes = std::move(nodes);
  for (auto& [name, elements] : mesh.elementSets) {
    std::vector<int> kept;
    for (const int e : elements) {
      if (numbers[e] >= 0) kept.push_back(numbers[e]);
    }
    elements = std::move(kept);
  }
  removeEmpty(mesh.elementSets);
}

std::optional<base::Failure> keepElements(Mesh& mesh, const std::vector<std::string>& sets) {
  std::vector<char> isKept(mesh.elements.size(), 0);
  for (const std::string& name : sets) {
    const auto set = mesh.elementSets.find(name);
    if (set == mesh.elementSets.end()) return unknownSet(mesh, name);
    for (const int e : set->second) isKept[e] = 1;
  }
  keepMarked(mesh, isKept);

  std::vector<char> isUsed(mesh.points.size(), 0);
  for (const int node : mesh.elementNodes) isUsed[node] = 1;
  const auto uses = [&](int node) { return isUsed[node] != 0; };
  for (auto& [name, nodes] : mesh.nodeSets) std::erase_if(nodes, [&](int n) { return !uses(n); });
  removeEmpty(mesh.nodeSets);
  std::erase_if(mesh.spiders, [&](const Spider& spider) {
    return !std::all_of(spider.nodes.begin(), spider.nodes.end(), uses);
  });
  for (const Spider& spider : mesh.spiders) isUsed[spider.reference] = 1;
  std::erase_if(mesh.masses, [&](const PointMass& mass) { return !uses(mass.node); });
  std::erase_if(mesh.equations, [&](const Equation& equation) {
    return !std::all_of(equation.terms.begin(), equation.terms.end(),
                        [&](const Equation::Term& term) { return uses(term.node); });
  });
  removeNodes(mesh, isUsed);
  return std::nullopt;
}

}  // namespace flexloop::fem
