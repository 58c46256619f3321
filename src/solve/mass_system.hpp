// The saddle-point systems of a consistent start. For positions and velocities,
//
//     | M  0   Bᵀ | | motion     |   | a |
//     | D  E   0  | | signals    | = | b |                                                       (9.11)
//     | B  E'  0  | | multipliers|   | c |
//
// with the mass M, the gradient B of the constraints, and the derivatives D, E of the signal
// equations by positions and signals; states stay as they are. For accelerations, the limit of the
// iteration matrix of a step for h → 0,
//
//     | M   0  Bᵀ  A | | accelerations |   | a |
//     | 0   1  0   F | | rates of x    |   | f |                                                (9.12)
//     | B   0  0   0 | | multipliers   | = | c |
//     | D'' 0  D_λ E | | signals       |   | b |
//
// where actuators fill A, and sensors of acceleration and force fill D'' and D_λ. Motions without mass
// get a small one, so that they are determined by the constraints alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/solvers/factored_matrix.hpp"
#include "solve/signal_system.hpp"
#include "solve/signal_terms.hpp"
#include "solve/soft_constraints.hpp"
#include "solve/time/part_sizes.hpp"
#include "solve/unit_scaling.hpp"
#include "system/assembler.hpp"

namespace flexloop::solve {

class MassSystem {
 public:
  enum class Use : std::uint8_t { kKinematics, kAccelerations };

  // Takes the matrices at the state. Not ok where the constraints depend on each other.
  [[nodiscard]] linalg::FactorReport update(const system::State& state, Use use);
  // Goes back to the factors of the last update for this use; false if there are none.
  [[nodiscard]] bool reuse(Use use);
  // With the matrices of the last update or reuse.
  void solve(Eigen::VectorXd& x) { factors_[inUse_].solve(x); }

  SignalSystem& signals() { return signals_; }
  // Sizes of states and signals, by those of the terms of their equations; see SignalTerms.
  void raiseToTerms(Eigen::VectorXd& sizes);
  void solveFollowing(const Eigen::VectorXd& residual, Eigen::VectorXd& x);
  // For a checkpoint, and back. Throws std::invalid_argument where it is of another machine.
  struct Record {
    std::array<linalg::FactorRecord, 2> factors;  // by use
    std::array<Eigen::VectorXd, 2> softness;
    linalg::FactorRecord signals;
    std::vector<PartSize> parts;

    template <class Self, class Visit>
    static void eachField(Self& self, Visit&& visit) {
      visit("factors", self.factors);
      visit("softness", self.softness);
      visit("signals", self.signals);
      visit("parts", self.parts);
    }
  };
  Record record() const;
  void restore(const Record& record);

  const linalg::SparseMatrix& stiffness() const { return K_; }
  const linalg::SparseMatrix& mass() const { return M_; }
  // Of the last update or reuse. Masses are those of the motions, gradients of constraints the rows of multipliers.
  const linalg::SparseMatrix& matrix() const { return matrices_[inUse_]; }

  // Starts as if new, for a machine whose constraints depend on each other as given. These have soft tangents: one
  // solution is not exact, a few are.
  void begin(const RedundancyReport& redundancy);
  // Forgets what was made for an earlier pattern of the assembler.
  void takePattern();
  bool isSoft() const { return !soft_.isEmpty(); }
  // Subtracts ε λ from the rows of soft constraints in r: a correction with that residual forgets multipliers that
  // no motion determines.
  void addPull(const Eigen::VectorXd& multipliers, Eigen::VectorXd& r) const;

  // By which motions are judged, as of the last update.
  const PartSizes& parts() const { return parts_; }

 private:
  friend class PreparedMachine;  // one for all who need it
  explicit MassSystem(system::Assembler& assembler);

  system::Assembler& assembler_;
  SignalSystem signals_;
  linalg::SparseMatrix K_, C_, M_;
  double calcEntry(Use use, int row, int column, int k) const;
  void chooseArtificialMasses(const system::State& state);
  void scaleUnits(const system::State& state);
  const SignalTerms& terms();

  SoftConstraints soft_;
  std::array<Eigen::VectorXd, 2> softness_;        // by use
  std::array<linalg::FactoredMatrix, 2> factors_;  // by use
  std::array<linalg::SparseMatrix, 2> matrices_;
  int patternCount_ = 0;  // of the assembler, when they were made
  linalg::MatrixScaling scaling_;
  std::size_t inUse_ = 0;
  PartSizes parts_;
  std::vector<std::array<double, 2>> artificialMass_;  // by part, of moves and turns that have none
  std::unique_ptr<SignalTerms> terms_;                 // at their first use
};

}  // namespace flexloop::solve
