#include "study/lpv/local_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/linear/response_check.hpp"
#include "analysis/modes/zero_roots.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/roots/all_roots.hpp"
#include "linalg/state_space/block_diagonal.hpp"
#include "linalg/state_space/explicit_form.hpp"
#include "linalg/state_space/minimal_form.hpp"
#include "study/lpv/sparse_local_model.hpp"

namespace flexloop::study {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

// What counts as round-off of the elimination, one after the other until the response is right.
constexpr double kShares[] = {1e-12, 1e-10, 1e-14, 1e-8};
constexpr double kSameResponse = 1e-6;
// Unknowns of a machine of which all motions are found, at a cost that grows with the third power; and of one of which they
// are if the slowest alone cannot be separated.
constexpr int kSmall = 300, kMostDense = 1500;
// Of the fastest root: nearer ones are one part.
constexpr double kClosest = 1e-12;
// Of the part that moves most, by its squares: less is no motion of a mass.
constexpr double kNoMotion = 1e-16;

class Maker {
 public:
  Maker(const model::Model& model, const analysis::LinearModel& linear,
        const analysis::LinearPorts& ports)
      : model_(model), linear_(linear), ports_(ports) {}

  std::optional<base::Failure> make(LocalModel& local) {
    std::vector<linalg::Eigenpair> roots = linalg::findAllRoots(ports_.pencil).pairs;
    analysis::LinearModel machine = linear_;
    machine.pencil = ports_.pencil;
    machine.groups = ports_.groups;
    machine.delays.clear();
    analysis::setZeroRoots(machine, roots);
    zeros_ = static_cast<int>(std::count_if(
        roots.begin(), roots.end(), [](const auto& root) { return root.value == Complex(0.0); }));
    analysis::ResponseCheck check(ports_, roots);
    double best = std::numeric_limits<double>::infinity();
    for (const double share : kShares) {
      LocalModel next;
      if (auto failure = makeStates(share, next)) {
        if (share == kShares[0]) return failure;
        continue;
      }
      const double difference = check.compare(next.system).share;
      if (difference < best) {
        best = difference;
        local = std::move(next);
      }
      if (best <= kSameResponse) break;
    }
    if (!(best <= kSameResponse)) {
      return base::numericalFailure(
          "state equations in double precision would not represent this machine",
          "its slowest and fastest motions are too far apart: use fewer elements");
    }
    return split(local);
  }

 private:
  std::optional<base::Failure> makeStates(double share, LocalModel& local) {
    const linalg::ExplicitForm form =
        linalg::makeExplicitForm(ports_.pencil, analysis::makeInputPolynomial(ports_), share);
    if (!form.ok) {
      return base::numericalFailure(
          "the linear equations of the machine do not determine its motion",
          "`flexloop linearize` and `flexloop modes` show more");
    }
    const ObservedRows rows = findObservedRows(model_, linear_);
    const std::vector<int>& seen = rows.all;
    const Index outputs = std::ssize(ports_.outputs), motions = rows.motions;
    linalg::StateMatrices s{
        form.A, form.B[0], MatrixXd::Zero(outputs + std::ssize(seen), form.A.rows()), {}};
    s.D = MatrixXd::Zero(s.C.rows(), form.B[0].cols());
    for (Index i = 0; i < outputs; ++i) {
      const int unknown = ports_.outputs[i];
      if (unknown < 0) continue;
      s.C.row(i) = form.V.row(unknown);
      s.D.row(i) = form.W[0].row(unknown);
      for (std::size_t power = 1; power < form.W.size(); ++power) {
        if (form.W[power].row(unknown).isZero(0.0)) continue;
        return base::Failure{"the output '" + ports_.names.outputs[i] +
                                 "' depends on the time derivative of an input, which state "
                                 "equations cannot represent",
                             "choose another output, or pass the input through a filter"};
      }
    }
    for (Index i = 0; i < std::ssize(seen); ++i) s.C.row(outputs + i) = form.V.row(seen[i]);
    s = linalg::balanceStates(s);
    local.system = {s.A, s.B, s.C.topRows(outputs), s.D.topRows(outputs)};
    local.motions = s.C.middleRows(outputs, motions);
    const MatrixXd values = s.C.middleRows(outputs, rows.meaningful);
    local.meaningful = 2 * rows.meaningful;
    local.observed.resize(rows.meaningful + std::ssize(seen), s.A.cols());
    local.observed << values, values * s.A, s.C.bottomRows(std::ssize(seen) - rows.meaningful);
    local.M = takeMasses(ports_, rows);
    return std::nullopt;
  }

