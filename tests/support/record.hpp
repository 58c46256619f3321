// Columns of numbers over time: the outputs of a run, or a reference from a CSV file.
#pragma once

#include <string>
#include <vector>

#include "analysis/time_analysis.hpp"

namespace flexloop::test {

class Record {
 public:
  explicit Record(std::vector<std::string> names)
      : names_(std::move(names)), columns_(names_.size()) {}

  void add(double time, const std::vector<double>& values);

  const std::vector<double>& times() const { return times_; }
  // Throws std::out_of_range with the names that there are.
  const std::vector<double>& column(const std::string& name) const;
  // Between two times by the straight line; throws std::out_of_range outside of the record.
  double at(double time, const std::string& name) const;

 private:
  std::vector<std::string> names_;
  std::vector<double> times_;
  std::vector<std::vector<double>> columns_;
};

// A header `time,NAME,…` and a row of numbers for each time. Throws std::runtime_error.
Record readRecord(const std::string& path);

class RecordingObserver final : public analysis::Observer {
 public:
  explicit RecordingObserver(std::vector<std::string> names) : record_(std::move(names)) {}

  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>& outputs) override {
    record_.add(state.time, outputs);
  }
  bool onStep(double) override { return true; }

  const Record& record() const { return record_; }

 private:
  Record record_;
};

}  // namespace flexloop::test
