// The eigenvalues of largest modulus of an operator A that is known by its products, by the method of
// Krylov and Schur (docs/theory/18_eigenproblem.md, (18.16)): an orthonormal basis V with
//
//   A V = V T + v bᴴ,
//
// T a sorted Schur form. It is extended by the Krylov vectors of v up to its capacity, brought to Schur
// form again, and cut to the half that matters, until the leading entries of b vanish. These columns are
// then locked: all that comes later is orthogonal to them, so that a fresh start finds what the first one
// missed, such as another vector of a multiple root.
#pragma once

#include <complex>
#include <functional>

#include <Eigen/Core>

namespace flexloop::linalg {

template <typename Scalar>
class KrylovSchur {
 public:
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Product = std::function<void(const Vector& x, Vector& y)>;  // y = A x

  struct Ritz {
    std::complex<double> value;  // of a conjugate pair the one with im > 0
    double residual = 0.0;       // |A q - q T| of its Schur vectors
    int width = 1;               // columns: two for a pair in real arithmetic
  };

  KrylovSchur(Product product, int size, int capacity);

  // Forgets all columns but the locked ones and continues from this vector after so many products with
  // A, which take eigenvectors of zero out of it; false if nothing is left beside the locked columns.
  [[nodiscard]] bool start(Vector vector, int products);
  // One restart: extends the basis to its capacity, sorts, and keeps the better half. False if there
  // was nothing to extend with, because the basis is invariant: then all of it is kept.
  bool improve();
  void lock(int columns) { locked_ += columns; }
  // More room, for when the locked columns leave too little.
  void grow(int columns);

  int size() const { return size_; }
  int capacity() const { return capacity_; }
  int locked() const { return locked_; }
  int columns() const { return columns_; }
  // The Ritz value that starts at this column.
  Ritz ritz(int column) const;
  // The largest column of T so far: what rounding errors are measured by.
  double scale() const { return scale_; }
  Matrix T(int columns) const { return H_.topLeftCorner(columns, columns); }
  // V c for the leading columns.
  Eigen::VectorXcd combine(const Eigen::VectorXcd& c) const;

 private:
  // Makes w orthogonal to the leading columns of V; the coefficients, and what is left of its length.
  double orthogonalize(int columns, Vector& w, Eigen::Ref<Vector> coefficients) const;
  bool extend();
  void contract(bool invariant);
  void rotate(int first, const Matrix& Q);

  Product product_;
  int size_, capacity_;
  int locked_ = 0, columns_ = 0;
  double scale_ = 0.0;
  Matrix V_;  // columns_ basis vectors and the residual vector v
  Matrix H_;  // T and, in the row below it, bᴴ
};

extern template class KrylovSchur<double>;
extern template class KrylovSchur<std::complex<double>>;

}  // namespace flexloop::linalg
