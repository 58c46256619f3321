#include "fmu/variables.hpp"

#include <array>

namespace flexloop::fmu {
namespace {

struct Section {
  Role role;
  std::size_t count;
};

std::array<Section, 7> sectionsOf(const VariableCounts& counts) {
  return {{{Role::kTime, 1},
           {Role::kInput, counts.inputs},
           {Role::kOutput, counts.outputs},
           {Role::kParameter, counts.parameters},
           {Role::kState, counts.states},
           {Role::kDerivative, counts.states},
           {Role::kIndicator, counts.indicators}}};
}

}  // namespace

std::optional<VariablePlace> findVariable(const VariableCounts& counts, unsigned reference) {
  std::size_t index = reference;
  for (const Section& section : sectionsOf(counts)) {
    if (index < section.count) return VariablePlace{section.role, index};
    index -= section.count;
  }
  return std::nullopt;
}

unsigned referenceOf(const VariableCounts& counts, const VariablePlace& place) {
  std::size_t first = 0;
  for (const Section& section : sectionsOf(counts)) {
    if (section.role == place.role) break;
    first += section.count;
  }
  return static_cast<unsigned>(first + place.index);
}

std::size_t countVariables(const VariableCounts& counts) {
  std::size_t all = 0;
  for (const Section& section : sectionsOf(counts)) all += section.count;
  return all;
}

}  // namespace flexloop::fmu
