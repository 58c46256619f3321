// Tyre files (.tir): sections `[NAME]`, lines `KEY = value $ remark`, texts in quotes, and tables of numbers (docs/manual/tyres.md).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.hpp"

namespace flexloop::mechanics {

struct TirValue {
  std::string section;
  std::string text;  // without quotes
  base::Place place;
  bool isText = false;
};

struct TirFile {
  std::map<std::string, TirValue> values;  // by key
  std::map<std::string, base::Place> sections;
  std::vector<std::pair<double, double>> loadCurve;  // deflection and load
};

// Reports what is no line of such a file, and keys that are there twice.
TirFile parseTir(const std::string& text, const std::string& name, base::Diagnostics& diagnostics);

}  // namespace flexloop::mechanics
