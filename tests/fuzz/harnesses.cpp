#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <unistd.h>

#include "api/registry.hpp"
#include "base/diagnostics.hpp"
#include "harness.hpp"
#include "io/record_file.hpp"
#include "io/record_part.hpp"
#include "io/source_reader.hpp"
#include "view/mesh_file.hpp"

namespace flexloop::fuzz {
namespace {

// In memory where there is such a folder, and gone with the process.
class Folder {
 public:
  Folder() {
    std::string pattern = std::filesystem::exists("/dev/shm") ? "/dev/shm/flexloop_fuzz_XXXXXX"
                                                              : "/tmp/flexloop_fuzz_XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file() const { return path_ + "/input"; }

 private:
  std::string path_;
};

}  // namespace

std::string putInFile(const std::string& bytes) {
  static const Folder folder;
  std::ofstream(folder.file(), std::ios::binary) << bytes;
  return folder.file();
}

void runModel(const std::string& bytes) {
  static const system::Registry registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored);
  // Stored: what it includes is not looked for on this machine.
  const model::SourceFiles files{{{"m.yaml", "m.yaml", bytes, false}}, true};
  try {
    io::readModelFiles(files, "m.yaml", registry);
  } catch (const base::InputError&) {
    return;
  }
}

void runMesh(const std::string& bytes) {
  try {
    const view::Mesh mesh = view::readMeshBytes(bytes, "mesh", 1.0);
    for (const std::uint32_t index : mesh.indices) {
      if (3 * std::size_t{index} + 2 >= mesh.positions.size()) std::abort();
    }
  } catch (const std::runtime_error&) {
    return;
  }
}

void runRecord(const std::string& bytes) {
  try {
    const analysis::TimeRecord record = io::readRecordFile(putInFile(bytes), io::RecordKind::kCsv);
    for (const std::vector<double>& column : record.columns) {
      if (column.size() != record.times.size()) std::abort();
    }
    io::selectPart(record, {}, {}, "input");
  } catch (const base::InputError&) {
    return;
  }
}

std::vector<std::string> makeRunSamples(std::string_view name);

std::vector<std::string> makeSamples(std::string_view name) {
  if (name == "result" || name == "checkpoint") return makeRunSamples(name);
  return {};
}

}  // namespace flexloop::fuzz
