// Independent coordinates of a machine with joints (docs/theory/37_foreign_models.md, section 37.6). From a base, a consistent state,
// its motions are increments δ; ξ are those that have been chosen, and the joints give the others,
//
//     (37.11)  δ_I = ξ,   Φ(base ⊕ δ, t) = 0,
//     (37.12)  u_I = η,   Φ'(u) = B u + Φ_t = 0,
//     (37.13)  δ' = T(δ)⁻¹ u,
//
// with the rates u of the motions and the tangent T of their increments. Any joints will do, also those that close loops. Far from the
// base another base is needed.
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"
#include "solve/prepared_machine.hpp"
#include "system/state.hpp"

namespace flexloop::analysis {

class MotionChart {
 public:
  // The machine must outlive it.
  explicit MotionChart(solve::PreparedMachine& machine);

  // A new base, with coordinates that suit it; those of before where they still do.
  void setBase(const system::State& base);
  // The same base as that of another chart.
  void setBase(const system::State& base, const std::vector<int>& independent);
  const system::State& base() const { return base_; }
  const std::vector<int>& independent() const { return independent_; }  // unknowns
  int size() const { return static_cast<int>(independent_.size()); }

  // Frames and values of motions by (37.11). Time and signals that drive joints are those of the state.
  [[nodiscard]] std::optional<base::Failure> place(const Eigen::VectorXd& xi, system::State& state);
  // Rates of motions by (37.12), after place; signals that drive joints have their rates.
  void move(const Eigen::VectorXd& eta, system::State& state);
  // ξ' of (37.13), after move.
  Eigen::VectorXd calcRates(const system::State& state) const;
  // ξ, and η of a state.
  Eigen::VectorXd coordinates() const;
  Eigen::VectorXd readRates(const system::State& state) const;
  // What the coordinates may be compared with: one radian, and the size of the machine.
  Eigen::VectorXd nominals() const { return scale_(independent_); }
  // Whether the base is so far away that another one is due.
  bool isWorn() const;

  // What a change of ξ and η changes at the same time, after move: increments and rates of all motions, and ξ'.
  struct Change {
    Eigen::VectorXd increments, rates;  // by unknown
    Eigen::VectorXd coordinateRates;    // of ξ'
  };
  Change calcChange(const system::State& state, const Eigen::VectorXd& xi,
                    const Eigen::VectorXd& eta);
  // For differences along increments of this size: how far to go.
  double findDifferenceStep(const Eigen::VectorXd& increments, const Eigen::VectorXd& rates,
                            const system::State& state) const;

  // Of motions that no mass resists: their first unknown, by the mass of the chosen ones; −1: none.
  int findMassless(const system::State& state);

 private:
  void choose();
  void measure();
  void readGradients(const system::State& state);
  void readTangents();
  Eigen::MatrixXd columnsOf(const Eigen::MatrixXd& B, const std::vector<int>& unknowns) const;
  Eigen::VectorXd solveDependent(const Eigen::MatrixXd& B, const Eigen::VectorXd& gap) const;
  Eigen::VectorXd calcConstraintRates(const system::State& state);
  Eigen::VectorXd applyTangents(const Eigen::VectorXd& delta, const Eigen::VectorXd& vector) const;
  Eigen::VectorXd solveTangents(const Eigen::VectorXd& vector) const;

  solve::PreparedMachine& machine_;
  const system::System& system_;
  std::vector<int> motions_, constraints_;  // unknowns
  std::vector<int> independent_, dependent_;
  system::State base_;
  Eigen::VectorXd delta_;   // by unknown
  Eigen::VectorXd scale_;   // by unknown: of motions, the size of an increment
  Eigen::MatrixXd B_, BT_;  // rows of constraints, columns by unknown: by increments here, and by δ
  std::vector<math::Mat6<double>> T_;  // by node
};

}  // namespace flexloop::analysis
