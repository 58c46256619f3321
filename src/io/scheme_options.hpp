// What the command `scheme` is asked for. Its options are values of the model language, so they
// take the same words, numbers and expressions, and mistakes get the same answers.
#pragma once

#include <string>
#include <vector>

#include "analysis/scheme_properties.hpp"
#include "solve/scheme.hpp"

namespace flexloop::io {

// `--alpha-f 0.3` as {"alpha-f", "0.3"}.
struct OptionText {
  std::string name;
  std::string text;
};

struct SchemeOption {
  std::string name;     // without the dashes
  std::string meaning;  // one line, for the help
};
// All that `readSchemeRequest` takes.
const std::vector<SchemeOption>& schemeOptions();

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
