// How far a machine has moved so far, by which the error of adaptive steps is judged (docs/theory/09_time.md,
// section 9.7): a machine in other units, and one that hardly moves, are judged as any other. Parts that nothing but
// signals and the ground connect are machines of their own.
#pragma once

#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "solve/time/relative_motion.hpp"
#include "system/system.hpp"

namespace flexloop::solve {

// By unknown of a motion or multiplier, the part that it belongs to, from zero on; negative for all others.
std::vector<int> findParts(const system::System& system, const linalg::SparseMatrix& pattern);

class MotionReach {
 public:
  bool isEmpty() const { return start_.empty(); }
  // From the matrices at the start: the pattern shows what is connected, masses M and, by constraint, the lengths of
  // gradients by moves and by turns how large the parts are.
  void begin(const system::System& system, const linalg::SparseMatrix& pattern,
             const linalg::SparseMatrix& M, const Eigen::VectorXd& moves,
             const Eigen::VectorXd& turns, const system::State& state);
  // The machine has come to this state.
  void add(const system::State& state);
  // The largest of the errors of motions, in m and rad by unknown, as a share of how far its part has moved, with the
  // state that the step leads to. What cannot be distinguished from the last digits of positions is none.
  double judge(const system::State& trial, const Eigen::VectorXd& errors) const;
  // How the nodes of a part move against each other.
  RelativeMotion& relative() { return relative_; }

  struct Part {
    double size = 0.0;   // the largest distance between nodes, arm of a joint or radius of inertia
    double place = 0.0;  // the largest distance from the origin
    double reach = 0.0;  // the largest distance from the start, or turn times the size
    double turn = 0.0;   // the largest [rad], up to one

    template <class Self, class Visit>
    static void eachField(Self& self, Visit&& visit) {
      visit("size", self.size);
      visit("place", self.place);
      visit("reach", self.reach);
      visit("turn", self.turn);
    }
  };
  // For a checkpoint, and back. Throws std::invalid_argument where it is of another machine.
  struct Record {
    std::vector<math::Frame<double>> start;
    std::vector<Part> parts;
    std::vector<GroupReach> groups;

    template <class Self, class Visit>
    static void eachField(Self& self, Visit&& visit) {
      visit("start", self.start);
      visit("parts", self.parts);
      visit("groups", self.groups);
    }
  };
  Record record() const { return {start_, parts_, relative_.record()}; }
  void restore(const system::System& system, const linalg::SparseMatrix& pattern,
               const Record& record);

 private:
  void setParts(const linalg::SparseMatrix& pattern);
  void measureParts(const linalg::SparseMatrix& M, const Eigen::VectorXd& moves,
                    const Eigen::VectorXd& turns);
  void raise(const system::State& state, std::vector<Part>& parts) const;

  const system::System* system_ = nullptr;
  std::vector<math::Frame<double>> start_;  // by node
  std::vector<int> part_;                   // by unknown; of motions and multipliers
  std::vector<Part> parts_;
  mutable std::vector<Part> trial_;  // workspace
  RelativeMotion relative_;
};

}  // namespace flexloop::solve
