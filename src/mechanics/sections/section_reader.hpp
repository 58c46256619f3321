// What the items of `materials` and `sections` mean, and whether they can be right.
#pragma once

#include <optional>

#include "base/diagnostics.hpp"
#include "mechanics/sections/section.hpp"
#include "system/item.hpp"

namespace flexloop::system {
class Builder;
}

namespace flexloop::mechanics {

void checkMaterial(const system::Item& item, base::Diagnostics& diagnostics);
void checkSection(const system::Item& section, base::Diagnostics& diagnostics);

// Area and moments of a section; nothing where stiffnesses are given instead.
std::optional<SectionShape> readSectionShape(const system::Item& section);

// What a section looks like; those without a shape are drawn as the rectangle of equal radii of gyration.
struct SectionOutline {
  double width = 0.0, height = 0.0;  // m, along y and z
  double hole = 0.0;                 // m, inner diameter of a tube
  bool isRound = false;              // a circle; width and height are its diameter
};
SectionOutline readOutline(const system::Item& section);

// The section and the material that `item` names by its keys `section` and `material`. What does
// not fit together is reported and gives nothing.
std::optional<SectionMatrices> readSection(const system::Item& item, system::Builder& builder);

}  // namespace flexloop::mechanics
