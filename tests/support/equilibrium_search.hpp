// The equilibrium of a model that is written in a test, and what closed forms of it need.
#pragma once

#include <functional>
#include <string>

#include "solve/balance/equilibrium.hpp"

namespace flexloop::test {

struct FoundEquilibrium {
  solve::EquilibriumReport report;
  system::State state;
};

FoundEquilibrium findEquilibriumOf(const std::string& text,
                                   solve::Wanted wanted = solve::Wanted::kLoaded);

// Where f changes its sign.
double bisect(const std::function<double(double)>& f, double low, double high);

// With all digits.
std::string writeNumber(double value);

}  // namespace flexloop::test
