// Flexloop as a library: load a model, change its numbers, simulate it, and find its modes, responses and state equations.
//
// Options are enums and numbers, results are values, units are SI. Everything that goes wrong is a flexloop::Error. A Model
// is a value too: a copy can be changed without the original, but copies share their machine until one is changed. Threads may
// compute with one model at once; if it has black boxes, each thread needs a model that was loaded for it.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace flexloop {

// The values are the exit codes of the program.
enum class ErrorKind { kInput = 2, kNumerics = 3, kOther = 4 };

class [[gnu::visibility("default")]] Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string hint = {})
      : std::runtime_error(message), kind_(kind), hint_(std::move(hint)) {}

  ErrorKind kind() const {
    return kind_;
  }
  const std::string& hint() const {
    return hint_;
  }  // what would help; may be empty

 private:
  ErrorKind kind_;
  std::string hint_;
};

// The state about which a model is linearised. kModel: as `analysis: modes` says.
enum class About { kModel, kInitial, kEquilibrium, kSteady };
// Which loops of the controllers act: all, none, or none with the drives held.
enum class Loop { kClosed, kOpen, kLocked };

struct RunOptions {
  std::optional<double> end{}, step{};  // [s]; absent: as `analysis: time` says
  // Called after every step with the time; the run ends where it returns false.
  std::function<bool(double time)> onStep{};
};

// What a run has recorded.
struct [[gnu::visibility("default")]] Run {
  std::vector<std::string> names, units;    // of the outputs
  std::vector<double> times;                // [s]
  std::vector<std::vector<double>> values;  // by output, then by time
  bool isStopped = false;                   // by RunOptions::onStep
  long long steps = 0, iterations = 0, factorizations = 0;
  std::vector<std::string> warnings;

  // Throws Error if there is no such output.
  const std::vector<double>& operator[](const std::string& name) const;
};

struct ModesOptions {
  std::optional<int> count{};   // absent: as `analysis: modes` says
  double nearHz = 0.0;          // the modes nearest to this frequency
  About about = About::kModel;  // used unless `at` is given
  std::optional<double> at{};   // [s]: where a simulation is at this time
  Loop loop = Loop::kClosed;
};

// How a mode moves a node, in ground axes.
struct NodeMotion {
  std::complex<double> displacement[3], rotation[3];
};

struct Mode {
  std::complex<double> eigenvalue;  // [1/s], one of a conjugate pair, im ≥ 0
  double frequencyHz = 0.0;
  double dampingRatio = 0.0;
  double uncertainty = 0.0;       // [1/s] of the eigenvalue by rounding
  std::vector<NodeMotion> shape;  // by node, as in Model::nodes()
};

struct Modes {
  enum class Verdict { kStable, kUnstable, kUnknown };

  std::vector<Mode> modes;
  Verdict verdict = Verdict::kUnknown;  // of all modes, listed or not
  int growing = 0;
  std::vector<std::string> warnings;
};

struct LinearOptions {
  About about = About::kModel;
  std::optional<double> at{};  // [s]
};

// H(i 2π f) between signals or loads.
struct Response {
  std::vector<std::string> inputs, outputs;
  std::vector<double> frequenciesHz;
  std::vector<std::complex<double>> values;
  std::vector<std::string> warnings;

  std::complex<double> operator()(std::size_t frequency, std::size_t output,
                                  std::size_t input = 0) const {
    return values[(frequency * outputs.size() + output) * inputs.size() + input];
  }
};

struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  // row by row

  double operator()(std::size_t row, std::size_t column) const {
    return values[row * columns + column];
  }
};

// x' = A x + B w, y = C x + D w.
struct StateSpace {
  Matrix A, B, C, D;
  std::vector<std::string> states, inputs, outputs;
  std::vector<std::string> warnings;
};

struct [[gnu::visibility("default")]] Equilibrium {
  std::vector<std::string> names, units;  // of the outputs
  std::vector<double> values;
  std::vector<std::string> warnings;

  // Throws Error if there is no such output.
  double operator[](const std::string& name) const;
};

class [[gnu::visibility("default")]] Model {
 public:
  // From a file, or from its text; `name` is what messages call it, and files that it names are looked for beside it.
  static Model load(const std::string& file);
  static Model parse(const std::string& text, const std::string& name = "model.yaml");

  // A parameter by its name, any other number by its path: "kp", "springs.k1.stiffness", "analysis.time.end".
  void set(const std::string& name, double value);
  // Several at once, where one alone would contradict the others.
  void set(const std::vector<std::pair<std::string, double>>& values);
  double get(const std::string& name) const;
  std::vector<std::string> parameters() const;
  std::vector<std::string> outputs() const;
  std::vector<std::string> nodes() const;
  // What is not wrong but hardly meant.
  std::vector<std::string> warnings() const;

  Run run(const RunOptions& options = {}) const;
  Modes modes(const ModesOptions& options = {}) const;
  // From and to: signals, or loads as inputs.
  Response frf(const std::vector<std::string>& from, const std::vector<std::string>& to,
               const std::vector<double>& frequenciesHz, const LinearOptions& options = {}) const;
  StateSpace linearize(const std::vector<std::string>& from, const std::vector<std::string>& to,
                       const LinearOptions& options = {}) const;
  Equilibrium equilibrium() const;

 private:
  struct Content;
  explicit Model(std::shared_ptr<const Content> content);

  std::shared_ptr<const Content> content_;  // never changed, only replaced
};

}  // namespace flexloop
