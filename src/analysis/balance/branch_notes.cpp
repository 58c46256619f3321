#include "analysis/balance/branch_notes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <sstream>

#include "control/blocks/block_set.hpp"
#include "control/discontinuous/flat_blocks.hpp"
#include "control/sources/source.hpp"
#include "control/sources/time_functions.hpp"
#include "solve/machine_size.hpp"

namespace flexloop::analysis {
namespace {

using system::Kind;
using Triplets = std::vector<Eigen::Triplet<double, int>>;

constexpr int kDraws = 3;
// Share of what a signal changes by when the machine moves by its own size: less counts as nothing. An
// equilibrium is found to 1e-11 and better.
constexpr double kNothing = 1e-10;
constexpr double kSmallestStep = 1e-100;  // of signals that are zero whatever moves

// How far each signal moves when all motions and states change by their own size, at random.
Eigen::VectorXd calcSpans(const system::System& system, const system::State& state,
                          const linalg::SparseMatrix& K) {
  const std::vector<Kind>& kinds = system.kinds();
  std::vector<int> local(kinds.size(), -1), signals;
  for (std::size_t u = 0; u < kinds.size(); ++u) {
    if (kinds[u] != Kind::kSignal) continue;
    local[u] = static_cast<int>(signals.size());
    signals.push_back(static_cast<int>(u));
  }
  const auto n = static_cast<int>(signals.size());
  Eigen::VectorXd spans = Eigen::VectorXd::Zero(system.unknowns());
  const double size = solve::findFarthestNode(state);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> draw(0.5, 1.0);
  Eigen::MatrixXd moves(K.cols(), kDraws);
  for (int u = 0; u < moves.rows(); ++u) {
    double scale = 0.0;
    if (u < system.unknowns() && kinds[u] == Kind::kMotion) {
      scale = system.isRotation({u}) ? 1.0 : size;
    } else if (u < system.unknowns() && kinds[u] == Kind::kState) {
      scale = std::abs(state.value[u]);
    }
    for (int k = 0; k < kDraws; ++k) {
      moves(u, k) = draw(random) * scale * (random() % 2 == 0 ? 1.0 : -1.0);
    }
  }
  Triplets entries;
  for (const int column : signals) {
    for (linalg::SparseMatrix::InnerIterator it(K, column); it; ++it) {
      if (local[it.row()] >= 0) entries.emplace_back(local[it.row()], local[column], it.value());
    }
  }
  linalg::SparseMatrix E(n, n);
  E.setFromTriplets(entries.begin(), entries.end());
  E.makeCompressed();
  std::vector<int> groups(n);
  std::iota(groups.begin(), groups.end(), 0);
  const auto solver = linalg::makeSparseSolver(E, linalg::SolverChoice::kAutomatic, groups);
  if (solver == nullptr || !solver->factorize(E).ok) return spans;
  const Eigen::MatrixXd pushes = K * moves;
  for (int k = 0; k < kDraws; ++k) {
    Eigen::VectorXd change(n);
    for (int i = 0; i < n; ++i) change[i] = pushes(signals[i], k);
    solver->solve(change);
    for (int i = 0; i < n; ++i) {
      spans[signals[i]] = std::max(spans[signals[i]], std::abs(change[i]));
    }
  }
  return spans;
}

// `over`: what the slopes are of, if that is not the input itself.
std::string describe(const std::string& name, const std::string& input, const std::string& over,
                     const control::Kink& kink) {
  std::ostringstream text;
  text.precision(6);
  if (kink.isJump) {
    text << "'" << name << "' is exactly at its switching point: its output is " << kink.below
         << " for a smaller '" << input << "' and " << kink.above
         << " for a larger one; the linear model does not switch";
  } else {
    text << "'" << name << "' is exactly on a kink: its slope " << over << "is " << kink.below
         << " for a smaller '" << input << "' and " << kink.above
         << " for a larger one; the linear model uses " << kink.taken;
  }
  return text.str();
}

// Of the signals that keep their value for ever: nobody asks what the machine does beside it.
std::vector<bool> findConstants(const system::System& system) {
  std::vector<bool> isConstant(system.unknowns(), false);
  for (const auto& set : system.sets()) {
    const auto* sources = dynamic_cast<const control::SourceSet*>(set.get());
    for (int e = 0; sources != nullptr && e < sources->size(); ++e) {
      isConstant[sources->scalar(e, 0).value] =
          dynamic_cast<const control::Constant*>(&sources->function(e)) != nullptr;
    }
  }
  return isConstant;
}

}  // namespace

void takeMeanSlopes(const system::System& system, linalg::SparseMatrix& K,
                    std::vector<std::string>& notes) {
  const control::BlockSet* blocks = control::findBlocks(system);
  for (int e = 0; blocks != nullptr && e < blocks->size(); ++e) {
    const double slope = blocks->block(e).meanSlope();
    if (slope == 0.0) continue;
    K.coeffRef(blocks->output(e, 0).value, blocks->input(e, 0).value) = -slope * blocks->sign(e, 0);
    std::ostringstream text;
    text << "'" << blocks->name(e) << "' is linearised with its mean slope, " << slope
         << "; within one step it is 0 ('slope: zero')";
    notes.push_back(text.str());
  }
}

std::vector<std::string> describeKinks(system::Assembler& assembler, const system::State& state,
                                       const linalg::SparseMatrix& K) {
  std::vector<std::string> notes;
  const control::BlockSet* blocks = control::findBlocks(assembler.system());
  if (blocks == nullptr) return notes;
  const Eigen::VectorXd spans = calcSpans(assembler.system(), state, K);
  const system::Motion& motion = assembler.calcMotion(state);
  system::Motion later = motion;
  const std::vector<bool> isConstant = findConstants(assembler.system());
  std::vector<double> steps, far;
  for (int e = 0; e < blocks->size(); ++e) {
    steps.clear();
    far.clear();
    for (int i = 0; i < blocks->inputs(e); ++i) {
      const int u = blocks->input(e, i).value;
      const double size = std::max(std::abs(state.value[u]), spans[u]);
      steps.push_back(isConstant[u] ? 0.0 : std::max(kNothing * size, kSmallestStep));
      far.push_back(spans[u]);
    }
    // What has a clock is asked for what it gives at its next instant.
    const int clock = blocks->block(e).clock();
    if (clock >= 0) later.time = motion.time + assembler.system().clocks()[clock].period;
    bool hasKink = false;
    for (const control::Kink& kink : blocks->findKinks(clock >= 0 ? later : motion, e, steps)) {
      const auto nameOf = [&](int input) {
        return assembler.system().equationName(blocks->input(e, input));
      };
      hasKink = true;
      std::string over;
      if (kink.over == control::Kink::kState) over = "with respect to its own state ";
      if (kink.over >= 0 && kink.over != kink.input) over = "over '" + nameOf(kink.over) + "' ";
      notes.push_back(describe(blocks->name(e), nameOf(kink.input), over, kink));
    }
    if (!hasKink && control::isFlat(blocks->block(e), blocks->read(e, motion).ports, far)) {
      notes.push_back(
          "'" + blocks->name(e) +
          "' has the slope 0 here: small changes of its inputs do not change its output, "
          "and the linear model is open there");
    }
  }
  return notes;
}

}  // namespace flexloop::analysis
