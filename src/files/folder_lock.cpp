#include "files/folder_lock.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

#include "base/plain_text.hpp"
#include "base/text_format.hpp"
#include "files/make_folder.hpp"

namespace flexloop::files {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "run.lock";

std::string describeThisProcess() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 64> since{};
  std::strftime(since.data(), since.size(), "%Y-%m-%d %H:%M:%S", &local);
  return base::formatText("process %d on %s since %s", static_cast<int>(::getpid()), host.data(),
                          since.data());
}

}  // namespace

FolderLock::FolderLock(const std::string& folder)
    : folder_(folder), path_((fs::path(folder) / kName).string()) {
  makeFolder(folder);
  // Its last owner removes the file; a lock of a file that is gone locks nothing.
  do {
    open();
    if (lock()) continue;
    const std::string owner = readOwner();
    ::close(descriptor_);
    throw std::runtime_error("the folder '" + folder + "' is in use by another run: " + owner +
                             "\n  hint: wait until it ends, or choose another folder with '--out'");
  } while (!isCurrent());
  writeOwner();
}

FolderLock::~FolderLock() {
  if (isCurrent()) ::unlink(path_.c_str());
  ::close(descriptor_);
}

void FolderLock::open() {
  constexpr int kMode = 0666;
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kMode);
  if (descriptor_ >= 0) return;
  throw std::runtime_error("the folder '" + folder_ +
                           "' cannot be written: " + std::strerror(errno));
}

bool FolderLock::lock() const {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(descriptor_, F_OFD_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES);
}

bool FolderLock::isCurrent() const {
  struct stat opened {
  }, named{};
  return ::fstat(descriptor_, &opened) == 0 && ::stat(path_.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// A message that is not complete is no reason to fail.
void FolderLock::writeOwner() const {
  const std::string text = describeThisProcess() + "\n";
  if (::ftruncate(descriptor_, 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(descriptor_, text.data(), text.size(), 0);
  }
}

std::string FolderLock::readOwner() const {
  std::array<char, 512> text{};
  const ssize_t size = ::pread(descriptor_, text.data(), text.size(), 0);
  const std::string owner(text.data(), static_cast<std::size_t>(size > 0 ? size : 0));
  const std::string line = base::makePlain(owner.substr(0, owner.find('\n')));
  return line.empty() ? "a process that has just started" : line;
}

}  // namespace flexloop::files
