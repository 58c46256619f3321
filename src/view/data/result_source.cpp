#include "view/data/result_source.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "files/file_lock.hpp"
#include "files/output_file.hpp"
#include "math/quaternion.hpp"

namespace flexloop::view {
namespace {

namespace fs = std::filesystem;

// The end of a run renames its file, and there are file systems without locks.
constexpr int kAttempts = 20;
constexpr std::chrono::milliseconds kPause{25};
constexpr std::chrono::milliseconds kPatience{1000};

void addFrame(const double* position, const double* rotation, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), position, position + 3);
  numbers.insert(numbers.end(), rotation, rotation + 4);
}

void addGround(std::vector<double>& numbers) {
  constexpr std::array<double, kFrameNumbers> kIdentity{0, 0, 0, 1, 0, 0, 0};
  numbers.insert(numbers.end(), kIdentity.begin(), kIdentity.end());
}

}  // namespace

std::size_t ResultSource::chunk() const {
  constexpr std::size_t kBytes = std::size_t{2} << 20;
  const std::size_t record = (nodes().size() + 1) * kFrameNumbers * sizeof(float);
  return std::clamp<std::size_t>(kBytes / record, 1, 4096);
}

FileResult::FileResult(std::string path, bool follows) : path_(std::move(path)) {
  const std::string partial = files::partialName(path_);
  std::error_code ignored;
  const bool hasResult = fs::exists(path_, ignored), hasPartial = fs::exists(partial, ignored);
  const bool isOlder = hasResult && hasPartial &&
                       fs::last_write_time(path_, ignored) > fs::last_write_time(partial, ignored);
  isGrowing_ = follows && hasPartial && !isOlder;
  isShared_ = isGrowing_ || (hasPartial && !hasResult);
  if (!isShared_) file_.emplace(path_);
  if (isGrowing_) {
    renew();
  } else {
    readHead();
  }
}

void FileResult::keepWhatItSays(const results::ResultFile& file) {
  head_ = file.head();
  times_ = file.times();
  complete_ = file.isComplete();
  end_ = file.end();
}

// A file that is being written is read while its writer keeps off. It is closed before it is opened again, since
// HDF5 would show what it knows of an open one.
template <class Read>
auto FileResult::readInTurn(const Read& read) const {
  if (!isShared_) return read(*file_);
  for (int i = 0; i < kAttempts; ++i) {
    if (i > 0) std::this_thread::sleep_for(kPause);
    std::error_code error;
    const std::string partial = files::partialName(path_);
    const std::string name = fs::exists(partial, error) ? partial : path_;
    const files::FileLock lock(name, files::FileLock::Use::kRead);
    if (!lock.lock(kPatience)) break;
    const fs::file_time_type written = fs::last_write_time(name, error);
    if (error) continue;
    try {
      file_.reset();
      file_.emplace(name);
      auto content = read(*file_);
      if (fs::last_write_time(name, error) == written && !error) return content;
    } catch (const std::runtime_error&) {
      if (i + 1 == kAttempts) throw;
    }
  }
  throw std::runtime_error("the file '" + path_ + "' is being written; try again");
}

void FileResult::readHead() {
  readInTurn([this](const results::ResultFile& file) {
    keepWhatItSays(file);
    return true;
  });
}

void FileResult::renew() {
  const bool isPartial = fs::exists(files::partialName(path_));
  readHead();
  isGrowing_ = isPartial;  // as before the reading, so that its last state is not missed
}

void FileResult::refresh() {
  if (!isGrowing_) return;
  try {
    renew();
  } catch (const std::runtime_error&) {
    return;  // what was read before stays; the next time may be better
  }
}

std::optional<model::SourceFiles> FileResult::readFiles() const {
  return readInTurn([](const results::ResultFile& file) { return file.readFiles(); });
}

std::vector<double> FileResult::readChannel(std::size_t channel) const {
  std::vector<double> values =
      readInTurn([&](const results::ResultFile& file) { return file.readOutput(channel); });
  values.resize(times_.size());  // there may be more by now
  return values;
}

