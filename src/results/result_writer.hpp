// The result file of a run, in HDF5:
//
//   /                 attributes: program, format (of this file), version (of the program), model
//                     (name of the file), title, settings, complete (whether the run came to its end), and from
//                     the end on verdict (why it should not be trusted; empty: nothing speaks against it), health
//                     (what is known of that, one per line), trouble (why it failed)
//   /model            text of the model file
//   /files/<i>        bytes of the other files of the model: what it includes, meshes of bodies, and its reduced parts under
//                     the names <parts.NAME>; attributes: name, and repeated for another name of the same file
//   /time             [records]
//   /outputs/<name>   [records], with the attribute unit where it is known
//   /nodes/names      [nodes]                where frames are recorded; ground is left out
//   /nodes/position   [records, nodes, 3]    m, ground axes
//   /nodes/rotation   [records, nodes, 4]    quaternion w x y z of the node's axes in ground
//   /parts/names      [coordinates]          modal coordinates of flexible parts, where there are any and frames are recorded
//   /parts/modes      [records, coordinates]
//
// It is written during the run, under the name <path>.partial, and is readable up to its last flush even if the
// run is killed or the disk is full. finish() gives it its name. A reader that takes its turn (file_turn.hpp)
// finds the state of the last flush meanwhile; the writer puts its next flush off, but does not wait for long.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "files/file_lock.hpp"
#include "files/hdf5_file.hpp"
#include "math/se3.hpp"
#include "model/source_files.hpp"

namespace flexloop::results {

inline constexpr const char* kResultFormat = "1";

struct ResultHead {
  std::string version;
  std::string modelFile;
  std::string modelText;
  std::vector<model::SourceFile> files;  // that the model consists of, beside its own
  std::string title;
  std::string settings;  // overrides from the command line, one per line
  std::vector<std::string> outputs;
  std::vector<std::string> units;  // of the outputs; empty where not known
  std::vector<std::string> nodes;  // empty: no frames; the first entry is the node after ground
  std::vector<std::string>
      partModes;  // modal coordinates of parts; empty where no frames are recorded
};

// What is known of a run at its end.
struct ResultEnd {
  std::string verdict, health, message;  // the attributes verdict, health and trouble
};

class ResultWriter {
 public:
  // Of a run that continues another, whose results up to then are kept.
  enum class Start { kAnew, kContinued };

  // What a run that was cut off has left under the name <path>.partial is kept as <stem>.part-N.h5. Throws
  // std::runtime_error if the file cannot be written, here and below.
  ResultWriter(std::string path, const ResultHead& head, Start start = Start::kAnew);

  // Frames of all nodes with ground first; not used if the head names no nodes. As many modal coordinates of parts as the
  // head names.
  void write(double time, const std::vector<double>& outputs,
             const std::vector<math::Frame<double>>& frames,
             const std::vector<double>& partModes = {});
  // Brings records that have waited for about a second to the file. Cheap enough to be called after every step.
  void update();
  // Brings all records to the file and to the medium. How often does not change the bits of the finished file.
  void flush();
  // The last call. An incomplete file keeps what it has and says so; it stays partial where a complete result is.
  void finish(bool complete, const ResultEnd& end = {});

  std::size_t records() const { return records_; }
  const std::string& path() const { return path_; }  // in the end, the name that it has got
  const std::vector<std::string>& kept() const { return kept_; }  // files of earlier runs

 private:
  using Clock = std::chrono::steady_clock;

  void addFiles(const ResultHead& head);
  void addTables(const ResultHead& head);
  void publish();
  void makeRoom() const;  // for what HDF5 takes, which is in proportion to the tables
  void append(std::size_t first, std::size_t count);  // of the waiting records
  bool isDue(std::size_t times) const;                // for a flush
  bool isSynchronisationDue() const;
  void writeWaiting(bool isSynchronised);
  void moveToItsPlace(bool complete);
  void keep(const std::string& file);

  std::string path_;
  Start start_;
  files::Hdf5File file_;
  bool isPublished_ = false;  // has the name <path>.partial
  files::FileLock lock_;
  files::Hdf5Table time_, position_, rotation_, partMode_;
  std::vector<files::Hdf5Table> outputs_;
  std::size_t nodes_ = 0, partModeCount_ = 0;
  std::size_t chunkRows_ = 0;
  std::size_t batchRows_;  // are written at once
  std::size_t records_ = 0;
  double firstTime_ = 0.0;  // [s], of all records
  // Records that wait for the next flush; those of outputs by output.
  std::vector<double> times_, positions_, rotations_, partModes_;
  std::vector<std::vector<double>> columns_;
  Clock::time_point lastFlush_, lastSynchronisation_, lastRecord_;
  Clock::duration synchronisationTime_{};  // that the last one took
  std::vector<std::string> kept_;
};

}  // namespace flexloop::results
