#include "analysis/minimal_states.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "linalg/minimal_form.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using linalg::MinimalForm;
using linalg::RootPart;

// A coordinate that depends on what was left out by more than this share is none of the states.
constexpr double kUnseen = 1e-8;
// Names may cost so much of the response.
constexpr double kNamingError = 1e-9;
constexpr int kNamingPoints = 20;

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

linalg::StateMatrices matricesOf(const StateSpace& system) {
  return {system.A, system.B, system.C, system.D};
}

// (19.13): by the largest response of each input and output.
double compare(const linalg::StateMatrices& a, const linalg::StateMatrices& b,
               const std::vector<RootPart>& roots) {
  // Points at a few roots and between them, as each costs the solution of all equations.
  std::vector<RootPart> some;
  for (std::size_t i = 0; i < roots.size(); i += 1 + roots.size() / kNamingPoints) {
    some.push_back(roots[i]);
  }
  MatrixXd largest = MatrixXd::Constant(a.D.rows(), a.D.cols(), 1e-300), error = 0.0 * largest;
  for (const Complex s : linalg::makeTestPoints(some, kNamingPoints)) {
    const MatrixXcd response = calcResponse(a, s);
    largest = largest.cwiseMax(response.cwiseAbs());
    error = error.cwiseMax((response - calcResponse(b, s)).cwiseAbs());
  }
  const double worst = error.size() > 0 ? error.cwiseQuotient(largest).maxCoeff() : 0.0;
  return std::isfinite(worst) ? worst : 1.0;
}

}  // namespace

bool makeMinimal(StateSpaceResult& result, const linalg::ReducedPencil& pencil,
                 const std::vector<RootPart>& beside, std::vector<StateCandidate> candidates) {
  StateSpace& system = result.system;
  MinimalForm form = linalg::findMinimalForm(
      matricesOf(system), linalg::makeShiftedInverse(pencil.E, pencil.A, pencil.timeScale));
  form.leftOut.insert(form.leftOut.end(), beside.begin(), beside.end());
  if (form.leftOut.empty()) return false;
  const ModeNames names(form);
  for (const RootPart& part : form.leftOut) {
    result.leftOut.push_back({names.name(part), part.root, part.states, part.reach, part.sight});
  }
  result.responseError = form.error;
  system.A = form.system.A;
  system.B = form.system.B;
  system.C = form.system.C;
  system.states = nameModalStates(form, names);
  restrictCandidates(candidates, form);
  for (std::size_t k = 0; k < system.states.size(); ++k) {
    candidates.push_back({system.states[k], StateKind::kCombination,
                          RowVectorXd::Unit(system.A.rows(), static_cast<Eigen::Index>(k)), -1});
  }
  StateSpace named = system;
  nameStates(named, candidates);
  result.namingError = compare(form.system, matricesOf(named), form.kept);
  result.isModal = result.namingError > kNamingError;
  if (!result.isModal) system = std::move(named);
  return true;
}

}  // namespace flexloop::analysis
