// A reduced part in an HDF5 file, sealed as a whole: what was lost or changed is noticed before anything is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fem/reduction/reduction_options.hpp"
#include "mechanics/parts/part_recovery.hpp"
#include "mechanics/parts/reduced_model.hpp"

namespace flexloop::fem {

struct StoredPart {
  std::string key;      // of what it was made from; see part_cache.hpp
  std::string request;  // key of what was asked for, without the files it was read from
  mechanics::ReducedModel model;
  ReductionReport report;
  mechanics::PartRecovery recovery;
  std::string warnings;  // about its mesh, as they are printed; kept with it
};

// Under a name of its own first, then renamed: others see the old file or the new one, never a part of it.
[[nodiscard]] std::optional<base::Failure> writeReducedPart(const std::string& path,
                                                            const StoredPart& part);

// The same as bytes, and back.
base::Result<std::string> packReducedPart(const StoredPart& part);
base::Result<StoredPart> unpackReducedPart(const std::string& bytes);

// Refuses files that are damaged, from elsewhere or of another version of the format, and says which.
base::Result<StoredPart> readReducedPart(const std::string& path);

// Goes up with every change of what is in the file.
inline constexpr const char* kReducedFormat = "3";

}  // namespace flexloop::fem
