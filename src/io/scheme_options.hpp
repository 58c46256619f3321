// What the command `scheme` is asked for.
#pragma once

#include <string>
#include <vector>

#include "analysis/scheme_properties.hpp"
#include "io/option_text.hpp"
#include "solve/scheme.hpp"

namespace flexloop::io {

// All that `readSchemeRequest` takes.
const std::vector<OptionHelp>& schemeOptions();

inline constexpr const char* kGivenScheme = "given";

struct SchemeRequest {
  double rho = 0.8;
  std::string motionName, stateName;  // of the language, or kGivenScheme
  solve::Scheme scheme;
  analysis::TestSystem system;
  analysis::FrequencyRange range;
};

// Throws base::InputError with all mistakes.
SchemeRequest readSchemeRequest(const std::vector<OptionText>& options);

}  // namespace flexloop::io
