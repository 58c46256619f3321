// Numbers of a model that a study changes, and the model with them. A study does not know where models come
// from: the caller passes a function that makes them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/diagnostics.hpp"
#include "base/result.hpp"
#include "model/model.hpp"

namespace flexloop::study {

struct Setting {
  std::string
      name;  // a parameter of the model, or the path of a value such as springs.k1.stiffness
  double value = 0.0;  // SI
};

using Settings = std::vector<Setting>;

// Throws base::InputError where the model is wrong with these settings.
using ModelMaker = std::function<model::Model(const Settings& settings)>;
// In one line, without places, which are those of the settings.
base::Failure toFailure(const base::InputError& error);

// After each point of a study, and now and then within it; false ends it.
using Proceed = std::function<bool(int done, int total)>;

// How a study goes through its points. With several threads a ModelMaker is called from all of them, and results are
// the same as with one.
struct Pace {
  Proceed proceed{};
  int threads = 1;
};

}  // namespace flexloop::study
