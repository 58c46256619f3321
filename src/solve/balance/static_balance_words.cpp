// What a balance says of itself, by the user's names.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "solve/balance/fixed_unknowns.hpp"
#include "solve/balance/infinite_slope.hpp"
#include "solve/balance/static_balance.hpp"
#include "system/signal_graph.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

// What helps where a motion is free.
constexpr const char* kHoldIt =
    "hold it with a joint, a spring or a controller, or remove the freedom from the node with "
    "'free'";
constexpr double kNullDirection = 1e-12;  // reciprocal condition of a free motion
constexpr std::size_t kMostStates = 200;  // that are tried one by one
constexpr double kSmallMass = 1e-9;       // of the stiffest, to show a free motion

// The state whose rate stays what it is whatever its value: if all states are fixed there is a solution, and with this one
// there is none. Negative if none is to blame.
int findFreeState(const std::vector<Kind>& kinds, const linalg::SparseMatrix& matrix,
                  linalg::SparseSolver& solver) {
  std::vector<int> states;
  for (int u = 0; u < matrix.cols(); ++u) {
    if (kinds[u] == Kind::kState) states.push_back(u);
  }
  const auto hasSolution = [&](int released) {
    std::vector<int> fixed = states;
    std::erase(fixed, released);
    linalg::SparseMatrix trial = matrix;
    fixUnknowns(fixed, trial);
    const linalg::FactorReport factored = solver.factorize(trial);
    return factored.ok && factored.reciprocalCondition > kNullDirection;
  };
  if (states.empty() || states.size() > kMostStates || !hasSolution(-1)) return -1;
  for (const int u : states) {
    if (!hasSolution(u)) return u;
  }
  return -1;
}

}  // namespace

std::string StaticBalance::nameWorst() const {
  int worst = 0;
  residual_.cwiseAbs().maxCoeff(&worst);
  return worst < system().unknowns() ? system().equationName(UnknownIndex{worst}) : nameOf(worst);
}

std::string StaticBalance::nameOf(int unknown) const {
  const int n = system().unknowns();
  return unknown < n ? system().unknownName(UnknownIndex{unknown}) : further_->name(unknown - n);
}

std::optional<base::Failure> StaticBalance::describeUndefinedValues() const {
  return describeUndefined(system(), residual_.head(system().unknowns()));
}

// Nothing, too, if an infinite slope hides what is free.
std::optional<base::Failure> StaticBalance::describeFreeMotion(const State& state) {
  calcMatrix(state);
  if (!matrix_.coeffs().allFinite()) return {};
  const linalg::SparseMatrix scaled = scaledMatrix();
  auto solver = linalg::makeSparseSolver(scaled, linalg::SolverChoice::kKlu, groups_);
  if (solver == nullptr) {
    return base::numericalFailure("the equations are structurally singular");
  }
  const linalg::FactorReport factored = solver->factorize(scaled);
  if (factored.ok && factored.reciprocalCondition > kNullDirection) return {};
  if (const int u = findFreeState(kinds_, scaled, *solver); u >= 0) {
    std::ostringstream text;
    text << "there is no equilibrium: '" << nameOf(u) << "' changes by " << -calcResidual(state)[u]
         << " per second, and nothing that it acts on changes this";
    return base::numericalFailure(
        text.str(), "make it integrate a quantity that its actuator can change, or give it limits");
  }
  // Inverse iteration with a small mass shows the direction.
  calcMatrix(state, findSmallMass(state));
  if (const auto again = solver->factorize(scaledMatrix()); !again.ok) {
    return describeSingular(again.singularColumn);
  }
  Eigen::VectorXd x = Eigen::VectorXd::Ones(matrix_.rows());
  for (int k = 0; k < 3; ++k) {
    solver->solve(x);
    x /= x.cwiseAbs().maxCoeff();
  }
  const std::string motions = describeMotions(units_.columns.cwiseProduct(x));
  if (motions.empty()) return std::nullopt;
  return base::numericalFailure("nothing holds the " + motions, kHoldIt);
}

// μ [1/s²] of a mass that is small beside the stiffness wherever there is one.
double StaticBalance::findSmallMass(const State& state) {
  const Eigen::VectorXd mass = calcMasses(state);
  calcMatrix(state);
  const Eigen::VectorXd stiffness = matrix_.diagonal();
  double fastest = 0.0;
  for (int u = 0; u < mass.size(); ++u) {
    if (kinds_[u] != Kind::kMotion || !(mass[u] > 0.0)) continue;
    fastest = std::max(fastest, std::abs(stiffness[u]) / mass[u]);
  }
  return fastest > 0.0 ? kSmallMass * fastest : 1.0;
}

// What even a small mass does not hold.
base::Failure StaticBalance::describeSingular(int column) const {
  if (column < 0) return base::numericalFailure("nothing holds several motions at once");
  const std::string name = nameOf(column);
  if (kinds_[column] == Kind::kMotion) {
    return base::numericalFailure("nothing holds the " + name, kHoldIt);
  }
  return base::numericalFailure("nothing determines '" + name + "' at rest");
}

std::string StaticBalance::describeMotions(const Eigen::VectorXd& x) const {
  double largest = 0.0;
  for (int u = 0; u < x.size(); ++u) {
    if (kinds_[u] == Kind::kMotion) largest = std::max(largest, std::abs(x[u]));
  }
  std::vector<int> order;
  for (int u = 0; u < x.size(); ++u) {
    const bool isMotion = kinds_[u] == Kind::kMotion;
    if (isMotion && std::abs(x[u]) > 0.1 * largest) order.push_back(u);
  }
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return std::abs(x[a]) > std::abs(x[b]); });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 4); ++k) {
    text += (k > 0 ? ", " : "") + system().unknownName(UnknownIndex{order[k]});
  }
  return text;
}

}  // namespace flexloop::solve
