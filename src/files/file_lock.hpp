// Advisory lock shared by the writer of a result file and its readers in other processes. It belongs to the open file, so
// it is released when its owner ends, however that happens. It covers one byte far behind the end and does not interfere
// with the locks of HDF5 or of other programs. Where a file system has no locks, every attempt succeeds.
#pragma once

#include <chrono>
#include <string>

namespace flexloop::files {

class FileLock {
 public:
  enum class Use { kRead, kWrite };  // many may read at once, one writes alone

  FileLock() = default;
  FileLock(const std::string& path, Use use);  // not locked yet; the file must exist
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;

  bool tryToLock() const;
  bool lock(std::chrono::milliseconds patience) const;  // false: others held it all the time
  void release() const;

 private:
  int apply(short type) const;

  int descriptor_ = -1;
  Use use_ = Use::kRead;
};

}  // namespace flexloop::files
