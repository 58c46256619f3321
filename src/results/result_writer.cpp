#include "results/result_writer.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "files/output_file.hpp"
#include "math/quaternion.hpp"
#include "results/result_place.hpp"

namespace flexloop::results {
namespace {

constexpr std::size_t kTextOfEnd = 1024;

constexpr std::size_t kMostWaiting = 4096;     // records
constexpr std::size_t kMostNumbers = 1 << 16;  // numbers of frames, few enough to stay in the cache
constexpr std::chrono::milliseconds kFlushInterval{1000};
constexpr std::chrono::milliseconds kSlowRecords{100};  // are written one by one
// Of all time, at most one part in so many is spent on waiting for the medium.
constexpr int kSynchronisedShare = 20;
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

// Until it has a head and a record.
std::string newName(const std::string& path) {
  return files::partialName(path) + ".new";
}

}  // namespace

ResultWriter::ResultWriter(std::string path, const ResultHead& head, Start start)
    : path_(std::move(path)),
      start_(start),
      file_(files::Hdf5File::create(newName(path_))),
      nodes_(head.nodes.size()),
      partModeCount_(head.partModes.size()),
      chunkRows_(chooseChunkRows(nodes_)),
      batchRows_(chooseBatchRows(nodes_, chunkRows_)),
      columns_(head.outputs.size()),
      lastFlush_(Clock::now()),
      lastSynchronisation_(lastFlush_),
      lastRecord_(lastFlush_) {
  makeRoom();
  addTables(head);
}

// With its first record: before, there is nothing to see.
void ResultWriter::publish() {
  const std::string partial = files::partialName(path_);
  keep(partial);
  files::renameFile(newName(path_), partial);
  lock_ = files::FileLock(partial, files::FileLock::Use::kWrite);
  lock_.lock(kPatience);
  isPublished_ = true;
}

void ResultWriter::addTables(const ResultHead& head) {
  file_.setAttribute("/", "program", std::string("flexloop"));
  file_.setAttribute("/", "format", std::string(kResultFormat));
  file_.setAttribute("/", "version", head.version);
  file_.setAttribute("/", "model", head.modelFile);
  file_.setAttribute("/", "title", head.title);
  file_.setAttribute("/", "settings", head.settings);
  file_.setAttribute("/", "complete", false);
  // Room for what is known at the end: the file is laid out the same whenever it is flushed.
  for (const char* name : {"verdict", "health", "trouble"}) {
    file_.setAttribute("/", name, std::string(kTextOfEnd, '\0'));
  }
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
  if (partModeCount_ > 0) {
    file_.addGroup("/parts");
    file_.addTexts("/parts/names", head.partModes);
    partMode_ = file_.addTable("/parts/modes", {partModeCount_}, chunkRows_);
  }
}

void ResultWriter::makeRoom() const {
  constexpr std::size_t kAlways = std::size_t{2} << 20, kTable = std::size_t{32} << 10;
  files::requireMemory(kAlways + kTable * columns_.size());
}

void ResultWriter::keep(const std::string& file) {
  std::string name = keepAside(path_, file);
  if (!name.empty()) kept_.push_back(std::move(name));
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
                         const std::vector<math::Frame<double>>& frames,
                         const std::vector<double>& partModes) {
  if (records_ == 0) firstTime_ = time;
  times_.push_back(time);
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].push_back(outputs[i]);
  positions_.resize(positions_.size() + 3 * nodes_);
  rotations_.resize(rotations_.size() + 4 * nodes_);
  double* position = positions_.data() + positions_.size() - 3 * nodes_;
  double* rotation = rotations_.data() + rotations_.size() - 4 * nodes_;
  for (std::size_t n = 0; n < nodes_; ++n, position += 3, rotation += 4) {
    const math::Frame<double>& frame = frames[n + 1];
    std::copy_n(frame.x.data(), 3, position);
    const std::array<double, 4> q = math::calcQuaternion(frame.R);
    std::copy_n(q.data(), 4, rotation);
  }
  partModes_.insert(partModes_.end(), partModes.begin(), partModes.end());
  ++records_;
  const Clock::time_point now = Clock::now();
  const bool isSlow = now - lastRecord_ > kSlowRecords;
  lastRecord_ = now;
  if (isSlow || isDue(1) || !isPublished_) lastFlush_ = now - kFlushInterval;
  update();
}

