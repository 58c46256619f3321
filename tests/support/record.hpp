// Columns of numbers over time: the outputs of a run, or a reference from a CSV file.
#pragma once

#include <string>
#include <utility>
#include <vector>

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

}  // namespace flexloop::test
