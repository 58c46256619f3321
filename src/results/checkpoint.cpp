#include "results/checkpoint.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "base/diagnostics.hpp"
#include "base/number_reader.hpp"
#include "base/text_format.hpp"
#include "results/files/file_seal.hpp"
#include "results/files/hdf5_file.hpp"
#include "results/files/output_file.hpp"

namespace flexloop::results {
namespace {

using Numbers = std::vector<double>;
constexpr const char* kProgram = "flexloop checkpoint 4";
constexpr std::size_t kFrame = 12;  // numbers of one frame

void write(Hdf5File& file, const std::string& name, const double* values, std::size_t count) {
  Hdf5Table table = file.addTable(name, {}, std::max<std::size_t>(count, 1));
  if (count > 0) table.append(values, count);
}
void write(Hdf5File& file, const std::string& name, const Numbers& values) {
  write(file, name, values.data(), values.size());
}
void write(Hdf5File& file, const std::string& name, const Eigen::VectorXd& values) {
  write(file, name, values.data(), values.size());
}

Eigen::VectorXd readVector(const Hdf5File& file, const std::string& name) {
  const Numbers numbers = file.readNumbers(name);
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<int>(numbers.size()));
}

Numbers flatten(const std::vector<math::Frame<double>>& frames) {
  Numbers numbers;
  for (const auto& frame : frames) {
    numbers.insert(numbers.end(), frame.R.data(), frame.R.data() + 9);
    numbers.insert(numbers.end(), frame.x.data(), frame.x.data() + 3);
  }
  return numbers;
}

std::vector<math::Frame<double>> unflatten(const Numbers& numbers) {
  if (numbers.size() % kFrame != 0) throw std::runtime_error("its frames are not whole");
  std::vector<math::Frame<double>> frames(numbers.size() / kFrame);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    std::copy_n(numbers.data() + kFrame * i, 9, frames[i].R.data());
    std::copy_n(numbers.data() + kFrame * i + 9, 3, frames[i].x.data());
  }
  return frames;
}

// The names of all unknowns: two models with the same ones can exchange states.
std::vector<std::string> namesOf(const system::System& system) {
  std::vector<std::string> names;
  for (int u = 0; u < system.unknowns(); ++u) {
    names.push_back(system.unknownName(system::UnknownIndex{u}));
  }
  return names;
}

// Lengths first, then all records behind each other.
Numbers joinRecords(const std::vector<Numbers>& records) {
  Numbers all{static_cast<double>(records.size())};
  for (const Numbers& record : records) all.push_back(static_cast<double>(record.size()));
  for (const Numbers& record : records) all.insert(all.end(), record.begin(), record.end());
  return all;
}

std::vector<Numbers> splitRecords(const Numbers& all) {
  const auto most = static_cast<std::int64_t>(all.size());
  base::NumberReader head(all);
  std::vector<Numbers> records(static_cast<std::size_t>(head.takeWhole(0, most)));
  std::size_t place = 1 + records.size();
  for (Numbers& record : records) {
    const auto size = static_cast<std::size_t>(head.takeWhole(0, most));
    if (!head.ok() || place > all.size() || size > all.size() - place) break;
    const auto start = all.begin() + static_cast<std::ptrdiff_t>(place);
    record.assign(start, start + static_cast<std::ptrdiff_t>(size));
    place += size;
  }
  if (!head.ok() || place != all.size()) throw std::runtime_error("its records are not whole");
  return records;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& hint) {
  throw base::InputError({std::make_shared<const std::string>(path), 0, 0}, why, hint);
}

