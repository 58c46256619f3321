// A square matrix over interface freedoms b and modal coordinates q, of which reduction leaves
//
//     [X_bb, X_bq; X_qb, X_qq]   with X_qq diagonal and often X_bq = X_qb = 0.
//
// Products skip what is exactly zero.
#pragma once

#include <Eigen/Core>

namespace flexloop::mechanics {

class SplitMatrix {
 public:
  SplitMatrix() = default;
  SplitMatrix(Eigen::MatrixXd X, int interfaceFreedoms);

  const Eigen::MatrixXd& dense() const { return X_; }
  // y += X x
  void addProduct(const Eigen::VectorXd& x, Eigen::VectorXd& y) const;

 private:
  Eigen::MatrixXd X_;
  Eigen::VectorXd diagonal_;  // of X_qq
  int interface_ = 0;
  bool isDiagonal_ = false, isCoupled_ = true;
};

}  // namespace flexloop::mechanics
