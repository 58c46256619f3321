#include "io/file_turn.hpp"

#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <thread>
#include <unistd.h>
#include <utility>

namespace flexloop::io {

FileTurn::FileTurn(const std::string& path, Use use)
    : descriptor_(::open(path.c_str(), (use == Use::kWrite ? O_RDWR : O_RDONLY) | O_CLOEXEC)),
      use_(use) {}

FileTurn::~FileTurn() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileTurn::FileTurn(FileTurn&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), use_(other.use_) {}

FileTurn& FileTurn::operator=(FileTurn&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(use_, other.use_);
  return *this;
}

// A lock of the open file, not of the process: HDF5 closes descriptors of the same file, which would end the
// other kind.
int FileTurn::lock(short type) const {
  struct flock place {};
  place.l_type = type;
  place.l_whence = SEEK_SET;
  place.l_start = std::numeric_limits<off_t>::max() - 1;
  place.l_len = 1;
  return ::fcntl(descriptor_, F_OFD_SETLK, &place) == 0 ? 0 : errno;
}

bool FileTurn::tryToTake() const {
  if (descriptor_ < 0) return true;
  const int trouble = lock(use_ == Use::kWrite ? F_WRLCK : F_RDLCK);
  return trouble != EAGAIN && trouble != EACCES;
}

bool FileTurn::take(std::chrono::milliseconds patience) const {
  constexpr std::chrono::milliseconds kPause{1};
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!tryToTake()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

void FileTurn::release() const {
  if (descriptor_ >= 0) lock(F_UNLCK);
}

}  // namespace flexloop::io