// Files of the model with their checksums, as `checksum name`.
std::vector<std::string> listFiles(const model::SourceFiles& sources) {
  std::vector<std::string> lines;
  for (const model::SourceFile& file : sources.files) {
    const auto checksum = static_cast<unsigned long long>(calcChecksum(file.text));
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
  constexpr const char* kHint = "`run --checkpoint TIME` makes one";
  const Seal seal = checkSeal(path);
  if (seal == Seal::kBroken) {
    refuse(path, "the checkpoint is damaged: its checksum is not that of its content",
           "run the model again, or continue from an earlier one");
  }
  if (seal == Seal::kWhole) return;
  // Says why it does not open, if so.
  static_cast<void>(Hdf5File::open(path));
  refuse(path, "this is no checkpoint of this version, or a part of it is missing", kHint);
}

analysis::RunPoint readPoint(const Hdf5File& file) {
  analysis::RunPoint point;
  const Numbers time = file.readNumbers("state/time");
  if (time.size() != 1) throw std::runtime_error("it has no time");
  point.state.time = time.front();
  point.state.frames = unflatten(file.readNumbers("state/frames"));
  point.state.value = readVector(file, "state/value");
  point.state.rate = readVector(file, "state/rate");
  point.state.acceleration = readVector(file, "state/acceleration");
  point.state.algorithmic = readVector(file, "state/algorithmic");
  point.state.history = file.readNumbers("state/history");
  point.state.records = splitRecords(file.readNumbers("state/records"));
  point.stepper.acceleration = readVector(file, "run/acceleration");
  point.stepper.value = readVector(file, "run/value");
  point.stepper.numbers = file.readNumbers("run/numbers");
  point.control = file.readNumbers("run/control");
  point.stepper.factors = splitRecords(file.readNumbers("run/factors"));
  point.clock = file.readNumbers("run/clock");
  point.chatter = file.readNumbers("run/chatter");
  point.start = file.readNumbers("run/start");
  return point;
}

}  // namespace

void writeCheckpoint(const std::string& path, const model::Model& model,
                     const analysis::RunPoint& point, const model::SourceFiles& sources) {
  const std::string partial = path + ".new";
  Hdf5File file = Hdf5File::create(partial);
  file.setAttribute("/", "program", std::string(kProgram));
  file.addGroup("state");
  file.addGroup("run");
  file.addTexts("unknowns", namesOf(model.system()));
  file.addTexts("files", listFiles(sources));
  write(file, "state/time", Numbers{point.state.time});
  write(file, "state/frames", flatten(point.state.frames));
  write(file, "state/value", point.state.value);
  write(file, "state/rate", point.state.rate);
  write(file, "state/acceleration", point.state.acceleration);
  write(file, "state/algorithmic", point.state.algorithmic);
  write(file, "state/history", point.state.history);
  write(file, "state/records", joinRecords(point.state.records));
  write(file, "run/acceleration", point.stepper.acceleration);
  write(file, "run/value", point.stepper.value);
  write(file, "run/numbers", point.stepper.numbers);
  write(file, "run/control", point.control);
  write(file, "run/factors", joinRecords(point.stepper.factors));
  write(file, "run/clock", point.clock);
  write(file, "run/chatter", point.chatter);
  write(file, "run/start", point.start);
  file.close();
  sealFile(partial);
  renameWhole(partial, path);
}

analysis::RunPoint readCheckpoint(const std::string& path, const model::Model& model,
                                  const model::SourceFiles& sources, std::string* changed) {
  try {
    checkFile(path);
    const Hdf5File file = Hdf5File::open(path);
    if (file.readTextAttribute("/", "program") != kProgram) {
      refuse(path, "this is no checkpoint of this version", "make it again");
    }
    if (file.readTexts("unknowns") != namesOf(model.system())) {
      refuse(path, "the checkpoint belongs to another model",
             "nodes, joints and blocks must be those of the run that made it");
    }
    if (changed != nullptr) *changed = listChanged(file.readTexts("files"), sources);
    return readPoint(file);
  } catch (const std::runtime_error& error) {
    refuse(path, std::string("the checkpoint cannot be read: ") + error.what(),
           "`run --checkpoint TIME` makes one");
  }
}

}  // namespace flexloop::results
