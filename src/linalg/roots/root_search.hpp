// The search for the roots of a pencil nearest to a target, in the plane of t of PencilOperator.
//
// The Krylov method starts from one vector, so of a multiple root it finds one vector only. When enough
// roots are found it starts afresh, orthogonal to all of them, until such a start finds nothing that is
// nearer than the farthest root that is wanted (docs/theory/18_eigenproblem.md, section 18.5).
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "linalg/roots/krylov_schur.hpp"
#include "linalg/roots/pencil_operator.hpp"
#include "linalg/roots/root_refinement.hpp"

namespace flexloop::linalg {

template <typename Scalar>
class RootSearch {
 public:
  struct Settings {
    std::complex<double> target;  // the shift of the operator may lie beside it
    int count = 10;
    double tolerance = 1e-12;
    int maxRestarts = 300;
    bool trusting = false;  // doubtful roots are taken as they are
  };

  RootSearch(PencilOperator<Scalar>& pencilOperator, RootRefinement& refinement,
             const Settings& settings);

  // False if the restarts do not suffice.
  [[nodiscard]] bool run();
  // Whether the farthest root that is wanted is not far above the rounding of the operator, in which others may drown.
  bool isBlurred() const;
  // For another run that continues to more roots.
  void want(int count);

  struct Root {
    std::complex<double> t;
    Eigen::VectorXcd vector;  // of the pencil
    bool doubtful = false;    // it may be infinite, or the conjugate of a real root
  };
  // The roots found, with im t >= 0, nearest first, as many as are wanted; and those among them that may be the conjugates of
  // real ones.
  std::vector<Root> calcRoots();
  // Their distances from the target.
  std::vector<double> distances() const;

 private:
  using Krylov = KrylovSchur<Scalar>;
  using Ritz = typename Krylov::Ritz;

  bool startFresh();
  void makeRoom();
  void lockConverged();
  bool isConverged(const Ritz& ritz) const;
  bool isMaybeInfinite(std::complex<double> theta) const;
  bool isNearlyReal(std::complex<double> theta) const;
  // Whether the root has passed the test of finite ones when it was locked.
  bool isKnownAsFinite(std::complex<double> theta) const;
  // t of the next column to lock, made sure of if it is doubtful; nothing if it is infinite.
  std::optional<std::complex<double>> findRoot(const Ritz& ritz);
  // Whether restarts lock nothing because what is left are infinite roots that rounding has scattered.
  bool isEmptyOfFinite();
  // The root of one of the leading columns that is next to θ, with its vector.
  Eigenpair calcPair(int columns, std::complex<double>& theta);
  // Whether one of the columns that are not locked belongs to a finite root, so far as it is located.
  bool hasFinite();
  // Whether the leading one of the rest lies outside of what is wanted, as far as is known.
  bool isRestOutside() const;
  // The modulus above which a root is wanted.
  double wantedModulus() const;
  bool isEnough() const;
  std::complex<double> rootOf(std::complex<double> theta) const;

  PencilOperator<Scalar>& operator_;
  RootRefinement& refinement_;
  Settings settings_;
  Krylov krylov_;
  std::vector<std::complex<double>> roots_;   // locked, with im t >= 0
  std::vector<std::complex<double>> finite_;  // θ of those of them that might have been infinite
  unsigned starts_ = 0;
  int vain_ = 0;             // restarts since a root was locked or the basis grew
  int vainSinceLock_ = 0;    // restarts since a root was locked
  int infinite_ = 0;         // columns locked for infinite roots
  bool exhausted_ = false;   // what is left are infinite roots
  bool confirming_ = false;  // enough are found; missed ones are looked for
  bool foundMissed_ = false;
};

extern template class RootSearch<double>;
extern template class RootSearch<std::complex<double>>;

// s of a root: t itself, or the root of t = s² with im s >= 0.
std::complex<double> calcRootOfForm(PencilForm form, std::complex<double> t);

}  // namespace flexloop::linalg
