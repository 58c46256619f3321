#include "fem/reduction/part_cache.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/text_format.hpp"
#include "files/file_seal.hpp"

namespace flexloop::fem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKeyVersion = "1";  // of what reduction computes from the same input

// The hash of Fowler, Noll and Vo, 64 bits, version 1a.
constexpr std::uint64_t kProductStart = 0xcbf29ce484222325U, kProductFactor = 0x100000001b3U;

std::uint64_t multiplyBytes(std::string_view bytes, std::uint64_t before) {
  for (const char byte : bytes)
    before = (before ^ static_cast<unsigned char>(byte)) * kProductFactor;
  return before;
}

std::string findFolder() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
  };
  const std::string own = variable("FLEXLOOP_CACHE");
  if (own == "off") return {};
  if (!own.empty()) return own;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return (fs::path(cache) / "flexloop").string();
  if (const std::string home = variable("HOME"); !home.empty())
    return (fs::path(home) / ".cache" / "flexloop").string();
  return {};
}

}  // namespace

std::string makePartKey(const std::vector<std::string_view>& contents, std::string_view options) {
  // A cyclic sum and a product: what one of them cannot tell apart, the other can.
  std::uint64_t cyclic = 0, product = kProductStart;
  const auto add = [&](std::string_view bytes) {
    const std::string length = std::to_string(bytes.size()) + ":";
    for (const std::string_view piece : {std::string_view(length), bytes}) {
      cyclic = files::calcChecksum(piece, cyclic);
      product = multiplyBytes(piece, product);
    }
  };
  add(kKeyVersion);
  for (const std::string_view content : contents) add(content);
  add(options);
  return base::formatText("%016llx%016llx", static_cast<unsigned long long>(cyclic),
                          static_cast<unsigned long long>(product));
}

std::string describeOptions(const ReductionOptions& options) {
  std::string text = nameOf(options.method);
  const auto kind = options.normalModes.value_or(usualModes(options.method));
  text += base::formatText(" normal=%d modes=%d damping=%.17g stiffening=%d compared=%d",
                           static_cast<int>(kind), options.upTo ? -1 : options.modes,
                           options.damping, options.stiffening ? 1 : 0, options.compared);
  if (options.upTo) text += base::formatText(" up_to=%.17g", *options.upTo);
  if (options.upTo && options.accuracy)
    text += base::formatText(" accuracy=%.17g", *options.accuracy);
  for (const int held : options.held) text += base::formatText(" held=%d", held);
  return text;
}

PartCache::PartCache() : folder_(findFolder()) {}

std::string PartCache::fileFor(const std::string& key) const {
  return (fs::path(folder_) / ("part-" + key + ".h5")).string();
}

std::optional<StoredPart> PartCache::find(const std::string& key) const {
  std::error_code ignored;
  if (folder_.empty() || !fs::is_regular_file(fileFor(key), ignored)) return std::nullopt;
  const auto part = readReducedPart(fileFor(key));
  if (!part || part.value().key != key) return std::nullopt;
  return part.value();
}

void PartCache::keep(const StoredPart& part) const {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  // The next program finds out for itself that it is not there.
  [[maybe_unused]] const auto failure = writeReducedPart(fileFor(part.key), part);
}

files::FileLock PartCache::lockFor(const std::string& key) const {
  if (folder_.empty()) return {};
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  const std::string path = (fs::path(folder_) / ("part-" + key + ".lock")).string();
  std::ofstream(path, std::ios::app).flush();
  if (!fs::is_regular_file(path, ignored)) return {};
  return files::FileLock(path, files::FileLock::Use::kWrite);
}

}  // namespace flexloop::fem
