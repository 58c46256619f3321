#include "analysis/state_space.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/minimal_states.hpp"
#include "analysis/named_states.hpp"
#include "analysis/signal_path.hpp"
#include "linalg/all_roots.hpp"
#include "linalg/explicit_form.hpp"

namespace flexloop::analysis {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using linalg::ExplicitForm;

// What is below this share of what it could be is round-off of zero; of rates, which are a product with B.
constexpr double kZero = 1e-12, kZeroRate = 1e-9;

// Sizes of u by input at frequencies of the machine: the largest entry of each column of W.
RowVectorXd calcDirectSizes(const ExplicitForm& form, double frequency) {
  RowVectorXd sizes = RowVectorXd::Zero(form.W[0].cols());
  double power = 1.0;
  for (const MatrixXd& W : form.W) {
    if (W.size() > 0) sizes = sizes.cwiseMax(power * W.cwiseAbs().colwise().maxCoeff());
    power *= frequency;
  }
  return sizes;
}

double calcFrequency(const MatrixXd& A) {
  return A.rows() > 0 ? std::max(1.0, A.norm() / std::sqrt(static_cast<double>(A.rows()))) : 1.0;
}

using Reached = std::vector<std::vector<bool>>;  // by input and unknown

// The explicit form between the inputs and all unknowns, and what counts as zero in it.
class Reduction {
 public:
  Reduction(ExplicitForm form, Reached reached)
      : form_(std::move(form)),
        reached_(std::move(reached)),
        frequency_(calcFrequency(form_.A)),
        sizes_(calcDirectSizes(form_, frequency_)) {}

  const ExplicitForm& form() const { return form_; }

  // Whether the unknown depends on the derivative of order `power` of the input.
  bool hasDirect(int unknown, Index input, std::size_t power) const {
    if (!reached_[input][unknown]) return false;
    const double scale = std::pow(frequency_, static_cast<double>(power));
    return std::abs(form_.W[power](unknown, input)) * scale > kZero * sizes_[input];
  }

  bool isFreeOfInputs(int unknown) const {
    for (std::size_t power = 0; power < form_.W.size(); ++power) {
      for (Index k = 0; k < sizes_.size(); ++k) {
        if (hasDirect(unknown, k, power)) return false;
      }
    }
    return true;
  }

  // Of u' = V A x + V B w.
  bool isRateFreeOfInputs(int unknown) const {
    const RowVectorXd row = form_.V.row(unknown);
    for (Index k = 0; k < sizes_.size(); ++k) {
      if (!reached_[k][unknown]) continue;
      const double size = row.norm() * form_.B[0].col(k).norm();
      if (std::abs(row.dot(form_.B[0].col(k))) > kZeroRate * size) return false;
    }
    return true;
  }

