// What a model of models/ must give: the file expected.yaml beside it.
//
//   command: run                   # or equilibrium
//   slow: false                    # true: only in `make test-long`
//   cases:
//     - set: [-p, P=8.9 N, --step, 1 ms]         # words of the command line
//       dissipation: 1e-5                        # largest share of the energy that the scheme may
//       take checks:
//         - {output: tip.z, at: 3, value: 5.5, tolerance: 0.04}
//         - {output: tip.y, of: minimum, value: -0.57, relative: 0.002}     # maximum, mean; from,
//         to
//       curves:
//         - {output: tip.z, file: reference.csv, column: tip_z, tolerance: 0.04}    # from, to
//       roots:                                   # [Re, Im] of a free response, Im ≥ 0, 1/s
//         - {output: x, interval: 0.02, values: [[-3.6, 11.447], [0, 0]], tolerance: 1e-3}  # from, to
//
// `relative` is a share of the value, or of the largest value of the curve, and adds to
// `tolerance`. Each check and curve names at least one of them. An equilibrium has checks without
// `at`.
#pragma once

#include <complex>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/overrides.hpp"

namespace flexloop::test {

struct Range {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();

  bool contains(double time) const { return time >= from - kRoundOff && time <= to + kRoundOff; }

  static constexpr double kRoundOff = 1e-9;  // s
};

struct Tolerance {
  double absolute = 0.0;
  double relative = 0.0;

  double of(double scale) const { return absolute + relative * scale; }
};

enum class Pick { kOnly, kAt, kMinimum, kMaximum, kMean };

struct ExpectedValue {
  std::string output;
  Pick pick = Pick::kOnly;
  double at = 0.0;
  Range range;
  double value = 0.0;
  Tolerance tolerance;
};

struct ExpectedCurve {
  std::string output;
  std::string file;  // beside expected.yaml; its first column is the time
  std::string column;
  Range range;
  Tolerance tolerance;
};

struct ExpectedRoots {
  std::string output;
  double interval = 0.0;                     // between the samples that are used
  std::vector<std::complex<double>> values;  // all that the response consists of, im ≥ 0
  Range range;
  Tolerance tolerance;
};

struct ExpectedCase {
  io::Overrides overrides;
  std::optional<double> dissipation;
  std::vector<ExpectedValue> checks;
  std::vector<ExpectedCurve> curves;
  std::vector<ExpectedRoots> roots;
};

struct ExpectedFile {
  bool isEquilibrium = false;
  bool isSlow = false;
  std::vector<ExpectedCase> cases;
};

// Throws std::exception with the place of the first mistake.
ExpectedFile readExpectedFile(const std::string& path);

}  // namespace flexloop::test
