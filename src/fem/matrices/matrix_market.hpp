// Sparse symmetric matrices as Matrix Market files, by which other programs give stiffness and mass:
//
//   %%MatrixMarket matrix coordinate real symmetric
//   % comments
//   rows columns entries
//   row column value                        from 1 on
//
// `general` files hold both triangles and must be symmetric; `integer` values are numbers too. Entries of one place are
// added.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::fem {

// The lower triangle. Fails for what is not square, not symmetric (1e-8 of the largest entry) or not finite.
base::Result<linalg::SparseMatrix> readMatrixMarket(const std::string& path);
base::Result<linalg::SparseMatrix> readMatrixMarketText(const std::string& text,
                                                        const std::string& path);

// As `real symmetric`, with the digits that give the same numbers again; of `matrix`, the lower triangle is written.
std::string formatMatrixMarket(const linalg::SparseMatrix& matrix, const std::string& comment);
std::optional<base::Failure> writeMatrixMarket(const std::string& path,
                                               const linalg::SparseMatrix& matrix,
                                               const std::string& comment);

}  // namespace flexloop::fem
