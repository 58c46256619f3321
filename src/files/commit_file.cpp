#include "files/commit_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace flexloop::files {
namespace {

constexpr std::uint64_t kMark = 0x314c4e524a58454c;  // "LEXJRNL1"
constexpr std::size_t kNumber = sizeof(std::uint64_t);
constexpr std::size_t kFooter = 4 * kNumber;
constexpr std::uint64_t kLargestJournal = std::uint64_t{256} << 20;  // far above what a run writes

void addNumber(std::uint64_t number, std::vector<char>& bytes) {
  for (std::size_t i = 0; i < kNumber; ++i) bytes.push_back(static_cast<char>(number >> (8 * i)));
}

std::uint64_t numberAt(std::span<const char> bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = kNumber; i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return number;
}

// FNV-1a.
std::uint64_t calcChecksum(std::span<const char> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return sum;
}

// As far as the file goes; nothing where it cannot be read.
std::optional<std::size_t> readAt(int descriptor, std::uint64_t offset, std::span<char> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pread(descriptor, bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(offset + done));
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace

CommitFile::CommitFile(const std::string& path, Use use) {
  constexpr int kMode = 0666;
  // A pipe that nobody writes to would be waited for without end.
  const int flags = use == Use::kCreate ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY | O_NONBLOCK;
  descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, kMode);
  if (descriptor_ < 0) {
    error_ = errno;
  } else if (use == Use::kRead) {
    readJournal();
  }
}

CommitFile::~CommitFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool CommitFile::isRegular() const {
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

std::uint64_t CommitFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

void CommitFile::readJournal() {
  const std::uint64_t end = size();
  std::vector<char> bytes(kFooter);
  if (end < kFooter || readAt(descriptor_, end - kFooter, bytes) != kFooter) return;
  const std::uint64_t start = numberAt(bytes, kNumber);
  if (numberAt(bytes, 0) != kMark || start > end - kFooter || end - start > kLargestJournal) return;
  const std::uint64_t count = numberAt(bytes, 2 * kNumber);
  bytes.resize(end - start);
  if (readAt(descriptor_, start, bytes) != bytes.size()) return;
  const std::span<const char> whole(bytes);
  const std::size_t blocksEnd = bytes.size() - kFooter;
  if (numberAt(whole, bytes.size() - kNumber) !=
      calcChecksum(whole.first(bytes.size() - kNumber))) {
    return;
  }
  Blocks blocks;
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (blocksEnd - at < 2 * kNumber) return;
    const std::uint64_t offset = numberAt(whole, at), size = numberAt(whole, at + kNumber);
    at += 2 * kNumber;
    if (size > blocksEnd - at || offset > start || size > start - offset) return;
    blocks[offset].assign(whole.begin() + static_cast<std::ptrdiff_t>(at),
                          whole.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
  }
  for (const auto& [offset, block] : blocks) change(offset, block);
  hasJournal_ = true;
}

bool CommitFile::read(std::uint64_t offset, std::span<char> bytes) const {
  const std::optional<std::size_t> count = readAt(descriptor_, offset, bytes);
  if (!count) return false;
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(*count), bytes.end(), '\0');
  const std::uint64_t end = offset + bytes.size();
  auto block = changes_.upper_bound(offset);
  if (block != changes_.begin()) --block;
  for (; block != changes_.end() && block->first < end; ++block) {
    const std::uint64_t first = std::max(offset, block->first);
    const std::uint64_t last = std::min(end, block->first + block->second.size());
    if (first >= last) continue;
    std::memcpy(bytes.data() + (first - offset), block->second.data() + (first - block->first),
                last - first);
  }
  return true;
}

void CommitFile::change(std::uint64_t offset, std::span<const char> bytes) {
  if (bytes.empty()) return;
  const std::uint64_t end = offset + bytes.size();
  auto block = changes_.upper_bound(offset);
  if (block != changes_.begin()) --block;
  while (block != changes_.end() && block->first < end) {
    const std::uint64_t first = block->first, last = first + block->second.size();
    if (last <= offset) {
      ++block;
      continue;
    }
    if (first <= offset && last >= end) {
      std::copy(bytes.begin(), bytes.end(),
                block->second.begin() + static_cast<std::ptrdiff_t>(offset - first));
      return;
    }
    const std::vector<char> before = std::move(block->second);
    block = changes_.erase(block);
    if (first < offset) {
      changes_.emplace(
          first, std::vector<char>(before.begin(),
                                   before.begin() + static_cast<std::ptrdiff_t>(offset - first)));
    }
    if (last > end) {
      changes_.emplace(end,
                       std::vector<char>(before.begin() + static_cast<std::ptrdiff_t>(end - first),
                                         before.end()));
    }
  }
  changes_.emplace(offset, std::vector<char>(bytes.begin(), bytes.end()));
}

void CommitFile::writeAt(std::uint64_t offset, std::span<const char> bytes) {
  while (error_ == 0 && !bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    } else if (count == 0 || errno != EINTR) {
      error_ = count == 0 ? ENOSPC : errno;
    }
  }
}

bool CommitFile::isChanged(std::uint64_t offset, std::size_t size) const {
  auto block = changes_.lower_bound(offset + size);
  if (block == changes_.begin()) return false;
  --block;
  return block->first + block->second.size() > offset;
}

// Later bytes must not be overwritten by earlier ones when these are committed.
void CommitFile::writeData(std::uint64_t offset, std::span<const char> bytes) {
  if (offset < committedEnd_ || isChanged(offset, bytes.size())) return change(offset, bytes);
  writeAt(offset, bytes);
}

void CommitFile::truncate(std::uint64_t size) {
  if (error_ != 0) return;
  int status = 0;
  do {
    status = ::ftruncate(descriptor_, static_cast<off_t>(size));
  } while (status != 0 && errno == EINTR);
  if (status != 0) error_ = errno;
}

void CommitFile::synchronise() {
  if (error_ != 0 || ::fdatasync(descriptor_) == 0) return;
  // Where there is nothing to synchronise with.
  if (errno != EINVAL && errno != EROFS) error_ = errno;
}

std::vector<char> CommitFile::makeJournal() const {
  std::vector<char> bytes;
  std::size_t size = kFooter;
  for (const auto& [place, block] : changes_) size += 2 * kNumber + block.size();
  bytes.reserve(size);
  for (const auto& [place, block] : changes_) {
    addNumber(place, bytes);
    addNumber(block.size(), bytes);
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
  addNumber(kMark, bytes);
  addNumber(end_, bytes);
  addNumber(changes_.size(), bytes);
  addNumber(calcChecksum(bytes), bytes);
  return bytes;
}

void CommitFile::replaceState(bool isSynchronised) {
  const std::vector<char> journal = makeJournal();
  writeAt(end_, journal);
  truncate(end_ + journal.size());
  if (isSynchronised) synchronise();
  for (const auto& [offset, block] : changes_) writeAt(offset, block);
  if (error_ != 0) return;
  changes_.clear();
  committedEnd_ = end_;
}

void CommitFile::commit(bool isSynchronised) {
  replaceState(isSynchronised);
  // The next data may overwrite the journal.
  if (isSynchronised) synchronise();
}

void CommitFile::finish() {
  constexpr bool kIsSynchronised = true;
  replaceState(kIsSynchronised);
  truncate(end_);
  synchronise();
}

}  // namespace flexloop::files
