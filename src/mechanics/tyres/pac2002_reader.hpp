// The numbers of a PAC2002 tyre from a tyre file and from the model.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanics/tyres/pac2002_coefficients.hpp"
#include "system/builder.hpp"

namespace flexloop::mechanics {

struct Pac2002Numbers {
  std::array<double, pac2002::kCount> c{};
  bool isRight = false;  // the side that was measured
  std::vector<std::pair<double, double>>
      loadCurve;  // instead of the vertical stiffness; may be empty
};

// `file`, overridden by `coefficients`. Reports what is missing or cannot be.
std::optional<Pac2002Numbers> readPac2002(const system::Item& item, system::Builder& builder);

}  // namespace flexloop::mechanics
