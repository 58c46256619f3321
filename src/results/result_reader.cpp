#include "results/result_reader.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

namespace flexloop::results {
namespace {

// Files from before there was a number are those of the first format.
void checkFormat(const files::Hdf5File& file, const std::string& path) {
  const std::string subject = "the file '" + path + "': ";
  if (!file.hasAttribute("/", "complete") || !file.hasAttribute("/", "program") ||
      file.readTextAttribute("/", "program") != "flexloop") {
    throw std::runtime_error(subject + "it is not the result of a run");
  }
  if (!file.hasAttribute("/", "format")) return;
  const std::string format = file.readTextAttribute("/", "format");
  if (format == kResultFormat) return;
  throw std::runtime_error(subject + "its format " + format + " was written by version " +
                           file.readTextAttribute("/", "version") +
                           " of flexloop; this program reads format " + kResultFormat +
                           ". Use that version, or run the model again");
}

ResultHead readHead(const files::Hdf5File& file) {
  ResultHead head;
  head.version = file.readTextAttribute("/", "version");
  head.modelFile = file.readTextAttribute("/", "model");
  head.modelText = file.readText("/model");
  head.title = file.readTextAttribute("/", "title");
  head.settings = file.readTextAttribute("/", "settings");
  head.outputs = file.namesIn("/outputs");
  for (const std::string& name : head.outputs) {
    const std::string where = "/outputs/" + name;
    head.units.push_back(file.hasAttribute(where, "unit") ? file.readTextAttribute(where, "unit")
                                                          : std::string());
  }
  if (file.has("/nodes")) head.nodes = file.readTexts("/nodes/names");
  if (file.has("/parts")) head.partModes = file.readTexts("/parts/names");
  return head;
}

ResultEnd readEnd(const files::Hdf5File& file) {
  const auto read = [&](const char* name) {
    return file.hasAttribute("/", name) ? file.readTextAttribute("/", name) : std::string();
  };
  return {read("verdict"), read("health"), read("trouble")};
}

}  // namespace

ResultFile::ResultFile(const std::string& path) : file_(files::Hdf5File::open(path)) {
  checkFormat(file_, path);
  head_ = readHead(file_);
  end_ = readEnd(file_);
  complete_ = file_.readFlag("/", "complete");
  if (!complete_) file_.allowTornEnd();
  times_ = file_.readNumbers("/time");
  checkTimes(path);
  checkShapes(path);
}

// A run that was killed may have left room for times that it never wrote.
void ResultFile::checkTimes(const std::string& path) {
  std::size_t good = 0;
  while (good < times_.size() && std::isfinite(times_[good]) &&
         (good == 0 || times_[good] >= times_[good - 1])) {
    ++good;
  }
  if (complete_ && good < times_.size()) {
    throw std::runtime_error("the file '" + path +
                             "': its times are not increasing; it is damaged");
  }
  times_.resize(good);
}

// Every record has its share of every table. A run that was killed may have left more or less of some.
void ResultFile::checkShapes(const std::string& path) {
  std::size_t fewest = times_.size();
  const auto checkTable = [&](const std::string& name, std::vector<std::size_t> row) {
    const std::vector<std::size_t> shape = file_.readShape(name);
    const bool isOfRows =
        shape.size() == row.size() + 1 && std::equal(row.begin(), row.end(), shape.begin() + 1);
    if (!isOfRows || (complete_ && shape.front() != times_.size())) {
      throw std::runtime_error("the file '" + path + "': '" + name +
                               "' does not have the size that its times and nodes require");
    }
    fewest = std::min(fewest, shape.front());
  };
  for (const std::string& output : head_.outputs) checkTable("/outputs/" + output, {});
  if (!head_.nodes.empty()) {
    checkTable("/nodes/position", {head_.nodes.size(), 3});
    checkTable("/nodes/rotation", {head_.nodes.size(), 4});
  }
  if (!head_.partModes.empty()) checkTable("/parts/modes", {head_.partModes.size()});
  times_.resize(fewest);
}

std::optional<model::SourceFiles> ResultFile::readFiles() const {
  if (!file_.has("/files")) return std::nullopt;
  model::SourceFiles sources;
  sources.isStored = true;
  const std::string main = std::filesystem::path(head_.modelFile).filename().string();
  sources.files.push_back({main, head_.modelFile, head_.modelText, false});
  for (const std::string& name : file_.namesIn("/files")) {
    const std::string where = "/files/" + name;
    const bool isRepeated =
        file_.hasAttribute(where, "repeated") && file_.readFlag(where, "repeated");
    sources.files.push_back(
        {file_.readTextAttribute(where, "name"), {}, file_.readBytes(where), isRepeated});
  }
  return sources;
}

std::vector<double> ResultFile::readOutput(std::size_t output) const {
  return file_.readRows("/outputs/" + head_.outputs.at(output), 0, records());
}

ResultFile::Frames ResultFile::readFrames(std::size_t first, std::size_t count) const {
  return {file_.readRows("/nodes/position", first, count),
          file_.readRows("/nodes/rotation", first, count)};
}

std::vector<double> ResultFile::readPartModes(std::size_t first, std::size_t count) const {
  if (head_.partModes.empty()) return {};
  return file_.readRows("/parts/modes", first, count);
}

Result readResult(const std::string& path) {
  const ResultFile file(path);
  const ResultHead& head = file.head();
  Result result;
  result.complete = file.isComplete();
  result.version = head.version;
  result.modelFile = head.modelFile;
  result.modelText = head.modelText;
  result.title = head.title;
  result.settings = head.settings;
  result.time = file.times();
  result.outputs = head.outputs;
  result.units = head.units;
  for (std::size_t i = 0; i < head.outputs.size(); ++i) {
    result.values.push_back(file.readOutput(i));
  }
  result.nodes = head.nodes;
  if (!head.nodes.empty()) {
    ResultFile::Frames frames = file.readFrames(0, file.records());
    result.positions = std::move(frames.positions);
    result.rotations = std::move(frames.rotations);
  }
  return result;
}

}  // namespace flexloop::results
