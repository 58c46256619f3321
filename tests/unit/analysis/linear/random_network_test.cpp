// Random masses on a line, with sliders, springs, sensors and controllers, against the same machine written as a dense
// system of equations here: roots in all views, frequency responses and state equations.
#include <cmath>
#include <complex>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/linear/frequency_response.hpp"
#include "analysis/linear/return_ratio.hpp"
#include "analysis/linear/state_space.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXcd;
using Row = std::map<std::string, double>;

// States x' = row and signals 0 = row, by name.
class Equations {
 public:
  void addState(const std::string& name, const Row& row) { states_.emplace_back(name, row); }
  void addSignal(const std::string& name, const Row& row) { signals_.emplace_back(name, row); }

  // P(s) z = w with w added to signals.
  MatrixXcd evaluate(Complex s) const {
    MatrixXcd P = -makeMatrix();
    for (std::size_t i = 0; i < states_.size(); ++i) P(i, i) += s;
    return P;
  }

  // The matrix of x' = A x.
  MatrixXd eliminateSignals() const {
    const MatrixXd A = makeMatrix();
    const auto n = static_cast<Eigen::Index>(states_.size()), m = A.rows() - n;
    return A.topLeftCorner(n, n) -
           A.topRightCorner(n, m) *
               A.bottomRightCorner(m, m).fullPivLu().solve(A.bottomLeftCorner(m, n));
  }

  int indexOf(const std::string& name) const {
    int index = 0;
    for (const auto* part : {&states_, &signals_}) {
      for (const auto& [known, row] : *part) {
        if (known == name) return index;
        ++index;
      }
    }
    throw std::logic_error(name);
  }

 private:
  MatrixXd makeMatrix() const {
    const auto n = static_cast<Eigen::Index>(states_.size() + signals_.size());
    MatrixXd A = MatrixXd::Zero(n, n);
    Eigen::Index i = 0;
    for (const auto* part : {&states_, &signals_}) {
      for (const auto& [name, row] : *part) {
        for (const auto& [other, factor] : row) A(i, indexOf(other)) += factor;
        ++i;
      }
    }
    return A;
  }

  std::vector<std::pair<std::string, Row>> states_, signals_;
};

