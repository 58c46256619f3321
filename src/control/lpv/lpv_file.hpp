// A parameter-dependent model in an HDF5 file, sealed as a whole (src/files/file_seal.hpp): what was lost or changed is
// noticed before anything is read, and everything that is read is checked before it is used.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "control/lpv/lpv_model.hpp"

namespace flexloop::control {

// Under a name of its own first, then renamed.
[[nodiscard]] std::optional<base::Failure> writeLpv(const std::string& path, const LpvModel& model);

base::Result<LpvModel> readLpv(const std::string& path);

}  // namespace flexloop::control
