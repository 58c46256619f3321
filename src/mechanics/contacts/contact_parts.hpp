// The elements of a contact, one for each of its points, as sensors find them.
#pragma once

#include <string>
#include <vector>

#include "system/builder.hpp"

namespace flexloop::mechanics {

inline constexpr const char* kFrictionPart = "/friction";

// Of the normal forces, or of friction, which a contact need not have.
std::vector<system::Builder::Attachment> findNormalParts(const system::Builder& builder,
                                                         const std::string& contact);
std::vector<system::Builder::Attachment> findFrictionParts(const system::Builder& builder,
                                                           const std::string& contact);

}  // namespace flexloop::mechanics
