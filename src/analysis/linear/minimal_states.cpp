#include "analysis/linear/minimal_states.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "linalg/roots/pencil_scaling.hpp"
#include "linalg/roots/root_refinement.hpp"
#include "linalg/state_space/minimal_form.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::RowVectorXd;
using linalg::MinimalForm;
using linalg::RootPart;

// A coordinate that depends on what was left out by more than this share is none of the states.
constexpr double kUnseen = 1e-8;

// Roots by rising frequency get numbers; a double root zero is one motion.
class ModeNames {
 public:
  explicit ModeNames(const MinimalForm& form) {
    for (const RootPart& part : form.kept) add(part);
    for (const RootPart& part : form.leftOut) add(part);
    std::sort(parts_.begin(), parts_.end(), [](const RootPart& a, const RootPart& b) {
      const double imA = std::abs(a.root.imag()), imB = std::abs(b.root.imag());
      return imA != imB ? imA < imB : std::abs(a.root.real()) < std::abs(b.root.real());
    });
  }

  std::string name(const RootPart& part) const {
    int number = 1;
    for (const RootPart& other : parts_) {
      if (other.root == part.root) break;
      number += countModes(other);
    }
    char text[80];
    if (part.root.imag() > 0.0 || part.root == 0.0) {
      std::snprintf(text, sizeof text, "mode %d at %.4g Hz", number,
                    part.root.imag() / (2.0 * std::numbers::pi));
    } else {
      std::snprintf(text, sizeof text, "mode %d at %.4g 1/s", number, part.root.real());
    }
    return text;
  }

 private:
  static int countModes(const RootPart& part) {
    const bool isPair = part.root.imag() > 0.0 || part.root == 0.0;
    return isPair ? (part.states + 1) / 2 : part.states;
  }

  void add(const RootPart& part) {
    for (RootPart& known : parts_) {
      if (known.root != part.root) continue;
      known.states += part.states;
      return;
    }
    parts_.push_back(part);
  }

  std::vector<RootPart> parts_;
};

// "real part" and "imaginary part" of one root; several that are close have numbers.
std::vector<std::string> nameModalStates(const MinimalForm& form, const ModeNames& names) {
  std::vector<std::string> all;
  for (const RootPart& part : form.kept) {
    const std::string name = names.name(part);
    const bool isPair = part.root.imag() > 0.0;
    const int each = isPair ? part.states / 2 : part.states;
    for (int k = 0; k < part.states; ++k) {
      std::string text = name;
      if (isPair)
        text += k < each ? ", real part" : ", imaginary part";
      else if (each > 1)
        text += ", part";
      if (each > 1) text += " " + std::to_string(k % each + 1);
      all.push_back(std::move(text));
    }
  }
  return all;
}

// Candidates in terms of the states that are left; what depends on others too is none any longer. The rate of
// a coordinate is judged as the coordinate.
void restrictCandidates(std::vector<StateCandidate>& candidates, const MinimalForm& form) {
  std::erase_if(candidates, [](const StateCandidate& candidate) {
    return candidate.kind == StateKind::kCombination;
  });
  std::vector<bool> isState;
  for (StateCandidate& candidate : candidates) {
    const RowVectorXd row = candidate.row * form.right;
    const double whole = (candidate.row * form.scale.asDiagonal()).norm();
    const double lost = (candidate.row * form.lost).norm();
    const bool isOwn = row.norm() > kUnseen * whole && lost <= kUnseen * row.norm();
    isState.push_back(candidate.rateOf < 0 ? isOwn : isState[candidate.rateOf]);
    candidate.row = row;
    if (!isState.back()) candidate.row.setZero();
  }
}

MinimalForm findForm(const StateSpace& system, const linalg::ReducedPencil& pencil,
                     const KnownRoots& known, bool all) {
  return linalg::findMinimalForm(
      {system.A, system.B, system.C, system.D},
      linalg::makeShiftedInverse(pencil.E, pencil.A, pencil.timeScale, known.values), all);
}

// Real and imaginary parts of a pair are states, as in minimal_form.hpp. The new states are a multiple of those before.
void takeShare(RootPart& part, Complex s, const Eigen::RowVectorXcd& b, const Eigen::VectorXcd& c,
               Eigen::Index at, MinimalForm& form) {
  linalg::StateMatrices& system = form.system;
  part.root = s;
  if (s.imag() == 0.0) {
    // The product of both is real; so the phase of one goes to the other.
    Eigen::Index largest = 0;
    c.cwiseAbs().maxCoeff(&largest);
    const Complex phase = c[largest] != 0.0 ? c[largest] / std::abs(c[largest]) : Complex(1.0);
    const double old = system.C.col(at).norm(), size = c.norm();
    const double factor = size > 0.0 && old > 0.0 ? old / size : 1.0;
    const double sign = (c / phase).real().dot(system.C.col(at)) < 0.0 ? -1.0 : 1.0;
    system.A(at, at) = s.real();
    system.C.col(at) = sign * factor * (c / phase).real();
    system.B.row(at) = sign * (b * phase).real() / factor;
    return;
  }
  const Eigen::VectorXcd old = system.C.col(at) + Complex(0.0, 1.0) * system.C.col(at + 1);
  // x = factor · x of before, so that names of coordinates stay what they are.
  const Complex overlap = c.dot(old);
  const Complex factor =
      c.norm() > 0.0 && overlap != 0.0 ? overlap / c.squaredNorm() : Complex(1.0);
  const Eigen::VectorXcd newC = factor * c;
  const Eigen::RowVectorXcd newB = b / factor;
  system.A.block(at, at, 2, 2) << s.real(), s.imag(), -s.imag(), s.real();
  system.C.col(at) = newC.real();
  system.C.col(at + 1) = newC.imag();
  system.B.row(at) = 2.0 * newB.real();
  system.B.row(at + 1) = -2.0 * newB.imag();
}

