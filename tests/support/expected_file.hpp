// What a model of models/ must give: the file expected.yaml beside it.
//
//   command: run                   # or equilibrium, or modes
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
//       modes:                                   # each must be found; frequencies in Hz, or roots
//         - {frequencies: [41.69, 258.2], loop: open, bodies: rigid, about: equilibrium, relative: 1e-6}
//         - {roots: [[-3.6, 11.447]], at: 2, tolerance: 1e-8}
//
// `relative` is a share of the value, or of the largest value of the curve, and adds to
// `tolerance`. Each check and curve names at least one of them. An equilibrium has checks without
// `at`. The roots of a free response are looked for among the modes too.
#pragma once

#include <complex>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"
#include "language/overrides.hpp"
#include "model/mode_settings.hpp"

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

struct ExpectedModes {
  analysis::ModeOptions options;
  model::OperatingPoint about;
  std::vector<double> frequencies;          // [Hz]
  std::vector<std::complex<double>> roots;  // im ≥ 0
  Tolerance tolerance;                      // of rad/s, or of Hz
};

struct ExpectedCase {
  language::Overrides overrides;
  std::optional<double> dissipation;
  std::vector<ExpectedValue> checks;
  std::vector<ExpectedCurve> curves;
  std::vector<ExpectedRoots> roots;
  std::vector<ExpectedModes> modes;
};

// An output that swings freely, or only decays: all that is seen in it is a mode.
struct FreeRecord {
  std::string output;
  double interval = 0.0;  // between the samples that are used
  Range range;
  int roots = 0;        // that are seen; a pair is one
  double weight = 0.0;  // from this share of the record on a root is seen, root mean square
};

// A machine that moves about its start as a linear one does.
struct ExpectedFreeResponse {
  language::Overrides overrides;
  std::vector<FreeRecord> records;
  int modes = 0;      // the first so many are started one by one
  double size = 0.0;  // of their largest displacement [m]
};

struct ExpectedFile {
  bool isEquilibrium = false;
  bool hasRun = true;
  bool isSlow = false;
  std::vector<ExpectedCase> cases;
  std::vector<ExpectedFreeResponse> freeResponses;
};

// Throws std::exception with the place of the first mistake.
ExpectedFile readExpectedFile(const std::string& path);

}  // namespace flexloop::test
