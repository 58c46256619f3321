// The reference pages of the manual, made from the registry, so that they are never out of date.
#pragma once

#include <string>
#include <vector>

#include "system/registry.hpp"

namespace flexloop::language {

struct ManualPage {
  std::string filename;  // `joints.md`
  std::string text;      // Markdown
};

// An index and one page per section: for every type what it is, its parameters with unit and
// default, and an example. Diagrams have a page of their own after the blocks.
std::vector<ManualPage> makeManual(const system::Registry& registry);

}  // namespace flexloop::language
