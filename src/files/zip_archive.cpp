#include "files/zip_archive.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <sys/stat.h>
#include <zip.h>

#include <dlfcn.h>

namespace flexloop::files {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostEntries = 100'000;
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;  // unpacked, in all
// Deflate cannot make anything more than 1032 times smaller; what claims to is no honest file.
constexpr std::uint64_t kLargestRatio = 1100;
constexpr std::uint64_t kFreeBytes = std::uint64_t{1} << 20;  // of an entry, whatever the ratio

// The functions of libzip that are used, found when the first archive is opened (docs/decisions/0020).
struct ZipFunctions {
  decltype(&zip_open) open;
  decltype(&zip_discard) discard;
  decltype(&zip_get_num_entries) countEntries;
  decltype(&zip_stat_index) stat;
  decltype(&zip_file_get_external_attributes) attributes;
  decltype(&zip_fopen_index) openFile;
  decltype(&zip_fread) readFile;
  decltype(&zip_fclose) closeFile;
  decltype(&zip_error_init_with_code) initError;
  decltype(&zip_error_strerror) errorText;
  decltype(&zip_error_fini) endError;

  ZipFunctions() {
    void* const library = dlopen(FLEXLOOP_ZIP_FILE, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* why = dlerror();
      throw std::runtime_error(std::string("the library " FLEXLOOP_ZIP_FILE " cannot be loaded: ") +
                               (why != nullptr ? why : "unknown reason"));
    }
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr) {
        throw std::runtime_error(std::string("the library " FLEXLOOP_ZIP_FILE " has no function ") +
                                 name);
      }
    };
    find(open, "zip_open");
    find(discard, "zip_discard");
    find(countEntries, "zip_get_num_entries");
    find(stat, "zip_stat_index");
    find(attributes, "zip_file_get_external_attributes");
    find(openFile, "zip_fopen_index");
    find(readFile, "zip_fread");
    find(closeFile, "zip_fclose");
    find(initError, "zip_error_init_with_code");
    find(errorText, "zip_error_strerror");
    find(endError, "zip_error_fini");
  }
};

const ZipFunctions& zip() {
  static const ZipFunctions functions;
  return functions;
}

zip_t* handleOf(void* archive) {
  return static_cast<zip_t*>(archive);
}

// Nothing if the path stays within its folder on every computer.
std::string complainAbout(const std::string& name) {
  if (name.empty()) return "has no name";
  if (name.front() == '/') return "has an absolute path";
  if (name.find('\\') != std::string::npos) return "has a path with a backslash";
  if (name.find(':') != std::string::npos) return "has a path with a colon";
  const fs::path path(name);
  for (const fs::path& part : path) {
    if (part == "..") return "has a path that leads out of the archive";
    if (part == ".") return "has a path with '.'";
  }
  return {};
}

// Of an archive that was made on a system with such things.
bool isLinkOrDevice(zip_t* archive, std::uint64_t index) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip().attributes(archive, index, 0, &system, &attributes) != 0) return false;
  if (system != ZIP_OPSYS_UNIX && system != ZIP_OPSYS_OS_X) return false;
  const mode_t type = (attributes >> 16U) & S_IFMT;
  return type != 0 && type != S_IFREG && type != S_IFDIR;
}

bool haveSameContent(const zip_stat_t& a, const zip_stat_t& b) {
  return (a.valid & b.valid & ZIP_STAT_CRC) != 0 && a.crc == b.crc && a.size == b.size;
}

}  // namespace

base::Failure ZipArchive::refuse(const std::string& why) const {
  return {"'" + path_ + "' " + why, "get the file again from its author"};
}

base::Result<std::shared_ptr<const ZipArchive>> ZipArchive::open(const std::string& path) {
  const std::shared_ptr<ZipArchive> archive(new ZipArchive(path));
  if (auto failure = archive->load()) return *failure;
  if (auto failure = archive->readEntries()) return *failure;
  return std::shared_ptr<const ZipArchive>(archive);
}

ZipArchive::~ZipArchive() {
  if (archive_ != nullptr) zip().discard(handleOf(archive_));
}

std::optional<base::Failure> ZipArchive::load() {
  int code = 0;
  archive_ = zip().open(path_.c_str(), ZIP_RDONLY, &code);
  if (archive_ != nullptr) return {};
  zip_error_t error;
  zip().initError(&error, code);
  const std::string text = zip().errorText(&error);
  zip().endError(&error);
  return refuse("is not a ZIP archive, or a damaged one: " + text);
}

