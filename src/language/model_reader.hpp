// Reads a model: the text of one or more files, checked word by word against the registry.
//
// A use of a diagram becomes its blocks. Nothing else is expanded: a beam of a million elements is
// one item. All mistakes are collected and thrown together as one base::InputError.
#pragma once

#include <string>

#include "language/overrides.hpp"
#include "model/description.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

model::Description readModelFile(const std::string& path, const system::Registry& registry,
                                 const Overrides& overrides = {});

// Included files are found relative to the folder of `name`, which messages show too.
model::Description readModelText(const std::string& text, const std::string& name,
                                 const system::Registry& registry, const Overrides& overrides = {});

}  // namespace flexloop::language
