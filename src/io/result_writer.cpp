#include "io/result_writer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "io/output_file.hpp"
#include "io/quaternion.hpp"

namespace flexloop::io {
namespace {

constexpr std::size_t kMostWaiting = 4096;     // records
constexpr std::size_t kMostNumbers = 1 << 16;  // numbers of frames, few enough to stay in the cache
constexpr std::chrono::milliseconds kFlushInterval{1000};
constexpr std::size_t kPutOff = 8;  // times as much may wait while someone reads
constexpr std::chrono::milliseconds kPatience{2000};

std::size_t chooseChunkRows(std::size_t nodes) {
  constexpr std::size_t kChunkBytes = 1 << 18;
  const std::size_t widest = std::max<std::size_t>(4 * nodes, 1) * sizeof(double);
  return std::clamp<std::size_t>(kChunkBytes / widest, 1, 1024);
}

// Whole chunks: one that is written in two parts is written twice.
std::size_t chooseBatchRows(std::size_t nodes, std::size_t chunkRows) {
  const std::size_t rows =
      std::min(kMostWaiting, kMostNumbers / std::max<std::size_t>(4 * nodes, 1));
  return chunkRows * std::max<std::size_t>(rows / chunkRows, 1);
}

}  // namespace

ResultWriter::ResultWriter(std::string path, const ResultHead& head)
    : path_(std::move(path)),
      file_(Hdf5File::create(partialName(path_))),
      turn_(partialName(path_), FileTurn::Use::kWrite),
      nodes_(head.nodes.size()),
      chunkRows_(chooseChunkRows(nodes_)),
      batchRows_(chooseBatchRows(nodes_, chunkRows_)),
      columns_(head.outputs.size()),
      lastFlush_(Clock::now()) {
  file_.setAttribute("/", "program", std::string("flexloop"));
  file_.setAttribute("/", "format", std::string(kResultFormat));
  file_.setAttribute("/", "version", head.version);
  file_.setAttribute("/", "model", head.modelFile);
  file_.setAttribute("/", "title", head.title);
  file_.setAttribute("/", "settings", head.settings);
  file_.setAttribute("/", "complete", false);
  file_.addText("/model", head.modelText);
  addFiles(head);
  time_ = file_.addTable("/time", {}, chunkRows_);
  file_.setAttribute("/time", "unit", std::string("s"));
  file_.addGroup("/outputs");
  for (std::size_t i = 0; i < head.outputs.size(); ++i) {
    const std::string name = "/outputs/" + head.outputs[i];
    outputs_.push_back(file_.addTable(name, {}, chunkRows_));
    if (i < head.units.size() && !head.units[i].empty()) {
      file_.setAttribute(name, "unit", head.units[i]);
    }
  }
  if (nodes_ > 0) {
    file_.addGroup("/nodes");
    file_.addTexts("/nodes/names", head.nodes);
    position_ = file_.addTable("/nodes/position", {nodes_, 3}, chunkRows_);
    rotation_ = file_.addTable("/nodes/rotation", {nodes_, 4}, chunkRows_);
  }
  file_.flush();
}

void ResultWriter::addFiles(const ResultHead& head) {
  file_.addGroup("/files");
  for (std::size_t i = 0; i < head.files.size(); ++i) {
    const std::string name = "/files/" + std::to_string(i);
    file_.addBytes(name, head.files[i].text);
    file_.setAttribute(name, "name", head.files[i].name);
    if (head.files[i].isRepeated) file_.setAttribute(name, "repeated", true);
  }
}

void ResultWriter::write(double time, const std::vector<double>& outputs,
                         const std::vector<math::Frame<double>>& frames) {
  times_.push_back(time);
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].push_back(outputs[i]);
  positions_.resize(positions_.size() + 3 * nodes_);
  rotations_.resize(rotations_.size() + 4 * nodes_);
  double* position = positions_.data() + positions_.size() - 3 * nodes_;
  double* rotation = rotations_.data() + rotations_.size() - 4 * nodes_;
  for (std::size_t n = 0; n < nodes_; ++n, position += 3, rotation += 4) {
    const math::Frame<double>& frame = frames[n + 1];
    std::copy_n(frame.x.data(), 3, position);
    const std::array<double, 4> q = calcQuaternion(frame.R);
    std::copy_n(q.data(), 4, rotation);
  }
  ++records_;
  if (!isDue(1) && Clock::now() - lastFlush_ < kFlushInterval) return;
  if (isDue(kPutOff)) {
    flush();
  } else if (turn_.tryToTake()) {
    writeWaiting();
    turn_.release();
  }
}

bool ResultWriter::isDue(std::size_t times) const {
  return time_.rows() % chunkRows_ + times_.size() >= times * batchRows_;
}

void ResultWriter::append(std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    outputs_[i].append(columns_[i].data() + first, count);
  }
  if (nodes_ > 0) {
    position_.append(positions_.data() + 3 * nodes_ * first, count);
    rotation_.append(rotations_.data() + 4 * nodes_ * first, count);
  }
  // A time in the file says that the rest of its record is there too.
  file_.flush();
  time_.append(times_.data() + first, count);
  file_.flush();
}

// All of it goes to the file at once: the shorter that takes, the less a kill in the middle can
// spoil. Tables grow chunk by chunk together, so that their chunks get their places in the same
// order whenever this is called.
void ResultWriter::writeWaiting() {
  std::size_t done = 0;
  while (done < times_.size()) {
    const std::size_t count =
        std::min(times_.size() - done, chunkRows_ - time_.rows() % chunkRows_);
    append(done, count);
    done += count;
  }
  times_.clear();
  positions_.clear();
  rotations_.clear();
  for (std::vector<double>& column : columns_) column.clear();
  lastFlush_ = Clock::now();
}

// Who reads for longer than that is not waited for: a run goes on whatever others do.
void ResultWriter::flush() {
  turn_.take(kPatience);
  writeWaiting();
  turn_.release();
}

void ResultWriter::finish(bool complete) {
  turn_.take(kPatience);
  writeWaiting();
  file_.setAttribute("/", "complete", complete);
  outputs_.clear();
  time_ = Hdf5Table();
  position_ = Hdf5Table();
  rotation_ = Hdf5Table();
  file_.close();
  renamePartial(path_);
  turn_.release();
}

}  // namespace flexloop::io
