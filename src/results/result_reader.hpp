// Reads a result file, also one whose run was interrupted or is still in progress.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/hdf5_file.hpp"
#include "results/result_writer.hpp"

namespace flexloop::results {

// A file whose records are read when they are asked for. Throws std::runtime_error where it cannot be
// read, or where it is no result that this program understands.
class ResultFile {
 public:
  explicit ResultFile(const std::string& path);

  const ResultHead& head() const { return head_; }
  bool isComplete() const { return complete_; }
  // Empty where the run has not come to an end, or was written by an older version.
  const ResultEnd& end() const { return end_; }
  const std::vector<double>& times() const { return times_; }  // of all records
  std::size_t records() const { return times_.size(); }

  // The files of the model, its own first; nothing where the result was written by a version that kept only that.
  std::optional<model::SourceFiles> readFiles() const;

  std::vector<double> readOutput(std::size_t output) const;  // one value per record

  struct Frames {
    std::vector<double> positions;  // by record, node, x y z
    std::vector<double> rotations;  // by record, node, quaternion w x y z
  };
  // Of `count` records from `first` on; without ground.
  Frames readFrames(std::size_t first, std::size_t count) const;
  // By record, then by modal coordinate of the head; empty where it names none.
  std::vector<double> readPartModes(std::size_t first, std::size_t count) const;

 private:
  void checkTimes(const std::string& path);
  void checkShapes(const std::string& path);

  files::Hdf5File file_;
  ResultHead head_;
  ResultEnd end_;
  bool complete_ = false;
  std::vector<double> times_;
};

struct Result {
  bool complete = false;
  std::string version, modelFile, modelText, title, settings;
  std::vector<double> time;
  std::vector<std::string> outputs;
  std::vector<std::string> units;           // by output; empty where not known
  std::vector<std::vector<double>> values;  // by output, as many as times
  std::vector<std::string> nodes;           // empty where no frames were recorded
  std::vector<double> positions;            // by record, node, x y z
  std::vector<double> rotations;            // by record, node, quaternion w x y z
};

// The whole of it. Throws as above.
Result readResult(const std::string& path);

}  // namespace flexloop::results