std::optional<base::Failure> ZipArchive::readEntries() {
  zip_t* const archive = handleOf(archive_);
  const auto count = static_cast<std::uint64_t>(zip().countEntries(archive, 0));
  if (count > kMostEntries) return refuse("has " + std::to_string(count) + " entries");
  std::map<std::string, zip_stat_t> known;
  std::uint64_t sum = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    zip_stat_t stat;
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (zip().stat(archive, k, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded) {
      return refuse("has an entry that cannot be read");
    }
    const std::string name = stat.name;
    std::string complaint = complainAbout(name);
    // A folder may be: it has no content, and some tools name it once for each of its files. So may the same content.
    const auto [other, isNew] = known.emplace(name, stat);
    const bool isSame = isNew || name.ends_with('/') || haveSameContent(other->second, stat);
    if (complaint.empty() && !isSame) complaint = "is there twice, with different content";
    if (complaint.empty() && isLinkOrDevice(archive, k)) complaint = "is a link or a device";
    if (complaint.empty() && (stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 &&
        stat.encryption_method != ZIP_EM_NONE) {
      complaint = "is encrypted";
    }
    const bool isBomb = stat.size > kFreeBytes && stat.size / kLargestRatio > stat.comp_size;
    if (complaint.empty() && isBomb) {
      complaint = "claims to unpack to " + std::to_string(stat.size) + " bytes";
    }
    if (!complaint.empty()) return refuse("is refused: its entry '" + name + "' " + complaint);
    sum += std::min(stat.size, 2 * kMostBytes);
    if (sum > kMostBytes) {
      return refuse("is refused: it unpacks to more than " + std::to_string(kMostBytes) + " bytes");
    }
    if (isNew) entries_.push_back({name, stat.size, stat.comp_size, k});
  }
  return {};
}

const ZipArchive::Entry* ZipArchive::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

// What comes is counted: the size that an archive states may be wrong.
std::optional<base::Failure> ZipArchive::readPieces(
    const Entry& entry, const std::function<bool(std::string_view)>& take) const {
  zip_file_t* const file = zip().openFile(handleOf(archive_), entry.index, 0);
  if (file == nullptr) return refuse("has an entry '" + entry.name + "' that cannot be unpacked");
  std::array<char, 1 << 16> piece;
  std::uint64_t bytes = 0;
  std::optional<base::Failure> failure;
  for (;;) {
    const zip_int64_t got = zip().readFile(file, piece.data(), piece.size());
    if (got < 0) failure = refuse("has a damaged entry '" + entry.name + "'");
    if (got <= 0) break;
    bytes += static_cast<std::uint64_t>(got);
    if (bytes > entry.bytes) {
      failure = refuse("has an entry '" + entry.name + "' that is larger than it says");
      break;
    }
    if (!take({piece.data(), static_cast<std::size_t>(got)})) {
      failure = base::Failure{
          "'" + entry.name + "' of '" + path_ + "' cannot be written: " + std::strerror(errno),
          "is there room on the disk?", base::FailureKind::kOther};
      break;
    }
  }
  zip().closeFile(file);
  if (!failure && bytes != entry.bytes) {
    failure = refuse("has an entry '" + entry.name + "' that ends too early");
  }
  return failure;
}

base::Result<std::string> ZipArchive::read(const Entry& entry, std::uint64_t largest) const {
  if (entry.bytes > largest) {
    return refuse("has an entry '" + entry.name + "' of " + std::to_string(entry.bytes) + " bytes");
  }
  std::string text;
  const auto failure = readPieces(entry, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  if (failure) return *failure;
  return text;
}

std::optional<base::Failure> ZipArchive::unpack(
    const std::string& folder, const std::function<bool(const std::string&)>& isWanted) const {
  for (const Entry& entry : entries_) {
    if (entry.name.ends_with('/') || !isWanted(entry.name)) continue;
    const fs::path path = fs::path(folder) / entry.name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);  // a file that does not open says so
    std::ofstream file(path, std::ios::binary);
    if (auto failure = readPieces(entry, [&](std::string_view piece) {
          return static_cast<bool>(
              file.write(piece.data(), static_cast<std::streamsize>(piece.size())));
        })) {
      return failure;
    }
    file.close();
    if (!file) {
      return base::Failure{"'" + path.string() + "' cannot be written",
                           "is there room on the disk?", base::FailureKind::kOther};
    }
  }
  return {};
}

}  // namespace flexloop::files
