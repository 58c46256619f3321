// Assembly: the residual of the whole system and its tangents through precomputed scatter maps.
//
//     r(value, rate, acceleration, t),     dr = K d(value) + C d(rate) + M d(acceleration)
//
// The iteration matrix of a time step or of statics is one weighted sum of the three,
//
//     S = K·T·diag(w0) + C·diag(w1) + M·diag(w2),   rows times rowScale,                     (4.1)
//
// with T the tangent operator of each node's increment. Sums run in a fixed order.
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"
#include "linalg/solvers/sparse_solver.hpp"
#include "system/element_roles.hpp"
#include "system/gathering.hpp"
#include "system/step_increment.hpp"
#include "system/system.hpp"
#include "system/touching.hpp"

namespace flexloop::system {

// Local matrices of this size and below need no workspace from the heap. Blocks and reduced parts may be larger.
inline constexpr int kSmallLocalFreedoms = 64;

struct Weights {
  Eigen::VectorXd value, rate, acceleration;  // w0, w1, w2 by unknown
  Eigen::VectorXd row;                        // rowScale by equation
};

class Assembler {
 public:
  explicit Assembler(const System& system);

  const System& system() const { return system_; }
  const Environment& environment() const { return environment_; }
  void setLoadFactor(double factor);
  // A penalty that comes or goes changes the pattern.
  void setAugmentation(double scale, double penalty);

  // The motion as elements see it, valid until the next call or change of `state`. Elements that come and go are from here
  // on those of the state.
  const Motion& calcMotion(const State& state);

  void calcResidual(const State& state, Eigen::VectorXd& residual);
  // After calcResidual at the same state. With the increment of a time step, from which T is made,
  // changes of rates and accelerations are those of the step (3.10); null for statics, with T = I.
  void calcIterationMatrix(const State& state, const Weights& weights,
                           const StepIncrement* increment, linalg::SparseMatrix& matrix);
  // The three tangents apart, all with the same pattern. After calcResidual at the same state.
  void calcTangents(const State& state, linalg::SparseMatrix& K, linalg::SparseMatrix& C,
                    linalg::SparseMatrix& M);

  // The rows of the signals alone; other rows of the residual, and other entries of the matrix than
  // those between signals, have no meaning.
  void calcSignalResidual(const State& state, Eigen::VectorXd& residual);
  void calcSignalMatrix(const State& state, linalg::SparseMatrix& matrix);

  // First and second time derivatives of the scalar equations along the state's motion.
  void calcTimeDerivatives(const State& state, TimeDerivatives& derivatives);
  // First derivatives of the constraints alone, in the rows of the multipliers; other rows have no meaning. After
  // calcResidual at the same state.
  void calcConstraintRates(Eigen::VectorXd& rates);
  Energy calcEnergy(const State& state);
  void updateHistory(State& state);
  void forgetPast(State& state) const;

  int indicators() const;
  // Whether each of the indicators is located; see Branching.
  std::vector<bool> locatedIndicators() const;
  void calcIndicators(const State& state, std::vector<double>& values);
  void switchBranches(State& state);
  std::optional<base::Failure> fault() const;  // of a black box

  bool gathers() const { return !gatherings_.empty(); }
  const std::vector<const Gathering*>& gatherings() const { return gatherings_; }
  // Those of the system, and behind them those that come and go, of the last state.
  const std::vector<const ElementSet*>& sets() const { return sets_; }
  // A matrix of zeros with the pattern of the tangents (diagonal included).
  const linalg::SparseMatrix& pattern() const { return pattern_; }
  // The same without what comes and goes.
  const linalg::SparseMatrix& lastingPattern() const {
    return gatherings_.empty() ? pattern_ : lastingPattern_;
  }
  // How often the pattern has been made: matrices and factors of an earlier one are of no use.
  int patternCount() const { return patternCount_; }
  // By unknown, the group that is best eliminated together: the freedoms of a node with the
  // multipliers of the joint that holds it.
  const std::vector<int>& eliminationGroups() const { return groups_; }

 private:
  // How one set's local matrices go into the system's: by element the unknown of every local
  // freedom, and the position of every local entry in the value array (-1: nowhere).
  struct SetMap {
    std::vector<int> unknowns;
    std::vector<int> slots;
    std::vector<std::size_t> firstUnknown, firstSlot;  // by element, and the end
    Tangents tangents;                                 // workspace

    int freedoms(int element) const {
      return static_cast<int>(firstUnknown[element + 1] - firstUnknown[element]);
    }
    void placeElements(const ElementSet& set);
  };

  void calcNodeMotion(const State& state, int node);
  void readScalars(const State& state);
  void gather(const State& state);
  void addGathered();
  bool isIdle(std::size_t set, int element) const;
  void buildPattern();
  void placeUnknowns(const ElementSet& set, SetMap& map) const;
  void addPairEntries(std::vector<Eigen::Triplet<double, int>>& entries) const;
  void fillPairSlots();
  void fillPairSlots(const SetMap& map, int element, std::vector<int>& slots) const;
  bool mayFill(const ElementSet& set, int element, int row, int column, bool augmented) const;
  void fillSlots(bool augmented);
  void groupUnknowns();
  void findSignalSets();
  void findConstraintSets();
  void reduceToUnknowns(const ElementSet& set, int element, Tangents& tangents) const;
  void addStepDerivatives(const ElementSet& set, int element, const StepIncrement& increment,
                          Tangents& tangents) const;
  void applyTangents(const ElementSet& set, int element, Eigen::MatrixXd& K) const;
  void scatter(const SetMap& map, int element, const Weights& w, bool rate, bool acceleration,
               double* values) const;
  void scatterLarge(const SetMap& map, int element, const Weights& w, double* values) const;
  void addMapStiffness(const State& state, const Weights& w, bool withTangent,
                       double* values) const;
  void prepareNodes(const State& state, const StepIncrement* increment);

  const System& system_;
  Environment environment_;
  Motion motion_;
  ResidualSums sums_;
  // What comes and goes, the list that it follows from, and its sets, which are the last of all.
  std::vector<const Gathering*> gatherings_;
  std::vector<int> list_, newList_;
  Gathering::Sets gathered_;
  std::vector<const Remembering*> gatheredMemories_;
  std::vector<const Idling*> gatheredIdlers_;  // by set; null: never idle
  std::vector<const ElementSet*> sets_;
  linalg::SparseMatrix pattern_, lastingPattern_;
  int patternCount_ = 0;
  std::vector<int> groups_;
  std::vector<SetMap> maps_;
  std::vector<int> signalSets_;   // sets with equations of signals
  std::vector<int> signalNodes_;  // nodes that they read
  Weights signalWeights_;
  std::vector<const ConstraintRates*>
      rateSets_;  // sets with constraints, those that give rates by themselves
  std::vector<const ElementSet*> otherRateSets_;  // and the rest
  TimeDerivatives constraintDerivatives_;
  std::vector<int> mixedNodes_;                     // nodes whose map depends on the configuration
  std::vector<int> mixedSlots_;                     // 36 positions per mixed node
  std::vector<TwistDerivatives> twistDerivatives_;  // by node where it is not the identity
  std::vector<math::Mat6<double>> nodeTangents_;    // T by node
};

}  // namespace flexloop::system
