// Runs of one machine, written in many ways, in the units and axes of the machine as it was made.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/time/time_analysis.hpp"
#include "model/model.hpp"
#include "random/text_writer.hpp"

namespace flexloop::random {

// A check that failed, or a run that it needs.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Trajectory {
  std::vector<double> times;
  std::vector<std::vector<double>> columns;  // as columnsOf, then those of the energy balance
  system::State first, last;
  analysis::TimeReport report;
};

// Outputs that are compared by one number.
struct Group {
  std::string name;
  Dimension dimension;
  std::vector<int> columns;
};

class Study {
 public:
  explicit Study(Machine machine);

  const Machine& machine() const { return machine_; }
  const std::vector<Group>& groups() const { return groups_; }

  // Throws Failure if the run fails. Kept, so that checks share runs.
  const Trajectory& run(const Writing& writing);
  const Trajectory& base(int refinement = 0);
  model::Model build(const Writing& writing) const;

  // By group, the root of the mean square over time, of the output that differs most.
  std::vector<double> compare(const Trajectory& a, const Trajectory& b) const;
  // By group, what an error of 1e-8 in every property of the machine changes: rounding and the tolerance of Newton's method
  // may do that and no more.
  const std::vector<double>& floor();
  double scale(Dimension dimension);  // of what the machine does

 private:
  void makeScales();
  void makeGroups();
  Trajectory turnBack(Trajectory run, const Writing& writing) const;

  Machine machine_;
  std::vector<Group> groups_;
  std::map<std::string, Trajectory> runs_;
  std::vector<double> floor_;
  std::map<Dimension, double> scales_;
};

// Throws Failure with the first group that is above what is allowed.
void expectBelow(const Study& study, const std::string& what, const std::vector<double>& found,
                 const std::vector<double>& allowed);

}  // namespace flexloop::random
