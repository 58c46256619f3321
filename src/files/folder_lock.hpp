// One run at a time writes to a folder of results. The lock is one of the open file `run.lock`: it ends with its
// owner, however that happens, so that a file that a killed run has left is no obstacle. The file names its owner, for
// the message that the next one gets. Where a file system has no locks, everyone gets one.
#pragma once

#include <string>

namespace flexloop::files {

class FolderLock {
 public:
  // Makes the folder if there is none. Throws std::runtime_error if it cannot be written, or another run holds it.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  void open();
  bool lock() const;       // false: another run has it
  bool isCurrent() const;  // the file that was opened is still the one of the folder
  void writeOwner() const;
  std::string readOwner() const;

  std::string folder_, path_;
  int descriptor_ = -1;
};

}  // namespace flexloop::files