void ResultWriter::update() {
  if (times_.empty() || Clock::now() - lastFlush_ < kFlushInterval) return;
  if (isDue(kPutOff)) {
    lock_.lock(kPatience);
  } else if (!lock_.tryToLock()) {
    return;
  }
  writeWaiting(isSynchronisationDue());
  lock_.release();
}

bool ResultWriter::isDue(std::size_t times) const {
  return time_.rows() % chunkRows_ + times_.size() >= times * batchRows_;
}

// The slower the medium, the rarer.
bool ResultWriter::isSynchronisationDue() const {
  return Clock::now() - lastSynchronisation_ >=
         std::max<Clock::duration>(kFlushInterval, kSynchronisedShare * synchronisationTime_);
}

void ResultWriter::append(std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    outputs_[i].append(columns_[i].data() + first, count);
  }
  if (nodes_ > 0) {
    position_.append(positions_.data() + 3 * nodes_ * first, count);
    rotation_.append(rotations_.data() + 4 * nodes_ * first, count);
  }
  if (partModeCount_ > 0) partMode_.append(partModes_.data() + partModeCount_ * first, count);
  time_.append(times_.data() + first, count);
}

// Tables grow chunk by chunk together, so that their chunks get their places in the same order whenever this is
// called.
void ResultWriter::writeWaiting(bool isSynchronised) {
  // After a failure in the middle of a flush some tables are ahead.
  const auto isAhead = [this](const files::Hdf5Table& table) {
    return table.rows() != time_.rows();
  };
  if (std::any_of(outputs_.begin(), outputs_.end(), isAhead) ||
      (nodes_ > 0 && isAhead(position_)) || (partModeCount_ > 0 && isAhead(partMode_))) {
    throw std::bad_alloc();
  }
  makeRoom();
  const Clock::time_point begin = Clock::now();
  std::size_t done = 0;
  while (done < times_.size()) {
    const std::size_t count =
        std::min(times_.size() - done, chunkRows_ - time_.rows() % chunkRows_);
    append(done, count);
    done += count;
  }
  file_.commit(isSynchronised);
  if (!isPublished_) publish();
  times_.clear();
  positions_.clear();
  rotations_.clear();
  partModes_.clear();
  for (std::vector<double>& column : columns_) column.clear();
  lastFlush_ = Clock::now();
  if (!isSynchronised) return;
  lastSynchronisation_ = lastFlush_;
  synchronisationTime_ = lastFlush_ - begin;
}

// Readers that take longer are not waited for: a run continues whatever others do.
void ResultWriter::flush() {
  lock_.lock(kPatience);
  writeWaiting(true);
  lock_.release();
}

void ResultWriter::finish(bool complete, const ResultEnd& end) {
  lock_.lock(kPatience);
  writeWaiting(false);
  file_.setAttribute("/", "verdict", end.verdict);
  file_.setAttribute("/", "health", end.health);
  file_.setAttribute("/", "trouble", end.message);
  file_.setAttribute("/", "complete", complete);
  outputs_.clear();
  time_ = files::Hdf5Table();
  position_ = files::Hdf5Table();
  rotation_ = files::Hdf5Table();
  partMode_ = files::Hdf5Table();
  file_.close();
  moveToItsPlace(complete);
  lock_.release();
}

void ResultWriter::moveToItsPlace(bool complete) {
  const std::string partial = files::partialName(path_);
  const bool isContinued = start_ == Start::kContinued;
  const bool isPlaceFinished = (!complete || isContinued) && isFinishedResult(path_);
  if (!complete && isPlaceFinished) {
    path_ = partial;
    return;
  }
  // The new one has no records of the time before it.
  if (isContinued && (!isPlaceFinished || beginsBefore(path_, firstTime_))) keep(path_);
  files::renameWhole(partial, path_);
}

}  // namespace flexloop::results
