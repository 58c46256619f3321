#include "analysis/linear/state_space.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "analysis/linear/minimal_states.hpp"
#include "analysis/linear/named_states.hpp"
#include "analysis/linear/signal_path.hpp"
#include "analysis/modes/zero_roots.hpp"
#include "linalg/roots/all_roots.hpp"
#include "linalg/roots/root_refinement.hpp"
#include "linalg/state_space/explicit_form.hpp"

namespace flexloop::analysis {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using linalg::ExplicitForm;

// What is left of the terms of a product.
constexpr double kZero = 1e-11;
// What counts as round-off of the elimination, one after the other until the response is right.
constexpr double kShares[] = {1e-12, 1e-10, 1e-14, 1e-8};
// By how much the response may differ from that of the machine at any frequency.
constexpr double kSameResponse = 1e-6;
// Of `minimal`, which may lose digits to names.
constexpr double kNamingError = 1e-9;

using Reached = std::vector<std::vector<bool>>;  // by input and unknown

// The explicit form between the inputs and all unknowns, and what counts as zero in it.
class Reduction {
 public:
  Reduction(ExplicitForm form, Reached reached)
      : form_(std::move(form)), reached_(std::move(reached)) {}

  const ExplicitForm& form() const { return form_; }

  // Whether the unknown depends on the derivative of order `power` of the input.
  bool hasDirect(int unknown, Index input, std::size_t power) const {
    return reached_[input][unknown] && form_.W[power](unknown, input) != 0.0;
  }

  bool isFreeOfInputs(int unknown) const {
    for (std::size_t power = 0; power < form_.W.size(); ++power) {
      for (Index k = 0; k < form_.W[0].cols(); ++k) {
        if (hasDirect(unknown, k, power)) return false;
      }
    }
    return true;
  }

  // Of u' = V A x + V B w.
  bool isRateFreeOfInputs(int unknown) const {
    const RowVectorXd row = form_.V.row(unknown);
    for (Index k = 0; k < form_.B[0].cols(); ++k) {
      if (!reached_[k][unknown]) continue;
      const auto terms = row.transpose().cwiseProduct(form_.B[0].col(k)).eval();
      if (std::abs(terms.sum()) > kZero * terms.lpNorm<1>()) return false;
    }
    return true;
  }