 private:
  ExplicitForm form_;
  Reached reached_;
  double frequency_;
  RowVectorXd sizes_;
};

// "motion of B x" as `B.x`; states of blocks as they are called.
std::string nameOf(const system::System& system, int unknown) {
  std::string name = system.unknownName({unknown});
  const std::string motion = "motion of ";
  if (!name.starts_with(motion)) return name;
  name.erase(0, motion.size());
  name[name.rfind(' ')] = '.';
  return name;
}

// All coordinates, then their rates, then states of blocks, then combinations.
std::vector<StateCandidate> makeCandidates(const system::System& system,
                                           const std::vector<int>& unknowns,
                                           const Reduction& reduction) {
  const ExplicitForm& form = reduction.form();
  std::vector<StateCandidate> coordinates, rates, blocks;
  const auto add = [](std::vector<StateCandidate>& to, std::string name, StateKind kind, bool free,
                      RowVectorXd row, int rateOf) {
    if (!free) name += " without its direct part";
    to.push_back({std::move(name), free ? kind : StateKind::kShifted, std::move(row), rateOf});
  };
  for (int u = 0; u < static_cast<int>(unknowns.size()); ++u) {
    const int unknown = unknowns[u];
    if (unknown < 0) continue;
    const system::Kind kind = system.kinds()[unknown];
    const bool free = reduction.isFreeOfInputs(u);
    if (kind == system::Kind::kMotion) {
      const std::string name = nameOf(system, unknown);
      const int place = static_cast<int>(coordinates.size());
      const RowVectorXd row = form.V.row(u);
      add(coordinates, name, StateKind::kCoordinate, free, row, -1);
      add(rates, name + " rate", StateKind::kRate, free && reduction.isRateFreeOfInputs(u),
          row * form.A, place);
    } else if (kind == system::Kind::kState) {
      add(blocks, nameOf(system, unknown), StateKind::kBlock, free, form.V.row(u), -1);
    }
  }
  std::vector<StateCandidate> all = std::move(coordinates);
  all.insert(all.end(), rates.begin(), rates.end());
  all.insert(all.end(), blocks.begin(), blocks.end());
  for (Index k = 0; k < form.A.rows(); ++k) {
    add(all, "combination " + std::to_string(k + 1), StateKind::kCombination, true,
        RowVectorXd::Unit(form.A.rows(), k), -1);
  }
  return all;
}

void refuseDerivative(StateSpaceResult& result, const std::string& input,
                      const std::string& output) {
  result.isInputAtFault = true;
  result.trouble = "the input '" + input + "' prescribes a motion: the output '" + output +
                   "' needs its time derivative, which state equations do not have";
  result.hint =
      "take an input that is a force or torque, an output that is a position, or let the input "
      "pass "
      "a filter of the actuator's bandwidth ('type: transfer_function'); 'flexloop frf' has no "
      "such limit";
}

// D is that of the path from inputs to outputs alone, which rounding of the rest does not touch.
bool fillDirect(StateSpaceResult& result, const Reduction& path, const std::vector<int>& outputs) {
  const StateSpace& names = result.system;
  MatrixXd& D = result.system.D;
  D.setZero(std::ssize(outputs), std::ssize(names.inputs));
  for (Index i = 0; i < D.rows(); ++i) {
    for (Index k = 0; outputs[i] >= 0 && k < D.cols(); ++k) {
      if (path.hasDirect(outputs[i], k, 0)) D(i, k) = path.form().W[0](outputs[i], k);
      for (std::size_t power = 1; power < path.form().W.size(); ++power) {
        if (!path.hasDirect(outputs[i], k, power)) continue;
        refuseDerivative(result, names.inputs[k], names.outputs[i]);
        return false;
      }
    }
  }
  return true;
}

void fillStates(StateSpace& system, const ExplicitForm& form, const std::vector<int>& outputs) {
  system.A = form.A;
  system.B = form.B[0];
  system.C.setZero(std::ssize(outputs), form.A.rows());
  for (Index i = 0; i < system.C.rows(); ++i) {
    if (outputs[i] >= 0) system.C.row(i) = form.V.row(outputs[i]);
  }
}

Reached takePath(const Reached& reached, const std::vector<int>& unknowns) {
  Reached part;
  for (const std::vector<bool>& whole : reached) {
    part.emplace_back();
    for (const int u : unknowns) part.back().push_back(whole[u]);
  }
  return part;
}

// Roots beside the path, which no input reaches or no output sees whatever the numbers are. Those that rounding cannot
// tell apart, as the chains of free motions, are one.
std::vector<linalg::RootPart> findRootsBeside(const linalg::QuadraticPencil& beside) {
  constexpr double kSameRoot = 3e-8;  // of the fastest, or of 1 rad/s
  double fastest = 1.0;
  const linalg::AllRoots roots = linalg::findAllRoots(beside);
  for (const linalg::Eigenpair& pair : roots.pairs) {
    fastest = std::max(fastest, std::abs(pair.value));
  }
  std::vector<linalg::RootPart> parts;
  for (const linalg::Eigenpair& pair : roots.pairs) {
    const int states = pair.value.imag() > 0.0 ? 2 : 1;
    const bool isZero = std::abs(pair.value) <= kSameRoot * fastest;
    const std::complex<double> root = isZero ? 0.0 : pair.value;
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const linalg::RootPart& part) {
      return std::abs(part.root - root) <= kSameRoot * fastest;
    });
    if (same == parts.end())
      parts.push_back({root, states, 0.0, 0.0});
    else
      same->states += states;
  }
  return parts;
}

}  // namespace

StateSpaceResult makeStateSpace(const model::Model& model, const LinearModel& linear,
                                const LinearPorts& ports, const StateSpaceOptions& options) {
  StateSpaceResult result;
  if (!ports.delays.empty() || !ports.delayedInputs.empty()) {
    const linalg::DelayTerms& terms = ports.delays.empty() ? ports.delayedInputs : ports.delays;
    result.isInputAtFault = true;
    result.trouble = "the delay '" + model.signalName({linear.unknowns[terms.front().row]}) +
                     "' has no state equations";
    result.hint = "give it 'pade: 3', which approximates it by three states";
    return result;
  }
  ExplicitForm form = linalg::makeExplicitForm(ports.pencil, ports.F);
  if (!form.ok) {
    result.trouble = "the linear equations of the machine do not determine its motion";
    const int equation = form.singularEquation;
    if (equation >= 0 && equation < ports.pencil.size()) {
      result.trouble += ": the equation '" + linear.equationName(model.system(), equation) +
                        "' depends on others";
    }
    result.hint =
        "a freedom without mass, stiffness and damping, or feedback that cancels them? "
        "`flexloop modes` tells more";
    return result;
  }
  StateSpace& system = result.system;
  system.inputs = ports.names.inputs;
  system.outputs = ports.names.outputs;
  const Reached reached = findReachedByInput(ports);
  const SignalPath path = findSignalPath(ports);
  const Reduction whole(std::move(form), reached);
  const Reduction used(linalg::makeExplicitForm(path.pencil, path.F),
                       takePath(reached, path.unknowns));
  if (!fillDirect(result, used, path.outputs)) return result;
  if (!options.minimal) {
    fillStates(system, whole.form(), ports.outputs);
    std::vector<StateCandidate> candidates = makeCandidates(model.system(), linear.unknowns, whole);
    nameStates(system, candidates);
  } else {
    std::vector<int> unknowns;
    for (const int u : path.unknowns) unknowns.push_back(linear.unknowns[u]);
    fillStates(system, used.form(), path.outputs);
    std::vector<StateCandidate> candidates = makeCandidates(model.system(), unknowns, used);
    const bool isDone = makeMinimal(result, linalg::removeInfiniteRoots(path.pencil, path.F),
                                    findRootsBeside(path.beside), candidates);
    if (!isDone) nameStates(system, candidates);
  }
  result.ok = true;
  return result;
}

}  // namespace flexloop::analysis
