// What `lpv` makes of a machine: local models at the points of a grid, joined to one, and compared with the machine between them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/linear_request.hpp"
#include "reports/lpv_text.hpp"
#include "study/lpv/affine_form.hpp"

namespace flexloop::commands {

struct LpvRequest : LinearRequest {
  std::optional<int> order;
  std::string file;           // -o
  std::string interpolation;  // empty: spline
  std::string accuracy;       // such as 2%
  std::string range;          // LOW:HIGH [Hz]
  std::string value;          // --at
  std::string matFile;
  std::string form;      // empty: aligned
  std::string function;  // of the parameter, for the affine form
  std::vector<std::string> controllers;  // files after the first
  bool check = false;
};

// --interpolation
bool readsCubic(const std::string& interpolation);

struct MadeLpv {
  reports::LpvReport report;
  std::vector<study::AffineResponse> affine;  // of '--form affine'
};

// More points are added where the accuracy asks for them. Throws base::InputError and api::Failed.
MadeLpv makeLpvModel(LpvRequest request, const Console& console);

}  // namespace flexloop::commands