std::vector<double> FileResult::readFrames(std::size_t first, std::size_t count) const {
  const results::ResultFile::Frames frames =
      readInTurn([&](const results::ResultFile& file) { return file.readFrames(first, count); });
  const std::size_t nodes = head().nodes.size();
  std::vector<double> numbers;
  numbers.reserve(count * (nodes + 1) * kFrameNumbers);
  const double* position = frames.positions.data();
  const double* rotation = frames.rotations.data();
  for (std::size_t record = 0; record < count; ++record) {
    addGround(numbers);
    for (std::size_t n = 0; n < nodes; ++n, position += 3, rotation += 4) {
      addFrame(position, rotation, numbers);
    }
  }
  return numbers;
}

std::vector<double> FileResult::readPartModes(std::size_t first, std::size_t count) const {
  return readInTurn(
      [&](const results::ResultFile& file) { return file.readPartModes(first, count); });
}

ThinnedResult::ThinnedResult(std::shared_ptr<ResultSource> whole, std::size_t most)
    : whole_(std::move(whole)) {
  const std::size_t all = whole_->records();
  const std::size_t count = std::min(all, std::max<std::size_t>(most, 2));
  for (std::size_t i = 0; i < count; ++i) {
    records_.push_back(count > 1 ? i * (all - 1) / (count - 1) : 0);
    times_.push_back(whole_->times()[records_.back()]);
  }
}

std::vector<double> ThinnedResult::readChannel(std::size_t channel) const {
  const std::vector<double> all = whole_->readChannel(channel);
  std::vector<double> some;
  for (const std::size_t record : records_) some.push_back(all[record]);
  return some;
}

std::vector<double> ThinnedResult::readFrames(std::size_t first, std::size_t count) const {
  std::vector<double> frames;
  for (std::size_t i = first; i < first + count; ++i) {
    const std::vector<double> one = whole_->readFrames(records_[i], 1);
    frames.insert(frames.end(), one.begin(), one.end());
  }
  return frames;
}

std::vector<double> ThinnedResult::readPartModes(std::size_t first, std::size_t count) const {
  std::vector<double> modes;
  for (std::size_t i = first; i < first + count; ++i) {
    const std::vector<double> one = whole_->readPartModes(records_[i], 1);
    modes.insert(modes.end(), one.begin(), one.end());
  }
  return modes;
}

MemoryResult::MemoryResult(const model::Model& model, const volatile int* stopRequest,
                           std::size_t mostNumbers)
    : channels_(model.outputs().names()),
      units_(model.outputs().units()),
      stopRequest_(stopRequest),
      mostNumbers_(mostNumbers),
      columns_(channels_.size()),
      parts_(mechanics::findParts(model.system())) {
  const auto& nodes = model.system().nodes();
  for (std::size_t i = 1; i < nodes.size(); ++i) nodes_.push_back(nodes[i].name);
}

void MemoryResult::onRecord(const system::State& state, const std::vector<double>& outputs) {
  times_.push_back(state.time);
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].push_back(outputs[i]);
  for (const math::Frame<double>& frame : state.frames) {
    addFrame(frame.x.data(), math::calcQuaternion(frame.R).data(), frames_);
  }
  const std::vector<double> modes = mechanics::readModes(parts_, state);
  partModes_.insert(partModes_.end(), modes.begin(), modes.end());
  numbers_ = frames_.size() + partModes_.size() + times_.size() * (1 + columns_.size());
}

bool MemoryResult::onStep(double) {
  return !isFull() && (stopRequest_ == nullptr || *stopRequest_ == 0);
}

std::vector<double> MemoryResult::readFrames(std::size_t first, std::size_t count) const {
  const std::size_t record = (nodes_.size() + 1) * kFrameNumbers;
  const auto start = frames_.begin() + static_cast<std::ptrdiff_t>(first * record);
  return {start, start + static_cast<std::ptrdiff_t>(count * record)};
}

std::vector<double> MemoryResult::readPartModes(std::size_t first, std::size_t count) const {
  const std::size_t record = times_.empty() ? 0 : partModes_.size() / times_.size();
  const auto start = partModes_.begin() + static_cast<std::ptrdiff_t>(first * record);
  return {start, start + static_cast<std::ptrdiff_t>(count * record)};
}

}  // namespace flexloop::view
