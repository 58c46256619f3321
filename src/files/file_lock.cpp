#include "files/file_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <thread>
#include <unistd.h>
#include <utility>

namespace flexloop::files {

FileLock::FileLock(const std::string& path, Use use)
    : descriptor_(::open(path.c_str(), (use == Use::kWrite ? O_RDWR : O_RDONLY) | O_CLOEXEC)),
      use_(use) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileLock::FileLock(FileLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), use_(other.use_) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(use_, other.use_);
  return *this;
}

// A lock of the open file, not of the process: HDF5 closes descriptors of the same file, which would end the
// other kind.
int FileLock::apply(short type) const {
  struct flock place {};
  place.l_type = type;
  place.l_whence = SEEK_SET;
  place.l_start = std::numeric_limits<off_t>::max() - 1;
  place.l_len = 1;
  return ::fcntl(descriptor_, F_OFD_SETLK, &place) == 0 ? 0 : errno;
}

bool FileLock::tryToLock() const {
  if (descriptor_ < 0) return true;
  const int error = apply(use_ == Use::kWrite ? F_WRLCK : F_RDLCK);
  return error != EAGAIN && error != EACCES;
}

bool FileLock::lock(std::chrono::milliseconds patience) const {
  constexpr std::chrono::milliseconds kPause{1};
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!tryToLock()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

void FileLock::release() const {
  if (descriptor_ >= 0) apply(F_UNLCK);
}

}  // namespace flexloop::files
