#include "support/record.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace flexloop::test {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

}  // namespace

void Record::add(double time, const std::vector<double>& values) {
  if (values.size() != columns_.size()) throw std::runtime_error("a row has too few or many cells");
  times_.push_back(time);
  for (std::size_t i = 0; i < values.size(); ++i) columns_[i].push_back(values[i]);
}

const std::vector<double>& Record::column(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return columns_[found - names_.begin()];
  std::string known;
  for (const std::string& other : names_) known += " " + other;
  throw std::out_of_range("there is no '" + name + "'; there are" + known);
}

double Record::at(double time, const std::string& name) const {
  constexpr double kRoundOff = 1e-9;  // s
  const std::vector<double>& values = column(name);
  if (times_.empty() || time < times_.front() - kRoundOff || time > times_.back() + kRoundOff) {
    throw std::out_of_range("t = " + std::to_string(time) + " s was not recorded");
  }
  const std::size_t after =
      std::lower_bound(times_.begin(), times_.end(), time - kRoundOff) - times_.begin();
  if (after == 0 || times_[after] - time <= kRoundOff) return values[after];
  const double share = (time - times_[after - 1]) / (times_[after] - times_[after - 1]);
  return (1.0 - share) * values[after - 1] + share * values[after];
}

Record readRecord(const std::string& path) {
  std::ifstream stream(path);
  std::string line;
  if (!std::getline(stream, line)) throw std::runtime_error(path + " cannot be read");
  std::vector<std::string> names = split(line);
  if (names.empty() || names.front() != "time")
    throw std::runtime_error(path + ": no column 'time'");
  names.erase(names.begin());
  Record record(names);
  while (std::getline(stream, line)) {
    std::vector<double> values;
    for (const std::string& cell : split(line)) values.push_back(std::stod(cell));
    const double time = values.empty() ? 0.0 : values.front();
    if (!values.empty()) values.erase(values.begin());
    record.add(time, values);
  }
  return record;
}

}  // namespace flexloop::test