// M q'' + C q' + K q = 0 as x' = A x.
MatrixXd makeFirstOrder(const MatrixXd& M, const MatrixXd& C, const MatrixXd& K) {
  const Eigen::Index n = M.rows();
  MatrixXd A = MatrixXd::Zero(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -M.inverse() * K;
  A.bottomRightCorner(n, n) = -M.inverse() * C;
  return A;
}

// The text of a machine, and its equations.
class Network {
 public:
  explicit Network(unsigned seed) : random_(seed) {
    addMasses();
    addSprings();
    addSensors();
    addBlocks();
    addActuators();
    for (int i = 0; i < count_; ++i) {
      Row balance = forces_[i];
      balance[name("a", i)] -= M_(i, i);
      equations_.addSignal(name("a", i), balance);
    }
  }

  std::string text() const {
    return "nodes:\n" + nodes_.str() + "bodies:\n" + bodies_.str() + "joints:\n" + joints_.str() +
           "springs:\n" + springs_.str() + "sensors:\n" + sensors_.str() + "blocks:\n" +
           blocks_.str() + "actuators:\n" + actuators_.str();
  }

  const Equations& equations() const { return equations_; }
  const std::vector<std::string>& signals() const { return signals_; }
  MatrixXd makeOpen() const { return makeFirstOrder(M_, C_, K_); }

  MatrixXd makeLocked() const {
    const Eigen::FullPivLU<MatrixXd> lu(G_.transpose());
    if (lu.rank() == count_) return MatrixXd(0, 0);
    const MatrixXd N = lu.kernel();
    return makeFirstOrder(N.transpose() * M_ * N, N.transpose() * C_ * N, N.transpose() * K_ * N);
  }

  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random_);
  }
  int choose(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

 private:
  static std::string name(const std::string& text, int number) {
    return text + std::to_string(number);
  }
  static std::string nodeName(int i) { return i < 0 ? "ground" : name("n", i); }

  static std::string write(const Vector3d& v) {
    std::ostringstream out;
    out.precision(17);
    out << "[" << v.x() << ", " << v.y() << ", " << v.z() << "]";
    return out.str();
  }

  static std::string write(double x) {
    std::ostringstream out;
    out.precision(17);
    out << x;
    return out.str();
  }

  std::string axis() { return write(Vector3d(uniform(0.5, 2.0) * axis_)); }

  void addMasses() {
    count_ = 1 + choose(3);
    axis_ =
        choose(2) == 0 ? Vector3d::Unit(choose(3)) : Vector3d(uniform(-1, 1), 1, uniform(-1, 1));
    axis_.normalize();
    M_ = C_ = K_ = MatrixXd::Zero(count_, count_);
    forces_.resize(count_);
    for (int i = 0; i < count_; ++i) {
      M_(i, i) = uniform(0.3, 4.0);
      const Vector3d place = 1.3 * i * axis_ + Vector3d(0.1, -0.2, 0.3);
      const Vector3d turn(uniform(-1, 1), uniform(-1, 1), 0.3);
      nodes_ << "  " << nodeName(i) << ": {position: " << write(place)
             << ", velocity: " << write(Vector3d(uniform(-1, 1) * axis_))
             << ", rotation: {axis: " << write(turn) << ", angle: " << write(uniform(-2, 2)) << "}"
             << (choose(2) == 0 ? ", formulation: r3xso3" : "") << "}\n";
      bodies_ << "  " << nodeName(i) << ": {node: " << nodeName(i) << ", mass: " << write(M_(i, i))
              << ", inertia: [0.12, 0.15, 0.14]}\n";
      const int first = i > 0 && choose(2) == 0 ? choose(i) : -1;
      const double k = choose(2) * uniform(20, 900), c = choose(2) * uniform(0.1, 6);
      joints_ << "  j" << i << ": {type: slider, between: [" << nodeName(first) << ", "
              << nodeName(i) << "], axis: " << axis() << ", stiffness: " << write(k)
              << ", damping: " << write(c) << "}\n";
      sides_.emplace_back(first, i);
      addSpring(first, i, k, c);
      equations_.addState(name("x", i), {{name("v", i), 1.0}});
      equations_.addState(name("v", i), {{name("a", i), 1.0}});
    }
  }

  void addSpring(int first, int second, double k, double c) {
    for (const int row : {first, second}) {
      for (const int column : {first, second}) {
        if (row < 0 || column < 0) continue;
        const double sign = row == column ? 1.0 : -1.0;
        K_(row, column) += sign * k;
        C_(row, column) += sign * c;
        forces_[row][name("x", column)] -= sign * k;
        forces_[row][name("v", column)] -= sign * c;
      }
    }
  }

  void addSprings() {
    for (int i = 0; i < count_; ++i) {
      const double k = uniform(30, 2000), c = uniform(0, 5);
      springs_ << "  s" << i << ": {type: linear, between: [" << nodeName(i - 1) << ", "
               << nodeName(i) << "], direction: " << axis() << ", stiffness: " << write(k)
               << ", damping: " << write(c) << "}\n";
      addSpring(i - 1, i, k, c);
    }
  }

  void addSensors() {
    for (int i = 0; i < count_; ++i) {
      const std::pair<const char*, const char*> kinds[] = {
          {"displacement", "x"}, {"velocity", "v"}, {"acceleration", "a"}};
      for (const auto& [measure, letter] : kinds) {
        const std::string sensor = name(measure, i);
        sensors_ << "  " << sensor << ": {measure: " << measure << ", node: " << nodeName(i)
                 << ", direction: " << axis() << "}\n";
        equations_.addSignal(sensor, {{name(letter, i), 1.0}, {sensor, -1.0}});
        signals_.push_back(sensor);
      }
    }
    // What nothing else reads becomes a signal by this.
    blocks_ << "  watch: {type: sum, inputs: [";
    Row row{{"watch", -1.0}};
    for (const std::string& sensor : signals_) {
      blocks_ << (row.size() > 1 ? ", " : "") << sensor;
      row[sensor] = 1.0;
    }
    blocks_ << "]}\n";
    equations_.addSignal("watch", row);
  }

  void addBlocks() {
    const int blocks = 1 + choose(4);
    for (int i = 0; i < blocks; ++i) {
      const std::string block = name("b", i), input = signals_[choose(signals_.size())];
      blocks_ << "  " << block << ": {";
      switch (choose(4)) {
        case 0: {
          const double gain = uniform(-0.7, 0.7);
          blocks_ << "type: gain, input: " << input << ", gain: " << write(gain);
          equations_.addSignal(block, {{input, gain}, {block, -1.0}});
          break;
        }
        case 1:
          addPid(block, input);
          break;
        case 2:
          addTransferFunction(block, input);
          break;
        default:
          addStateSpace(block, input, signals_[choose(signals_.size())]);
      }
      blocks_ << "}\n";
      signals_.push_back(block);
      made_.push_back(block);
    }
  }

  void addPid(const std::string& block, const std::string& input) {
    const double kp = uniform(1, 40), ki = uniform(1, 30), kd = uniform(0.1, 2),
                 T = uniform(0.01, 0.06);
    blocks_ << "type: pid, input: " << input << ", kp: " << write(kp) << ", ki: " << write(ki);
    const std::string integral = block + " i", filter = block + " d";
    equations_.addState(integral, {{input, -ki}});
    Row row{{input, -kp}, {integral, 1.0}, {block, -1.0}};
    if (input.starts_with("displacement")) {
      // The exact rate of the sensor.
      blocks_ << ", kd: " << write(kd);
      row["v" + input.substr(std::string("displacement").size())] = -kd;
    } else {
      blocks_ << ", kd: " << write(kd) << ", filter: " << write(T);
      equations_.addState(filter, {{input, -1.0 / T}, {filter, -1.0 / T}});
      row[input] -= kd / T;
      row[filter] = -kd / T;
    }
    equations_.addSignal(block, row);
  }

  // (b1 s + b0)/(s² + a1 s + a0)
  void addTransferFunction(const std::string& block, const std::string& input) {
    const double a1 = uniform(1, 60), a0 = uniform(20, 2000), b1 = uniform(-9, 9), b0 = 0.5 * a0;
    blocks_ << "type: transfer_function, input: " << input << ", numerator: [" << write(b1) << ", "
            << write(b0) << "], denominator: [1, " << write(a1) << ", " << write(a0) << "]";
    const std::string x = block + " 1", y = block + " 2";
    equations_.addState(x, {{y, 1.0}});
    equations_.addState(y, {{x, -a0}, {y, -a1}, {input, 1.0}});
    equations_.addSignal(block, {{x, b0}, {y, b1}, {block, -1.0}});
  }

  void addStateSpace(const std::string& block, const std::string& u, const std::string& w) {
    const double a = uniform(-30, -5), b = uniform(-3, 3), c = uniform(-2, 2),
                 d = uniform(-0.3, 0.3);
    blocks_ << "type: state_space, inputs: [" << u << ", " << w << "], A: [[" << write(a)
            << ", 1], [-2, " << write(2 * a) << "]], B: [[" << write(b) << ", 0], [0.5, 1]], C: [["
            << write(c) << ", 1]], D: [[" << write(d) << ", 0]]";
    const std::string x = block + " 1", y = block + " 2";
    Row first{{x, a}, {y, 1.0}}, second{{x, -2.0}, {y, 2 * a}}, output{{x, c}, {y, 1.0}};
    first[u] += b;
    second[u] += 0.5;
    second[w] += 1.0;
    output[u] += d;
    output[block] -= 1.0;
    equations_.addState(x, first);
    equations_.addState(y, second);
    equations_.addSignal(block, output);
  }

  // Several may push the same freedom.
  void addActuators() {
    const int actuators = 1 + choose(3);
    G_ = MatrixXd::Zero(count_, actuators);
    for (int i = 0; i < actuators; ++i) {
      const std::string actuator = name("u", i), input = made_[choose(made_.size())];
      const int body = choose(count_);
      const double gain = uniform(-1.5, 1.5);
      actuators_ << "  " << actuator << ": {type: force, input: " << input
                 << ", gain: " << write(gain);
      const bool isOnJoint = choose(2) == 0;
      if (isOnJoint)
        actuators_ << ", joint: j" << body << "}\n";
      else
        actuators_ << ", node: " << nodeName(body) << ", direction: " << axis() << "}\n";
      forces_[body][actuator] += 1.0;
      G_(body, i) += 1.0;
      if (const int first = sides_[body].first; isOnJoint && first >= 0) {
        forces_[first][actuator] -= 1.0;
        G_(first, i) -= 1.0;
      }
      equations_.addSignal(actuator, {{input, gain}, {actuator, -1.0}});
      signals_.push_back(actuator);
    }
  }

  std::mt19937 random_;
  int count_ = 0;
  Vector3d axis_;
  MatrixXd M_, C_, K_, G_;
  std::vector<Row> forces_;
  std::vector<std::pair<int, int>> sides_;  // of the joints
  std::vector<std::string> signals_, made_;
  Equations equations_;
  std::ostringstream nodes_, bodies_, joints_, springs_, sensors_, blocks_, actuators_;
};

