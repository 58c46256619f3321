#include "memory_file.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace flexloop::python {
namespace {

[[noreturn]] void fail() {
  throw std::runtime_error(std::string("a file in memory: ") + std::strerror(errno));
}

}  // namespace

MemoryFile::MemoryFile() : descriptor_(::memfd_create("flexloop", MFD_CLOEXEC)) {
  if (descriptor_ < 0) fail();
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

std::string MemoryFile::read() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail();
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t size =
        ::pread(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (size <= 0) fail();
    done += static_cast<std::size_t>(size);
  }
  return text;
}

}  // namespace flexloop::python
