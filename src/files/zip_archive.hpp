// A ZIP archive from a stranger, for reading. What an honest archive does not have is refused before a byte is
// unpacked: paths that lead out of the folder, links, devices, two entries of one name, encryption, and sizes
// that only a bomb has.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flexloop::files {

class ZipArchive {
 public:
  struct Entry {
    std::string name;          // with '/' between folders; that of a folder ends with one
    std::uint64_t bytes = 0;   // unpacked
    std::uint64_t packed = 0;  // in the archive
    std::uint64_t index = 0;
  };

  // The library that unpacks is loaded here, at its first use.
  static base::Result<std::shared_ptr<const ZipArchive>> open(const std::string& path);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view name) const;

  // The content of a file of at most `largest` bytes.
  base::Result<std::string> read(const Entry& entry, std::uint64_t largest) const;
  // Writes the files that are wanted below a folder that exists.
  std::optional<base::Failure> unpack(
      const std::string& folder, const std::function<bool(const std::string&)>& isWanted) const;

 private:
  explicit ZipArchive(std::string path) : path_(std::move(path)) {}
  std::optional<base::Failure> load();
  std::optional<base::Failure> readEntries();
  std::optional<base::Failure> readPieces(const Entry& entry,
                                          const std::function<bool(std::string_view)>& take) const;
  base::Failure refuse(const std::string& why) const;

  std::string path_;
  void* archive_ = nullptr;  // zip_t*
  std::vector<Entry> entries_;
};

}  // namespace flexloop::files
