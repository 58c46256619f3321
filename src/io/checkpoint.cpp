#include "io/checkpoint.hpp"

#include <memory>
#include <stdexcept>

#include "base/diagnostics.hpp"
#include "io/hdf5_file.hpp"
#include "io/output_file.hpp"

namespace flexloop::io {
namespace {

using Numbers = std::vector<double>;
constexpr const char* kProgram = "flexloop checkpoint 3";
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
  std::vector<Numbers> records(static_cast<std::size_t>(all.at(0)));
  auto next = all.begin() + 1 + static_cast<long>(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto end = next + static_cast<long>(all[1 + i]);
    records[i].assign(next, end);
    next = end;
  }
  return records;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& hint) {
  throw base::InputError({std::make_shared<const std::string>(path), 0, 0}, why, hint);
}

analysis::RunPoint readPoint(const Hdf5File& file) {
  analysis::RunPoint point;
  point.state.time = file.readNumbers("state/time").at(0);
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
                     const analysis::RunPoint& point) {
  const std::string partial = path + ".new";
  Hdf5File file = Hdf5File::create(partial);
  file.setAttribute("/", "program", std::string(kProgram));
  file.addGroup("state");
  file.addGroup("run");
  file.addTexts("unknowns", namesOf(model.system()));
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
  renameWhole(partial, path);
}

analysis::RunPoint readCheckpoint(const std::string& path, const model::Model& model) {
  try {
    const Hdf5File file = Hdf5File::open(path);
    if (file.readTextAttribute("/", "program") != kProgram) {
      refuse(path, "the file is no checkpoint of this version", "make it again");
    }
    if (file.readTexts("unknowns") != namesOf(model.system())) {
      refuse(path, "the checkpoint belongs to another model",
             "nodes, joints and blocks must be those of the run that made it");
    }
    return readPoint(file);
  } catch (const std::runtime_error& trouble) {
    refuse(path, std::string("the checkpoint cannot be read: ") + trouble.what(),
           "`run --checkpoint TIME` makes one");
  }
}

}  // namespace flexloop::io