// Every mode is a root of det(s − A), by Newton's method; there are as many as there should be, with the same sum and the
// same sum of squares, so that none stands for another. Chains at zero, such as integrals of integrals that no loop takes
// back, are listed once, so that some may be missing there.
void expectRoots(const model::Model& model, const system::State& state, analysis::LoopView loop,
                 const MatrixXd& A) {
  analysis::ModeOptions options{.count = 1000};
  options.view.loop = loop;
  const analysis::ModeResult result = analysis::findModes(model, state, options);
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  const Eigen::Index n = A.rows();
  Eigen::Index found = 0, listedZeros = 0;
  double sum = 0.0, squares = 0.0, size = 0.0, sizeOfSquares = 0.0;
  for (const analysis::Mode& mode : result.modes) {
    const Complex s = mode.eigenvalue;
    const int count = s.imag() != 0.0 ? 2 : 1;
    found += count;
    sum += count * s.real();
    squares += count * (s * s).real();
    size += count * std::abs(s);
    sizeOfSquares += count * std::norm(s);
    if (s == 0.0) ++listedZeros;
    if (s == 0.0) continue;
    // From a little beside the root, where det is not zero, Newton's method leads back to it.
    const double near = 1.0 + std::abs(s);
    const Complex beside = s + 1e-6 * near;
    const MatrixXcd P = beside * MatrixXcd::Identity(n, n) - A.cast<Complex>();
    const Complex led = beside - 1.0 / P.fullPivLu().inverse().trace();
    EXPECT_LE(std::abs(led - s), 1e-8 * near) << s << " leads to " << led;
  }
  // None of the others is that slow.
  const Eigen::Index zeros = n > 0 ? (A.eigenvalues().array().abs() < 1e-4).count() : 0;
  EXPECT_EQ(found - listedZeros, n - zeros);
  EXPECT_EQ(listedZeros > 0, zeros > 0);
  if (n == 0) return;
  EXPECT_NEAR(sum, A.trace(), 1e-9 * size);
  EXPECT_NEAR(squares, (A * A).trace(), 1e-9 * sizeOfSquares);
}

