// What the command `scheme` is asked for.
#pragma once

#include <string>
#include <vector>

#include "analysis/schemes/scheme_properties.hpp"
#include "language/option_text.hpp"
#include "solve/time/scheme.hpp"

namespace flexloop::reports {

// All that `readSchemeRequest` takes.
const std::vector<language::OptionHelp>& schemeOptions();

inline constexpr const char* kGivenScheme = "given";

struct SchemeRequest {
  double rho = 0.8;
  std::string motionName, stateName;  // of the language, or kGivenScheme
  solve::Scheme scheme;
  analysis::TestSystem system;
  analysis::FrequencyRange range;
};

// Throws base::InputError with all mistakes.
SchemeRequest readSchemeRequest(const std::vector<language::OptionText>& options);

}  // namespace flexloop::reports
