// An FMU as a file: its description, and its unpacked binary and resources.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "control/boxes/fmu/fmu_description.hpp"
#include "files/zip_archive.hpp"

namespace flexloop::control {

// A private folder, gone with the last who holds it.
class ScratchFolder {
 public:
  static base::Result<std::shared_ptr<const ScratchFolder>> make();
  ~ScratchFolder() { remove(); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  void remove() const;

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

class FmuFile {
 public:
  // Reads the description; runs no code.
  static base::Result<FmuFile> open(const std::string& path);

  const FmuDescription& description() const { return description_; }
  // Where the binary of an interface is in the archive, for this computer.
  base::Result<std::string> findBinary(const FmuInterface& interface) const;
  base::Result<std::shared_ptr<const ScratchFolder>> unpack() const;

 private:
  FmuFile(std::string path, std::shared_ptr<const files::ZipArchive> archive,
          FmuDescription description)
      : path_(std::move(path)),
        archive_(std::move(archive)),
        description_(std::move(description)) {}

  std::string path_;
  std::shared_ptr<const files::ZipArchive> archive_;
  FmuDescription description_;
};

}  // namespace flexloop::control
