// A model that a test writes down, for studies: built again with other values of its numbers.
#pragma once

#include <string>

#include "base/text_format.hpp"
#include "study/setting.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {

inline study::ModelMaker makerOf(const std::string& text) {
  return [text](const study::Settings& settings) {
    language::Overrides overrides;
    for (const study::Setting& setting : settings) {
      const bool isPath = setting.name.find('.') != std::string::npos;
      (isPath ? overrides.values : overrides.parameters)
          .push_back(setting.name + "=" + base::numberText(setting.value));
    }
    return buildModel(text, overrides);
  };
}

}  // namespace flexloop::test