void expectResponses(Network& network, const model::Model& model, const system::State& state) {
  const auto any = [&] { return network.signals()[network.choose(network.signals().size())]; };
  const analysis::PortNames names{{any(), any()}, {any(), any(), any()}, ""};
  const analysis::LinearModel linear = analysis::linearize(model, state);
  const analysis::LinearPorts ports = analysis::makePorts(model, linear, names);
  const analysis::StateSpaceResult whole = analysis::makeStateSpace(model, linear, ports);
  const analysis::StateSpaceResult least =
      analysis::makeStateSpace(model, linear, ports, {.minimal = true});
  ASSERT_TRUE(whole.ok()) << messageOf(whole.failure);
  ASSERT_TRUE(least.ok()) << messageOf(least.failure);
  const auto respond = [](const analysis::StateSpace& system, Complex s) -> MatrixXcd {
    const MatrixXcd pencil =
        s * MatrixXcd::Identity(system.A.rows(), system.A.rows()) - system.A.cast<Complex>();
    if (pencil.rows() == 0) return system.D.cast<Complex>();
    return system.C * pencil.fullPivLu().solve(system.B.cast<Complex>()) + system.D;
  };
  for (int point = 0; point < 3; ++point) {
    const Complex s(network.uniform(-10, 10), network.uniform(1, 90));
    const Eigen::FullPivLU<MatrixXcd> P(network.equations().evaluate(s));
    MatrixXcd truth(names.outputs.size(), names.inputs.size());
    for (std::size_t k = 0; k < names.inputs.size(); ++k) {
      const int input = network.equations().indexOf(names.inputs[k]);
      const VectorXcd z = P.solve(VectorXcd::Unit(P.rows(), input));
      for (std::size_t i = 0; i < names.outputs.size(); ++i) {
        truth(i, k) = z[network.equations().indexOf(names.outputs[i])];
      }
    }
    MatrixXcd response;
    ASSERT_TRUE(analysis::ResponseSolver(ports).calc(s, response));
    const double size = 1.0 + truth.cwiseAbs().maxCoeff();
    EXPECT_LE((response - truth).cwiseAbs().maxCoeff(), 1e-10 * size) << s;
    EXPECT_LE((respond(whole.system, s) - truth).cwiseAbs().maxCoeff(), 1e-7 * size) << s;
    EXPECT_LE((respond(least.system, s) - truth).cwiseAbs().maxCoeff(), 1e-7 * size) << s;
  }
}

TEST(RandomNetwork, HasTheRootsAndResponsesOfItsEquations) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Network network(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + network.text());
    const model::Model model = buildModel(network.text());
    const analysis::OperatingState point = analysis::findOperatingPoint(model, {});
    ASSERT_TRUE(point.ok()) << messageOf(point.failure);
    expectRoots(model, point.state, analysis::LoopView::kClosed,
                network.equations().eliminateSignals());
    expectRoots(model, point.state, analysis::LoopView::kOpen, network.makeOpen());
    expectRoots(model, point.state, analysis::LoopView::kLocked, network.makeLocked());
    expectResponses(network, model, point.state);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace flexloop::test
