#include "results/checkpoint.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "base/diagnostics.hpp"
#include "base/text_format.hpp"
#include "files/file_seal.hpp"
#include "files/hdf5_file.hpp"
#include "files/output_file.hpp"
#include "results/named_numbers.hpp"

namespace flexloop::results {
namespace {

constexpr const char* kProgram = "flexloop checkpoint 6";

void write(files::Hdf5File& file, const std::string& name, const std::vector<double>& values) {
  files::Hdf5Table table = file.addTable(name, {}, std::max<std::size_t>(values.size(), 1));
  if (!values.empty()) table.append(values.data(), values.size());
}

// The names of all unknowns: two models with the same ones can exchange states.
std::vector<std::string> namesOf(const system::System& system) {
  std::vector<std::string> names;
  for (int u = 0; u < system.unknowns(); ++u) {
    names.push_back(system.unknownName(system::UnknownIndex{u}));
  }
  return names;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& hint) {
  throw base::InputError({std::make_shared<const std::string>(path), 0, 0}, why, hint);
}

// Files of the model with their checksums, as `checksum name`.
std::vector<std::string> listFiles(const model::SourceFiles& sources) {
  std::vector<std::string> lines;
  for (const model::SourceFile& file : sources.files) {
    const auto checksum = static_cast<unsigned long long>(files::calcChecksum(file.text));
    lines.push_back(base::formatText("%016llx ", checksum) + file.name);
  }
  return lines;
}

// Names of files that differ from those of the checkpoint.
std::string listChanged(const std::vector<std::string>& before, const model::SourceFiles& sources) {
  std::string names;
  for (const std::string& line : listFiles(sources)) {
    if (std::find(before.begin(), before.end(), line) != before.end()) continue;
    names += (names.empty() ? "" : ", ") + line.substr(line.find(' ') + 1);
  }
  return names;
}

void checkFile(const std::string& path) {
  constexpr const char* kHint = "`run --checkpoint TIME` writes one";
  const files::Seal seal = files::checkSeal(path);
  if (seal == files::Seal::kBroken) {
    refuse(path, "the checkpoint is damaged: its checksum does not match its content",
           "run the model again, or continue from an earlier one");
  }
  if (seal == files::Seal::kWhole) return;
  // Says why it does not open, if so.
  static_cast<void>(files::Hdf5File::open(path));
  refuse(path, "this is not a checkpoint of this version, or part of it is missing", kHint);
}

}  // namespace

void writeCheckpoint(const std::string& path, const model::Model& model,
                     const analysis::RunPoint& point, const model::SourceFiles& sources) {
  const std::string partial = path + ".new";
  files::Hdf5File file = files::Hdf5File::create(partial);
  file.setAttribute("/", "program", std::string(kProgram));
  file.addTexts("unknowns", namesOf(model.system()));
  file.addTexts("files", listFiles(sources));
  const NamedNumbers named = nameNumbers(point);
  file.addTexts("names", named.names);
  write(file, "sizes", named.sizes);
  write(file, "numbers", named.numbers);
  file.close();
  files::sealFile(partial);
  files::renameWhole(partial, path);
}

analysis::RunPoint readCheckpoint(const std::string& path, const model::Model& model,
                                  const model::SourceFiles& sources, std::string* changed) {
  try {
    checkFile(path);
    const files::Hdf5File file = files::Hdf5File::open(path);
    if (file.readTextAttribute("/", "program") != kProgram) {
      refuse(path, "this is not a checkpoint of this version", "write it again");
    }
    if (file.readTexts("unknowns") != namesOf(model.system())) {
      refuse(path, "the checkpoint belongs to another model",
             "nodes, joints and blocks must be those of the run that wrote it");
    }
    if (changed != nullptr) *changed = listChanged(file.readTexts("files"), sources);
    return readNumbers<analysis::RunPoint>(
        {file.readTexts("names"), file.readNumbers("sizes"), file.readNumbers("numbers")});
  } catch (const std::runtime_error& error) {
    refuse(path, std::string("the checkpoint cannot be read: ") + error.what(),
           "`run --checkpoint TIME` writes one");
  }
}

}  // namespace flexloop::results
