#include "control/boxes/fmu/fmu_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "base/file_text.hpp"

namespace flexloop::control {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDescription = "modelDescription.xml";
constexpr std::uint64_t kLargestDescription = std::uint64_t{256} << 20;
constexpr const char* kBinaries = "binaries/";
// Of this computer, as FMI 2.0 and FMI 3.0 call it.
#ifdef __aarch64__
constexpr std::array<const char*, 2> kPlatforms{"aarch64-linux", "linux-aarch64"};
#else
constexpr std::array<const char*, 2> kPlatforms{"linux64", "x86_64-linux"};
#endif

bool isOneOf(const char* platform) {
  return std::any_of(kPlatforms.begin(), kPlatforms.end(),
                     [&](const char* own) { return std::strcmp(own, platform) == 0; });
}

}  // namespace

base::Result<std::shared_ptr<const ScratchFolder>> ScratchFolder::make() {
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  std::string pattern = ((error ? fs::path("/tmp") : place) / "flexloop_fmu_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return base::Failure{
        "no temporary folder can be made at '" + pattern + "': " + std::strerror(errno),
        "set TMPDIR to a folder with room", base::FailureKind::kOther};
  }
  return std::shared_ptr<const ScratchFolder>(new ScratchFolder(pattern));
}

void ScratchFolder::remove() const {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

base::Result<FmuFile> FmuFile::open(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return base::Failure{"there is no file '" + path + "'", "correct 'path'"};
  }
  if (!fs::is_regular_file(path, ignored)) {
    return base::Failure{"'" + path + "' is not a file",
                         "'path' is the FMU itself, such as ./controller.fmu"};
  }
  const auto archive = files::ZipArchive::open(path);
  if (!archive) return archive.failure();
  const files::ZipArchive::Entry* entry = archive.value()->find(kDescription);
  if (entry == nullptr) {
    return base::Failure{"'" + path + "' is not an FMU: it has no " + kDescription,
                         "is it another kind of ZIP archive, or has it been packed with a folder?"};
  }
  const auto xml = archive.value()->read(*entry, kLargestDescription);
  if (!xml) return xml.failure();
  auto description = readFmuDescription(xml.value());
  if (!description) {
    return base::withContext("'" + path + "' cannot be used: ", description.failure());
  }
  return FmuFile(path, archive.value(), description.value());
}

base::Result<std::string> FmuFile::findBinary(const FmuInterface& interface) const {
  // Of its newer version first.
  const bool isTwo = description_.version == 2;
  for (std::size_t k = 0; k < kPlatforms.size(); ++k) {
    const char* platform = kPlatforms[isTwo ? k : kPlatforms.size() - 1 - k];
    const std::string name = std::string(kBinaries) + platform + "/" + interface.identifier + ".so";
    if (archive_->find(name) != nullptr) return name;
  }
  std::set<std::string> others;
  bool isHere = false;
  for (const auto& entry : archive_->entries()) {
    if (!entry.name.starts_with(kBinaries)) continue;
    const std::string rest = entry.name.substr(std::strlen(kBinaries));
    const std::string platform = rest.substr(0, rest.find('/'));
    if (platform.empty() || rest.find('/') == std::string::npos) continue;
    isHere = isHere || isOneOf(platform.c_str());
    others.insert(platform);
  }
  const char* own = isTwo ? kPlatforms.front() : kPlatforms.back();
  if (isHere) {
    return base::Failure{"'" + path_ + "' has no file " + kBinaries + own + "/" +
                             interface.identifier + ".so, which its description promises",
                         "export it again"};
  }
  std::string list;
  for (const std::string& other : others) list += (list.empty() ? "" : ", ") + other;
  return base::Failure{"'" + path_ + "' has no binary for this computer (" + own + "); " +
                           (list.empty() ? "it has no binaries at all" : "it has " + list),
                       "export it for Linux on 64 bits, or build it from its sources"};
}

base::Result<std::shared_ptr<const ScratchFolder>> FmuFile::unpack() const {
  auto folder = ScratchFolder::make();
  if (!folder) return folder;
  const auto isWanted = [](const std::string& name) {
    if (name.starts_with("resources/")) return true;
    return std::any_of(kPlatforms.begin(), kPlatforms.end(), [&](const char* platform) {
      return name.starts_with(std::string(kBinaries) + platform + "/");
    });
  };
  if (auto failure = archive_->unpack(folder.value()->path(), isWanted)) return *failure;
  const fs::path resources = fs::path(folder.value()->path()) / "resources";
  std::error_code error;
  fs::create_directories(resources, error);
  if (!error) return folder;
  return base::Failure{"the folder '" + resources.string() + "' cannot be made: " + error.message(),
                       "set TMPDIR to a folder with room", base::FailureKind::kOther};
}

}  // namespace flexloop::control
