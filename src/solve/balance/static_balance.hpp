// The balance of a machine at rest under a share λ of its loads (docs/theory/10_equilibrium.md, section 10.8),
//
//     H(x, λ) = r(x; λ) − (1 − λ) h,     h = r(x₀; 0),
//
// with its linear algebra and the measures by which moves are judged. H(x₀, 0) = 0: without loads, h holds the machine
// where it starts. H(x, 1) = r(x).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "linalg/solvers/factored_matrix.hpp"
#include "solve/balance/followed_states.hpp"
#include "solve/balance/further_unknowns.hpp"
#include "solve/soft_constraints.hpp"
#include "system/assembler.hpp"

namespace flexloop::solve {

enum class Stability { kUnknown, kStable, kUnstable };

class StaticBalance {
 public:
  // With the constraints that depend on each other. What is further must outlive the balance. The share is one.
  StaticBalance(system::Assembler& assembler, const std::vector<DependentRow>& dependent,
                const system::State& start, FurtherUnknowns* further = nullptr);
  ~StaticBalance();
  StaticBalance(const StaticBalance&) = delete;
  StaticBalance& operator=(const StaticBalance&) = delete;

  const system::System& system() const { return assembler_.system(); }
  // Of the system's unknowns and of further ones behind them, which count as states.
  const std::vector<system::Kind>& kinds() const { return kinds_; }
  const std::vector<int>& groups() const { return groups_; }  // for eliminations
  void setShare(double share);
  double share() const { return share_; }
  // From now on nothing holds the machine where it starts: h = 0.
  void release() { held_.setZero(); }
  bool isHeld() const { return motionNorm(held_) > 0.0; }

  const Eigen::VectorXd& calcResidual(const system::State& state);  // H
  const Eigen::VectorXd& residual() const { return residual_; }
  Eigen::VectorXd& residual() { return residual_; }
  Eigen::VectorXd calcLoads(const system::State& state);         // ∂H/∂λ; H is linear in λ
  Eigen::VectorXd calcAppliedLoads(const system::State& state);  // the same without h
  // K + μM, with the turn of forces (10.3) if nodes move straight; after calcResidual.
  void calcMatrix(const system::State& state, double mu = 0.0);
  linalg::SparseMatrix& matrix() { return matrix_; }
  const linalg::SparseMatrix& matrix() const { return matrix_; }
  // In units in which pivots can be distinguished from rounding.
  linalg::SparseMatrix scaledMatrix() const;
  linalg::SparseMatrix scaledPart(const linalg::SparseMatrix& part) const;  // as mechanicalPart()
  const linalg::MatrixScaling& units() const { return units_; }  // empty while they are chosen
  Eigen::VectorXd calcMasses(const system::State& state);        // the diagonal of M, by unknown
  [[nodiscard]] std::optional<base::Failure> factorize();
  Eigen::VectorXd solve(Eigen::VectorXd x);
  // Newton's correction for the unbalance H, from the state of the matrix.
  Eigen::VectorXd solveNewton(const Eigen::VectorXd& unbalance);
  // The constraints that depend on each other.
  const SoftConstraints& softConstraints() const { return soft_; }
  int factorizations() const { return factorizations_; }
  // These motions stay as they are in the matrix and its solutions: what nothing drives and nothing holds.
  void fix(std::vector<int> unknowns) { fixed_ = std::move(unknowns); }
  const std::vector<int>& fixed() const { return fixed_; }

  // By screw motions or along straight lines (10.2).
  system::State moved(const system::State& state, const Eigen::VectorXd& delta);
  bool isStraight() const { return straight_; }
  void setStraight(bool straight) { straight_ = straight; }

  // The largest turn [rad], or move relative to the size of the machine; infinite if it is no number.
  double sizeOf(const Eigen::VectorXd& delta) const;
  // What has moved further than the machine is large has shown its size.
  void noteMove(const system::State& state);
  // As if nothing had moved: a search that went astray shows no size.
  void forgetMoves() {
    size_ = firstSize_;
    awaitsMove_ = firstAwaitsMove_;
    everFollowed_.clear();
    released_.clear();
  }
  // States that followed the machine and then did not, as the twist of a clutch that slips.
  const std::set<int>& released() const { return released_; }
  double size() const { return size_; }
  // Of forces, and of torques over the machine's size.
  double motionNorm(const Eigen::VectorXd& r) const;
  // Σ aᵢ bᵢ over motions, as sizeOf measures them.
  double dot(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const;

  bool hasFeedback() const;  // from motions through signals to motions, by matrix()
  // Rows and columns of motions and multipliers, in their order. Of constraints that depend on each other, only those that
  // others imply are soft: then the others hold exactly.
  linalg::SparseMatrix mechanicalPart() const { return mechanicalPartOf(matrix_); }
  // The same with the stiffness that controllers add to slow motions (10.15). Empty if they have no solution.
  linalg::SparseMatrix calcSlowPart(const system::State& state);
  // The same state but for rounding, for some numbers k.
  system::State calcRounded(const system::State& state, unsigned k);
  bool hasPotential()
      const;  // nothing feeds back and no force follows, by matrix() at an equilibrium

  // By the user's names.
  std::string nameWorst() const;
  std::optional<base::Failure> describeUndefinedValues() const;  // nothing if all have one
  std::optional<base::Failure> describeFreeMotion(
      const system::State& state);                              // nothing if there is none
  std::string describeMotions(const Eigen::VectorXd& x) const;  // the largest

 private:
  void calcRawResidual(const system::State& state, double share, Eigen::VectorXd& r);
  void assemble(const system::State& state);
  void chooseUnits();
  Eigen::VectorXd findStiffness();
  void solveByFactors(Eigen::VectorXd& x);
  void enlarge(const system::State& state, linalg::SparseMatrix& matrix);
  void advanceFollowed(const system::State& from, const Eigen::VectorXd& dq, system::State& to);
  std::vector<double> rateFactors() const;
  linalg::SparseMatrix mechanicalPartOf(const linalg::SparseMatrix& matrix) const;
  std::string nameOf(int unknown) const;
  void followStates(const system::State& state);
  double findNonlinearLength();
  double findSmallMass(const system::State& state);
  base::Failure describeSingular(int column) const;

  system::Assembler& assembler_;
  SoftConstraints soft_;
  Eigen::VectorXd softness_;     // ε by soft row, once it is known
  Eigen::VectorXd multipliers_;  // by unknown, where the matrix was calculated
  linalg::MatrixScaling units_;
  FurtherUnknowns* further_;
  std::vector<system::Kind> kinds_;
  std::vector<int> groups_, fixed_;
  system::State start_;
  double share_ = 1.0;
  mutable double size_ = 0.0;  // [m]; zero until the first move where nothing else determines it
  mutable bool awaitsMove_ = false;  // whether the first move may be the size
  bool firstAwaitsMove_ = false;
  double firstSize_ = 0.0;
  bool straight_ = false;
  int factorizations_ = 0;
  system::Weights weights_;
  linalg::SparseMatrix matrix_;
  FollowedStates followed_;
  bool follows_ = false;                   // some state has, in one of the matrices
  linalg::SparseMatrix ownPattern_;        // then: the matrix without the entries below
  std::set<std::pair<int, int>> entries_;  // of rows of states that follow
  std::set<int> everFollowed_, released_;
  std::vector<int> followedRows_;  // in the matrix as it is
  std::unique_ptr<linalg::SparseSolver> solver_;
  Eigen::VectorXd residual_, held_;
};

}  // namespace flexloop::solve
