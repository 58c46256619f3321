#include "fem/reduction/cache_room.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "fem/reduction/part_cache.hpp"
#include "fem/reduction/reduction_pieces.hpp"

namespace flexloop::fem {
namespace {

namespace fs = std::filesystem;
using Clock = fs::file_time_type::clock;

constexpr std::uint64_t kUsualSize = 10'000'000'000;
constexpr std::chrono::hours kInUse{1};
constexpr std::chrono::hours kLeft{24};        // no part takes that long to write
constexpr std::chrono::hours kForgotten{168};  // stages of a reduction that nobody continued
constexpr std::chrono::milliseconds kPatience{100};
constexpr std::string_view kPrefix = "part-", kEntry = ".h5", kLock = ".lock",
                           kPartial = ".partial", kPiece = ReductionPieces::kEnding;

struct Entry {
  std::string key;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

bool isOlderThan(const fs::path& file, Clock::duration age) {
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  return !error && Clock::now() - written > age;
}

// Between the prefix and the ending; empty: a file of another name.
std::string keyOf(const fs::path& file, std::string_view ending) {
  const std::string name = file.filename().string();
  const bool isOurs = name.starts_with(kPrefix) && name.ends_with(ending) &&
                      name.size() > kPrefix.size() + ending.size();
  if (!isOurs) return {};
  return name.substr(kPrefix.size(), name.size() - kPrefix.size() - ending.size());
}

std::vector<fs::path> listFiles(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (fs::is_regular_file(at->symlink_status(ignored))) files.push_back(at->path());
  }
  return files;
}

std::vector<Entry> listEntries(const std::vector<fs::path>& files) {
  std::vector<Entry> entries;
  for (const fs::path& file : files) {
    std::error_code gone, lost;
    const auto used = fs::last_write_time(file, gone);
    const std::uintmax_t bytes = fs::file_size(file, lost);
    const std::string key = keyOf(file, kEntry);
    if (!key.empty() && !gone && !lost) entries.push_back({key, bytes, used});
  }
  return entries;
}

// With the lock of the entry, so that a program that is marking it as used either does so before or finds it gone.
bool removeUnused(const PartCache& cache, const Entry& entry) {
  const files::FileLock lock = cache.lockFor(entry.key);
  const fs::path file = cache.fileFor(entry.key);
  if (!lock.tryToLock() || !isOlderThan(file, kInUse)) return false;
  std::error_code error;
  return fs::remove(file, error) && !error;
}

void removeLeftovers(const PartCache& cache, const std::vector<fs::path>& files) {
  for (const fs::path& file : files) {
    if (!isOlderThan(file, kLeft)) continue;
    const std::string locked = keyOf(file, kLock);
    std::error_code ignored;
    const bool isIdle = !locked.empty() && !fs::exists(cache.fileFor(locked), ignored) &&
                        cache.lockFor(locked).tryToLock();
    const bool isForgotten = !keyOf(file, kPiece).empty() && isOlderThan(file, kForgotten);
    if (isIdle || isForgotten || !keyOf(file, kPartial).empty()) fs::remove(file, ignored);
  }
}

}  // namespace

base::Result<std::uint64_t> parseCacheSize(const std::string& text) {
  if (text.empty()) return kUsualSize;
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}};
  double number = -1.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  constexpr double kMost = 1e18;
  for (const auto& [name, factor] : kUnits) {
    const double bytes = number * factor;
    if (error == std::errc() && unit == name && bytes >= 0.0 && bytes <= kMost)
      return static_cast<std::uint64_t>(std::llround(bytes));
  }
  return base::Failure{"FLEXLOOP_CACHE_SIZE is '" + text + "', which is no size",
                       "give the room for reduced parts as '500 MB' or '20 GB'; FLEXLOOP_CACHE=off "
                       "keeps none"};
}

base::Result<std::uint64_t> findCacheSize() {
  const char* const text = std::getenv("FLEXLOOP_CACHE_SIZE");
  return parseCacheSize(text == nullptr ? std::string() : text);
}

bool markUsed(const PartCache& cache, const std::string& key) {
  std::error_code ignored;
  const fs::path file = cache.fileFor(key);
  if (!fs::is_regular_file(file, ignored)) return false;
  // Held by others for longer, it is held by one that makes the entry again, and nobody can remove it.
  const files::FileLock lock = cache.lockFor(key);
  static_cast<void>(lock.lock(kPatience));
  fs::last_write_time(file, Clock::now(), ignored);
  return fs::is_regular_file(file, ignored);
}

void makeRoom(const PartCache& cache, std::uint64_t size) {
  const std::vector<fs::path> files = listFiles(cache.folder());
  removeLeftovers(cache, files);
  std::vector<Entry> entries = listEntries(files);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  std::uint64_t taken = 0;
  for (const Entry& entry : entries) taken += entry.bytes;
  for (const Entry& entry : entries) {
    if (taken <= size) return;
    if (Clock::now() - entry.used <= kInUse) return;  // and so are all that follow
    if (removeUnused(cache, entry)) taken -= entry.bytes;
  }
}

}  // namespace flexloop::fem