 private:
  ExplicitForm form_;
  Reached reached_;
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
    if (!free) name += " without its direct term";
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

void rejectDerivative(StateSpaceResult& result, const std::string& input,
                      const std::string& output) {
  result.failure = base::Failure{
      "the output '" + output + "' depends on the time derivative of the input '" + input +
          "', which state equations x' = A x + B w, y = C x + D w cannot represent",
      "an input that prescribes a motion, or whose rate a controller reads, acts directly: choose "
      "an output behind the machine's inertia, or pass the input through a filter with the "
      "actuator's bandwidth ('type: transfer_function'); 'flexloop frf' has no such limit"};
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
        rejectDerivative(result, names.inputs[k], names.outputs[i]);
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

// As `modes` has them: chains at zero come out as numbers that rounding has moved.
std::vector<linalg::Eigenpair> findRoots(const LinearModel& linear, const LinearPorts& ports) {
  std::vector<linalg::Eigenpair> roots = linalg::findAllRoots(ports.pencil).pairs;
  LinearModel machine = linear;
  machine.pencil = ports.pencil;
  machine.groups = ports.groups;
  machine.delays.clear();
  setZeroRoots(machine, roots);
  return roots;
}

// One attempt to make state equations; `share` as in explicit_form.hpp.
class Attempt {
 public:
  Attempt(const model::Model& model, const LinearModel& linear, const LinearPorts& ports,
          const StateSpaceOptions& options)
      : model_(model),
        linear_(linear),
        ports_(ports),
        options_(options),
        reached_(findReachedByInput(ports)),
        path_(findSignalPath(ports)),
        roots_(findRoots(linear, ports)),
        check_(ports, roots_) {
    for (const linalg::Eigenpair& root : roots_) {
      if (!linalg::mayBeZero(root)) known_.values.push_back(root.value);
    }
  }

  StateSpaceResult make(double share) {
    StateSpaceResult result;
    const linalg::ReducedPencil pencil =
        options_.minimal
            ? linalg::removeInfiniteRoots(path_.pencil, path_.F, share)
            : linalg::removeInfiniteRoots(ports_.pencil, makeInputPolynomial(ports_), share);
    if (!pencil.ok) {
      rejectSingular(pencil.singularEquation, options_.minimal, result);
      return result;
    }
    result.system.inputs = ports_.names.inputs;
    result.system.outputs = ports_.names.outputs;
    const Reduction path(linalg::makeExplicitForm(path_.pencil, path_.F, share),
                         takePath(reached_, path_.unknowns));
    if (!path.form().ok) {
      rejectSingular(path.form().singularEquation, true, result);
      return result;
    }
    if (!fillDirect(result, path, path_.outputs)) return result;
    const MatrixXd D = result.system.D;
    std::vector<int> unknowns;
    for (const int u : path_.unknowns) unknowns.push_back(linear_.unknowns[u]);
    const Reduction reduction(linalg::makeExplicitForm(pencil),
                              options_.minimal ? takePath(reached_, path_.unknowns) : reached_);
    fillStates(result.system, reduction.form(), options_.minimal ? path_.outputs : ports_.outputs);
    const std::vector<StateCandidate> candidates =
        makeCandidates(model_.system(), options_.minimal ? unknowns : linear_.unknowns, reduction);
    if (options_.minimal) {
      chooseMinimal(pencil, candidates, result);
    } else {
      chooseNames(pencil, candidates, result);
    }
    return result;
  }

 private:
  void rejectSingular(int equation, bool isOfPath, StateSpaceResult& result) const {
    std::string message = "the linear equations of the machine do not determine its motion";
    const std::vector<int>& rows = path_.equations;
    if (isOfPath && equation >= 0) {
      equation = equation < static_cast<int>(rows.size()) ? rows[equation] : -1;
    }
    if (equation >= 0 && equation < ports_.pencil.size()) {
      message += ": the equation '" + linear_.equationName(model_.system(), equation) +
                 "' is not independent of the others";
    }
    result.failure =
        base::numericalFailure(std::move(message),
                               "is there a freedom without mass, stiffness and damping, or "
                               "feedback that cancels them? `flexloop modes` shows more");
  }

  ResponseDifference compare(const StateSpace& system) {
    return options_.minimal ? check_.compare(system) : check_.compareWithRoots(system);
  }

  void takeBetter(StateSpaceResult next, StateSpaceResult& best) {
    next.difference = compare(next.system);
    if (next.isModal) next.namingError = best.difference.share;
    if (next.difference.share < best.difference.share) best = std::move(next);
  }

  // Names of coordinates, unless they cost too many digits.
  void chooseNames(const linalg::ReducedPencil& pencil, std::vector<StateCandidate> candidates,
                   StateSpaceResult& result) {
    const StateSpaceResult whole = result;
    nameStates(result.system, candidates);
    result.difference = compare(result.system);
    for (const bool isRefined : {false, true}) {
      if (result.difference.share <= kSameResponse) return;
      StateSpaceResult modal = whole;
      makeModal(modal, pencil, known_, isRefined);
      takeBetter(std::move(modal), result);
    }
  }

  void chooseMinimal(const linalg::ReducedPencil& pencil,
                     const std::vector<StateCandidate>& candidates, StateSpaceResult& result) {
    const std::vector<linalg::RootPart> beside = findRootsBeside(path_.beside);
    const StateSpaceResult whole = result;
    result.difference.share = std::numeric_limits<double>::infinity();
    for (const bool isRefined : {false, true}) {
      StateSpaceResult named = whole, modal = whole;
      if (!makeMinimal(named, modal, pencil, known_, beside, candidates, isRefined)) {
        result = whole;
        return chooseNames(pencil, candidates, result);
      }
      takeBetter(std::move(named), result);
      if (result.difference.share <= kNamingError) return;
      takeBetter(std::move(modal), result);
      if (result.difference.share <= kNamingError) return;
    }
    if (result.difference.share <= kSameResponse) return;
    // What no equation joins to the response is left out in any case.
    StateSpaceResult path = whole;
    path.leftOut = describeRoots(beside);
    chooseNames(pencil, candidates, path);
    if (path.difference.share < result.difference.share) result = std::move(path);
  }

  const model::Model& model_;
  const LinearModel& linear_;
  const LinearPorts& ports_;
  const StateSpaceOptions& options_;
  Reached reached_;
  SignalPath path_;
  std::vector<linalg::Eigenpair> roots_;
  KnownRoots known_{ports_, {}};
  ResponseCheck check_;
};

void rejectDifference(StateSpaceResult& result) {
  const ResponseDifference& worst = result.difference;
  char text[200];
  std::string message = "state equations in double precision would not represent this machine: ";
  if (worst.root) {
    std::snprintf(text, sizeof text,
                  "for its root %.6g %+.6g i 1/s they have none within a relative distance of %.1e",
                  worst.root->real(), worst.root->imag(), worst.share);
    message += text;
  } else {
    std::snprintf(text, sizeof text, "by a fraction of %.1e at %.4g Hz", worst.share,
                  worst.frequencyHz);
    message += "from '" + result.system.inputs[worst.input] + "' to '" +
               result.system.outputs[worst.output] + "' their response would differ " + text;
  }
  result.failure = base::numericalFailure(
      std::move(message),
      "its slowest and fastest motions are too far apart: use fewer elements, '--minimal', or "
      "`flexloop frf`, which needs no state equations");
}

}  // namespace

StateSpaceResult makeStateSpace(const model::Model& model, const LinearModel& linear,
                                const LinearPorts& ports, const StateSpaceOptions& options) {
  StateSpaceResult result;
  if (!ports.delays.empty() || !ports.delayedInputs.empty()) {
    const linalg::DelayTerms& terms = ports.delays.empty() ? ports.delayedInputs : ports.delays;
    result.failure =
        base::Failure{"the delay '" + model.signalName({linear.unknowns[terms.front().row]}) +
                          "' has no state equations",
                      "give it 'pade: 3', which approximates it by three states"};
    return result;
  }
  Attempt attempt(model, linear, ports, options);
  for (const double share : kShares) {
    StateSpaceResult next = attempt.make(share);
    if (share == kShares[0] ||
        (next.ok() && (!result.ok() || next.difference.share < result.difference.share))) {
      result = std::move(next);
    }
    if (result.ok() && result.difference.share <= kSameResponse) return result;
  }
  if (result.ok()) rejectDifference(result);
  return result;
}

}  // namespace flexloop::analysis
