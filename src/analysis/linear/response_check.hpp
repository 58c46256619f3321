// State equations beside the machine that they represent (docs/theory/19_responses.md, section 19.4): both are asked for
// their response from far below the slowest to far above the fastest root, and at the roots.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "analysis/linear/frequency_response.hpp"
#include "linalg/state_space/minimal_form.hpp"

namespace flexloop::analysis {

struct ResponseDifference {
  double share = 0.0;        // of the response at the same frequency, the largest of all (19.10)
  double frequencyHz = 0.0;  // where
  int input = 0, output = 0;
  int points = 0;
  // Where the largest difference is that of a root from the nearest one of the state equations, by its size.
  std::optional<std::complex<double>> root = std::nullopt;
};

class ResponseCheck {
 public:
  // The ports have no delays and must outlive this. The roots are those of the machine.
  ResponseCheck(const LinearPorts& ports, const std::vector<linalg::Eigenpair>& roots);

  ResponseDifference compare(const linalg::StateMatrices& given);
  // The same, and whether all roots of the machine are those of A: a part that no input reaches has no response.
  ResponseDifference compareWithRoots(const linalg::StateMatrices& given);

 private:
  ResponseSolver solver_;
  std::vector<double> frequencies_;          // [rad/s]
  double fastest_ = 1.0;                     // of the roots [rad/s]
  std::vector<std::complex<double>> roots_;  // that are not zero
  std::vector<double> uncertainties_;
};

}  // namespace flexloop::analysis
