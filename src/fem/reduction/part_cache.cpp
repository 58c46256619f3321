#include "fem/reduction/part_cache.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/text_format.hpp"
#include "fem/reduction/cache_room.hpp"
#include "files/sha256.hpp"

namespace flexloop::fem {
namespace {

namespace fs = std::filesystem;

// The sum of the sources that reduce parts: no program takes what another one has computed otherwise.
constexpr const char* kReductionSum =
#include FLEXLOOP_REDUCTION_SUM_FILE
    ;

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
  files::Sha256 sum;
  const auto add = [&](std::string_view bytes) {
    sum.add(std::to_string(bytes.size()) + ":");
    sum.add(bytes);
  };
  add(kReductionSum);
  add(kReducedFormat);
  for (const std::string_view content : contents) add(content);
  add(options);
  return sum.finish();
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
  if (options.foreshortening) text += " foreshortening";
  for (const int held : options.held) text += base::formatText(" held=%d", held);
  return text;
}

PartCache::PartCache() : folder_(findFolder()) {}

std::string PartCache::fileFor(const std::string& key) const {
  return (fs::path(folder_) / ("part-" + key + ".h5")).string();
}

std::optional<StoredPart> PartCache::find(const std::string& key) const {
  if (folder_.empty() || !markUsed(*this, key)) return std::nullopt;
  const auto part = readReducedPart(fileFor(key));
  if (!part || part.value().key != key) return std::nullopt;
  return part.value();
}

bool PartCache::keep(const StoredPart& part) const {
  if (folder_.empty()) return false;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  const bool isKept = !writeReducedPart(fileFor(part.key), part);
  if (const auto size = findCacheSize()) makeRoom(*this, size.value());
  return isKept;
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
