// Products of dense matrices with A = Aᵀ or A = −Aᵀ. Half of the matrix is kept, in the order in which it is read, once: blocks
// of four rows and four columns serve as columns and, below the diagonal, as rows. Its size is rounded up to whole blocks by zeros.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace flexloop::mechanics {

enum class Symmetry { kSymmetric, kSkew };

class HalfMatrix {
 public:
  // Vectors of rounded size; of one evaluation, which must not allocate.
  struct Workspace {
    explicit Workspace(Eigen::Index size) {
      for (Eigen::VectorXd* v : {&x, &u, &y, &w}) v->setZero(roundUp(size));
    }
    Eigen::VectorXd x, u, y, w;
  };

  HalfMatrix() = default;
  // The lower half of A counts.
  HalfMatrix(const Eigen::Ref<const Eigen::MatrixXd>& A, Symmetry symmetry);

  // y = A x
  void multiply(const Eigen::VectorXd& x, Eigen::Ref<Eigen::VectorXd> y, Workspace& work) const;
  // y = A x and w = A u
  void multiply(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::Ref<Eigen::VectorXd> y,
                Eigen::Ref<Eigen::VectorXd> w, Workspace& work) const;

 private:
  static constexpr int kLanes = 4;
  static Eigen::Index roundUp(Eigen::Index size) { return (size + kLanes - 1) / kLanes * kLanes; }

  template <int V>
  void multiplyAll(const double* const* x, double* const* y) const;

  Eigen::Index size_ = 0;  // rounded
  double sign_ = 1.0;
  std::vector<double> blocks_;  // by columns, those on the diagonal first; each by columns
};

}  // namespace flexloop::mechanics