  std::optional<base::Failure> split(LocalModel& local) {
    const linalg::StateMatrices& s = local.system;
    std::vector<linalg::RootBlock> blocks;
    double fastest = 0.0;
    if (s.A.rows() > 0) {
      fastest = linalg::findEigenvaluesOfReal(s.A).cwiseAbs().maxCoeff();
    }
    try {
      blocks = linalg::findRootBlocks(s.A, kClosest * fastest);
    } catch (const std::runtime_error& error) {
      return base::numericalFailure(error.what());
    }
    for (const linalg::RootBlock& block : blocks) {
      LocalPart part{block.isReal, block.A, block.X, block.Y, {}};
      const Eigen::VectorXcd roots = linalg::findEigenvalues(block.A);
      part.root = roots.mean();
      part.damping = -1.0;
      for (const Complex& root : roots) {
        part.damping = std::max(part.damping, root == 0.0 ? 1.0 : -root.real() / std::abs(root));
      }
      local.parts.push_back(std::move(part));
    }
    std::sort(local.parts.begin(), local.parts.end(), [](const LocalPart& a, const LocalPart& b) {
      return std::abs(a.root) < std::abs(b.root);
    });
    for (int states = 0; states < zeros_; ++local.free) {
      states += local.parts[local.free].states();
      if (states > zeros_) {
        return base::numericalFailure("roots at zero cannot be distinguished from slow ones",
                                      "is there a motion that is nearly free?");
      }
    }
    weighParts(local);
    return std::nullopt;
  }

  const model::Model& model_;
  const analysis::LinearModel& linear_;
  const analysis::LinearPorts& ports_;
  int zeros_ = 0;
};

}  // namespace

ObservedRows findObservedRows(const model::Model& model, const analysis::LinearModel& linear) {
  std::vector<int> moving, signals, states;
  for (int u = 0; u < static_cast<int>(linear.unknowns.size()); ++u) {
    if (linear.unknowns[u] < 0) continue;
    const system::Kind kind = model.system().kinds()[linear.unknowns[u]];
    if (kind == system::Kind::kMotion) moving.push_back(u);
    if (kind == system::Kind::kState) states.push_back(u);
    if (kind != system::Kind::kMotion && kind != system::Kind::kState) signals.push_back(u);
  }
  ObservedRows rows{moving, std::ssize(moving), std::ssize(moving) + std::ssize(signals)};
  rows.all.insert(rows.all.end(), signals.begin(), signals.end());
  rows.all.insert(rows.all.end(), states.begin(), states.end());
  return rows;
}

linalg::SparseMatrix takeMasses(const analysis::LinearPorts& ports, const ObservedRows& rows) {
  std::vector<int> place(ports.pencil.size(), -1);
  for (Index i = 0; i < rows.motions; ++i) place[rows.all[i]] = static_cast<int>(i);
  std::vector<Eigen::Triplet<double, int>> entries;
  for (Index i = 0; i < rows.motions; ++i) {
    for (linalg::SparseMatrix::InnerIterator it(ports.pencil.M, rows.all[i]); it; ++it) {
      if (place[it.row()] < 0) continue;
      entries.emplace_back(place[it.row()], static_cast<int>(i), it.value());
    }
  }
  linalg::SparseMatrix M(rows.motions, rows.motions);
  M.setFromTriplets(entries.begin(), entries.end());
  return M;
}

void weighParts(LocalModel& local) {
  const linalg::StateMatrices& s = local.system;
  MatrixXd sum = MatrixXd::Zero(s.C.rows(), s.B.cols());
  std::vector<MatrixXd> shares;
  std::vector<double> energies;
  double most = 0.0;
  for (std::size_t i = 0; i < local.parts.size(); ++i) {
    const LocalPart& part = local.parts[i];
    const double rate = static_cast<int>(i) < local.free ? 1.0 : std::abs(part.root);
    const MatrixXd reach = (part.Y * s.B).cwiseAbs(), sight = (s.C * part.X).cwiseAbs();
    shares.emplace_back(sight * reach / rate);
    if (static_cast<int>(i) >= local.free) sum += shares.back();
    const MatrixXcd u = local.motions * part.X;
    energies.push_back((u.adjoint() * local.M * u).trace().real());
    most = std::max(most, energies.back());
  }
  for (std::size_t i = 0; i < local.parts.size(); ++i) {
    local.parts[i].moves = energies[i] > kNoMotion * most;
    for (Index k = 0; k < sum.size(); ++k) {
      const double whole = sum.data()[k];
      if (whole > 0.0) {
        local.parts[i].weight = std::max(local.parts[i].weight, shares[i].data()[k] / whole);
      }
    }
  }
}

base::Result<LocalModel> makeLocalModel(const model::Model& model, const system::State& state,
                                        const analysis::LinearModel& linear,
                                        const analysis::LinearPorts& ports, std::vector<double> at,
                                        int order) {
  if (!ports.delays.empty() || !ports.delayedInputs.empty()) {
    return base::Failure{"a delay has no state equations",
                         "give it 'pade: 3', which approximates it by three states"};
  }
  LocalModel local;
  const int size = ports.pencil.size();
  std::optional<base::Failure> failure;
  if (size <= kSmall) failure = Maker(model, linear, ports).make(local);
  if (size > kSmall || failure) {
    const base::Result<LocalModel> slow = makeSparseLocalModel(model, linear, ports, order);
    if (slow) {
      local = slow.value();
    } else if (size > kMostDense || failure) {
      return failure ? *failure : slow.failure();
    } else if ((failure = Maker(model, linear, ports).make(local))) {
      return *failure;
    }
  }
  local.at = std::move(at);
  local.ports = ports;
  local.matter = readBeamMatter(model, state, linear, findObservedRows(model, linear));
  return local;
}

}  // namespace flexloop::study
