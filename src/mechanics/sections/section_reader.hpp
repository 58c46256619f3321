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
void checkSection(const system::Item& item, base::Diagnostics& diagnostics);

// Area and moments of a section of any type but `stiffness`.
SectionShape readSectionShape(const system::Item& item);

// The section and the material that `item` names by its keys `section` and `material`. What does
// not fit together is reported and gives nothing.
std::optional<SectionMatrices> readSection(const system::Item& item, system::Builder& builder);

}  // namespace flexloop::mechanics
