// Shapes of this run beside those that another `modes --json` has left in a file.
#pragma once

#include <string>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"

namespace flexloop::reports {

struct ShapeComparison {
  std::string file;
  std::vector<double> frequenciesHz;  // of the modes in the file
  // MAC by mode of this run and mode of the file, with the displacements in ground axes of the nodes that
  // both have; turns are left out, because their size depends on the units.
  Eigen::MatrixXd mac;
};

// Throws base::InputError if the file has no shapes or no node in common.
ShapeComparison compareWithFile(const std::string& file, const system::System& system,
                                const system::State& state,
                                const std::vector<analysis::Mode>& modes);

std::vector<std::string> describeShapeComparison(const ShapeComparison& comparison);

}  // namespace flexloop::reports
