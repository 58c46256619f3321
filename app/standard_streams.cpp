#include "standard_streams.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

namespace flexloop::app {

StandardStreams::StandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // Results that are to be printed (`--csv -`) fail there.
    const bool isOutput = stream == STDOUT_FILENO;
    if (isOutput) hasOutput_ = false;
    if (::open("/dev/null", isOutput ? O_RDONLY : O_RDWR) != stream) std::_Exit(4);
  }
}

bool StandardStreams::isAllWritten() const {
  errno = 0;
  std::cout.flush();
  const int error = std::fflush(stdout) == 0 && std::cout ? 0 : errno;
  if (!hasOutput_ || (std::cout && std::ferror(stdout) == 0)) return true;
  // Someone who has read enough wants no message.
  if (error != EPIPE) {
    std::cerr << "error: standard output cannot be written";
    if (error != 0) std::cerr << ": " << std::strerror(error);
    std::cerr << '\n';
  }
  return false;
}

}  // namespace flexloop::app