// One root s of its own with its vectors z and w, P(s) z = 0 and wᵀ P(s) = 0, has the share
//     c b/(s' − s),    c = z of the outputs,    b = wᵀ F(s)/(wᵀ P'(s) z),                       (19.14)
// of the response at s'. So it keeps digits that the matrices of a stiff machine have lost.
class ShareFinder {
 public:
  explicit ShareFinder(const LinearPorts& ports)
      : ports_(ports),
        scaling_(linalg::findScaling(ports.pencil)),
        scaled_(linalg::applyScaling(ports.pencil, scaling_)),
        refinement_(scaled_, {}, ports.groups) {}

  bool find(Complex root, Complex& value, Eigen::RowVectorXcd& b, Eigen::VectorXcd& c) {
    linalg::Eigenpair pair{root / scaling_.rate,
                           Eigen::VectorXcd::Ones(scaled_.size()).normalized(), 0.0};
    pair.vector = refinement_.findVector(pair.value, std::abs(pair.value), pair.vector);
    if (pair.vector.isZero(0.0) || !refinement_.improve(pair)) return false;
    if (!(std::abs(pair.value * scaling_.rate - root) <= kSameRoot * std::abs(root))) return false;
    const Eigen::VectorXcd left = refinement_.findLeftVector(pair);
    if (left.isZero(0.0)) return false;
    const Complex slope =
        (left.transpose() * linalg::applyDerivative(scaled_, {}, pair.value, pair.vector)).value();
    value = pair.value * scaling_.rate;
    if (root.imag() == 0.0) value = value.real();
    // The scaled pencil is R P(ρ ŝ) S: its response is that of the machine with R F and S z, and a residue in ŝ.
    const Eigen::MatrixXcd F = scaling_.rows.asDiagonal() * evaluateInputs(ports_, value);
    b = left.transpose() * F / slope * scaling_.rate;
    const Eigen::VectorXcd z = scaling_.columns.asDiagonal() * pair.vector;
    c = z(ports_.outputs);
    return b.allFinite() && c.allFinite();
  }

 private:
  static constexpr double kSameRoot = 1e-3;

  const LinearPorts& ports_;
  linalg::PencilScaling scaling_;
  linalg::QuadraticPencil scaled_;
  linalg::RootRefinement refinement_;
};

// Of parts that are one root or one pair.
void refineRoots(const LinearPorts& ports, MinimalForm& form) {
  ShareFinder finder(ports);
  Eigen::Index at = 0;
  for (RootPart& part : form.kept) {
    const Eigen::Index size = part.states, start = at;
    at += size;
    const bool isPair = part.root.imag() > 0.0;
    if (size != (isPair ? 2 : 1) || part.root == 0.0) continue;
    Complex s;
    Eigen::RowVectorXcd b;
    Eigen::VectorXcd c;
    if (!finder.find(part.root, s, b, c)) continue;
    takeShare(part, s, b, c, start, form);
  }
}

void takeForm(const MinimalForm& form, const ModeNames& names, StateSpace& system) {
  system.A = form.system.A;
  system.B = form.system.B;
  system.C = form.system.C;
  system.states = nameModalStates(form, names);
}

}  // namespace

bool makeMinimal(StateSpaceResult& named, StateSpaceResult& modal,
                 const linalg::ReducedPencil& pencil, const KnownRoots& known,
                 const std::vector<RootPart>& beside, std::vector<StateCandidate> candidates,
                 bool isRefined) {
  MinimalForm form = findForm(named.system, pencil, known, false);
  if (isRefined) refineRoots(known.ports, form);
  form.leftOut.insert(form.leftOut.end(), beside.begin(), beside.end());
  if (form.leftOut.empty()) return false;
  const ModeNames names(form);
  for (const RootPart& part : form.leftOut) {
    modal.leftOut.push_back({names.name(part), part.root, part.states, part.reach, part.sight});
  }
  modal.responseError = form.error;
  modal.isModal = true;
  takeForm(form, names, modal.system);
  restrictCandidates(candidates, form);
  for (std::size_t k = 0; k < modal.system.states.size(); ++k) {
    candidates.push_back({modal.system.states[k], StateKind::kCombination,
                          RowVectorXd::Unit(modal.system.A.rows(), static_cast<Eigen::Index>(k)),
                          -1});
  }
  named = modal;
  named.isModal = false;
  nameStates(named.system, candidates);
  return true;
}

std::vector<LeftOutRoot> describeRoots(const std::vector<RootPart>& parts) {
  MinimalForm form;
  form.leftOut = parts;
  const ModeNames names(form);
  std::vector<LeftOutRoot> roots;
  for (const RootPart& part : parts) {
    roots.push_back({names.name(part), part.root, part.states, part.reach, part.sight});
  }
  return roots;
}

void makeModal(StateSpaceResult& result, const linalg::ReducedPencil& pencil,
               const KnownRoots& known, bool isRefined) {
  MinimalForm form = findForm(result.system, pencil, known, true);
  if (isRefined) refineRoots(known.ports, form);
  takeForm(form, ModeNames(form), result.system);
  result.isModal = true;
}

}  // namespace flexloop::analysis
