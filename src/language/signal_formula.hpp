// Formulas whose names are signals: `2*theta1.rate + ref`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flexloop::language {

// Replaces every name but the `variables` by what `replace` gives for it.
void replaceSignalNames(std::string& formula, const std::vector<std::string>& variables,
                        const std::function<std::string(const std::string&)>& replace);

// The value of `pi` or `e`, which are constants unless there is such a signal.
std::optional<double> findConstant(std::string_view name);

// Names of signals may contain '-', which means a difference in a formula.
bool canStandInFormula(std::string_view signal);

}  // namespace flexloop::language
