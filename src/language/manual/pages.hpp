// The pages of docs/manual and the examples of the reference, as they were when the program was built: it needs no
// source tree to show them.
#pragma once

#include <string_view>
#include <vector>

namespace flexloop::language {

struct StoredPage {
  std::string_view path;  // `docs/manual/units.md`, `examples/reference/joints/hinge.yaml`
  std::string_view text;
};

// In the order of their paths; all of them live as long as the program.
std::vector<StoredPage> storedPages();

// The example of a type, or of a section with one type where `type` is empty. Empty if there is none.
std::string_view findExample(std::string_view section, std::string_view type);

}  // namespace flexloop::language
