#include "support/equilibrium_search.hpp"

#include <cstdio>

#include "solve/redundancy.hpp"
#include "support/built_sample.hpp"

namespace flexloop::test {

FoundEquilibrium findEquilibriumOf(const std::string& text, solve::Wanted wanted) {
  const BuiltSample built = buildSample(text);
  system::Assembler assembler(built.system);
  FoundEquilibrium found{{}, built.system.start()};
  const auto dependent = solve::analyzeRedundancy(assembler, found.state).dependentRows;
  solve::EquilibriumOptions options;
  options.wanted = wanted;
  found.report = solve::findEquilibrium(assembler, found.state, dependent, options);
  return found;
}

double bisect(const std::function<double(double)>& f, double low, double high) {
  const bool rises = f(high) > 0.0;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    ((f(middle) > 0.0) == rises ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

std::string writeNumber(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

}  // namespace flexloop::test
