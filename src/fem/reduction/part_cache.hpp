// Reduced parts that were computed before, kept by what they were made from: no part is reduced twice.
//
// The folder is $FLEXLOOP_CACHE, $XDG_CACHE_HOME/flexloop or ~/.cache/flexloop, the first of them that is given; FLEXLOOP_CACHE=off: none. A folder that
// cannot be written or read is no error: parts are then computed each time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fem/reduction/reduced_file.hpp"
#include "files/file_lock.hpp"

namespace flexloop::fem {

// Of the bytes of all files that a part is read from, of everything that was asked for, as text, and of the versions of the
// reduction and of its file: SHA-256 in hexadecimal digits.
std::string makePartKey(const std::vector<std::string_view>& contents, std::string_view options);

// Everything about a reduction that changes its result.
std::string describeOptions(const ReductionOptions& options);

class PartCache {
 public:
  PartCache();  // in the folder above
  explicit PartCache(std::string folder) : folder_(std::move(folder)) {}

  // Empty: there is no place for one.
  const std::string& folder() const { return folder_; }
  // A damaged entry, or one of another version, counts as none.
  std::optional<StoredPart> find(const std::string& key) const;
  // False where it cannot be written. Old entries make room for it (cache_room.hpp).
  bool keep(const StoredPart& part) const;
  std::string fileFor(const std::string& key) const;

  // While one program computes a part, others that want the same wait for it instead of computing it too. The lock ends with
  // its owner, however that happens; false from lock() means that it could not be had in time.
  files::FileLock lockFor(const std::string& key) const;

 private:
  std::string folder_;
};

}  // namespace flexloop::fem
