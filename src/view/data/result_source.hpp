// Where the records of a run come from: a file of which only what is asked for is read, or memory.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/time/time_analysis.hpp"
#include "mechanics/parts/part_layout.hpp"
#include "results/result_reader.hpp"

namespace flexloop::view {

inline constexpr std::size_t kFrameNumbers = 7;  // x y z, w x y z

class ResultSource {
 public:
  virtual ~ResultSource() = default;

  virtual const std::vector<double>& times() const = 0;
  virtual const std::vector<std::string>& channels() const = 0;
  virtual const std::vector<std::string>& units() const = 0;  // of the channels
  virtual const std::vector<std::string>& nodes() const = 0;  // without ground; empty: no frames
  virtual bool isComplete() const = 0;
  virtual const results::ResultEnd& end() const = 0;
  virtual bool isGrowing() const { return false; }  // more may come
  virtual void refresh() {}                         // looks for more
  virtual std::vector<double> readChannel(std::size_t channel) const = 0;
  // [count][nodes][7], ground first. In double precision: strains of stiff beams are small differences.
  virtual std::vector<double> readFrames(std::size_t first, std::size_t count) const = 0;

  // [count][modal coordinates of all parts]; empty where none were recorded.
  virtual std::vector<double> readPartModes(std::size_t first, std::size_t count) const = 0;

  // Of which this is a part: with all records.
  virtual const ResultSource& whole() const { return *this; }

  std::size_t records() const { return times().size(); }
  // Records that are transferred together: about 2 MB, so that the first are soon there.
  std::size_t chunk() const;
};

class FileResult final : public ResultSource {
 public:
  // With `follows`, `<path>.partial` of a run in progress is read again at every refresh, until it gets
  // its name. Throws as results::ResultFile.
  explicit FileResult(std::string path, bool follows = false);

  const results::ResultHead& head() const { return head_; }
  // See results::ResultFile.
  std::optional<model::SourceFiles> readFiles() const;
  const std::vector<double>& times() const override { return times_; }
  const std::vector<std::string>& channels() const override { return head().outputs; }
  const std::vector<std::string>& units() const override { return head().units; }
  const std::vector<std::string>& nodes() const override { return head().nodes; }
  bool isComplete() const override { return complete_; }
  const results::ResultEnd& end() const override { return end_; }
  bool isGrowing() const override { return isGrowing_; }
  void refresh() override;
  std::vector<double> readChannel(std::size_t channel) const override;
  std::vector<double> readFrames(std::size_t first, std::size_t count) const override;
  std::vector<double> readPartModes(std::size_t first, std::size_t count) const override;

 private:
  void keepWhatItSays(const results::ResultFile& file);
  void readHead();
  void renew();
  template <class Read>
  auto readInTurn(const Read& read) const;

  std::string path_;
  bool isGrowing_ = false;
  bool isShared_ = false;  // with a run that may still write it
  mutable std::optional<results::ResultFile> file_;
  results::ResultHead head_;
  std::vector<double> times_;
  bool complete_ = false;
  results::ResultEnd end_;
};

// Some records of another result, evenly taken, the first and the last among them.
class ThinnedResult final : public ResultSource {
 public:
  ThinnedResult(std::shared_ptr<ResultSource> whole, std::size_t most);

  const std::vector<double>& times() const override { return times_; }
  const std::vector<std::string>& channels() const override { return whole_->channels(); }
  const std::vector<std::string>& units() const override { return whole_->units(); }
  const std::vector<std::string>& nodes() const override { return whole_->nodes(); }
  bool isComplete() const override { return whole_->isComplete(); }
  const results::ResultEnd& end() const override { return whole_->end(); }
  std::vector<double> readChannel(std::size_t channel) const override;
  std::vector<double> readFrames(std::size_t first, std::size_t count) const override;
  std::vector<double> readPartModes(std::size_t first, std::size_t count) const override;
  const ResultSource& whole() const override { return *whole_; }

 private:
  std::shared_ptr<ResultSource> whole_;
  std::vector<std::size_t> records_;
  std::vector<double> times_;
};

// A run that is kept in memory.
class MemoryResult final : public ResultSource, public analysis::Observer {
 public:
  // `stopRequest` is not zero when the user wants to stop; more than `mostNumbers` end the run too.
  // The model must outlive it while it is recorded.
  MemoryResult(const model::Model& model, const volatile int* stopRequest, std::size_t mostNumbers);

  const std::vector<double>& times() const override { return times_; }
  const std::vector<std::string>& channels() const override { return channels_; }
  const std::vector<std::string>& units() const override { return units_; }
  const std::vector<std::string>& nodes() const override { return nodes_; }
  bool isComplete() const override { return complete_; }
  const results::ResultEnd& end() const override { return end_; }
  std::vector<double> readChannel(std::size_t channel) const override { return columns_[channel]; }
  std::vector<double> readFrames(std::size_t first, std::size_t count) const override;
  std::vector<double> readPartModes(std::size_t first, std::size_t count) const override;

  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>& outputs) override;
  bool onStep(double time) override;

  void finish(bool complete, results::ResultEnd end) {
    complete_ = complete;
    end_ = std::move(end);
  }
  bool isFull() const { return numbers_ > mostNumbers_; }

 private:
  std::vector<std::string> channels_, units_, nodes_;
  const volatile int* stopRequest_;
  std::size_t mostNumbers_, numbers_ = 0;
  bool complete_ = false;
  results::ResultEnd end_;
  std::vector<double> times_;
  std::vector<std::vector<double>> columns_;
  std::vector<double> frames_;
  std::vector<mechanics::PartLayout> parts_;
  std::vector<double> partModes_;
};

}  // namespace flexloop::view
