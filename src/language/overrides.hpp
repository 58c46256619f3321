// Values from the command line that replace those of the file.
#pragma once

#include <string>
#include <vector>

#include "language/error_list.hpp"
#include "language/raw_model.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

struct Overrides {
  std::vector<std::string> parameters;  // `name=value`, of -p
  std::vector<std::string> values;      // `path=value`, of --set; the value is YAML
};

// A parameter or a named thing must be there already, so that a slip of the pen is no new thing; a
// key of it need not. The same holds for the parameters and blocks of a diagram. A whole new thing
// may be given as a map: `bodies.extra={node: A, mass: 1}`. Later ones win.
void applyOverrides(const Overrides& overrides, const system::Registry& registry, RawModel& model,
                    ErrorList& errors);

}  // namespace flexloop::language
