// The functions of LAPACK that are used, from a library that is loaded when the first of them is called. Others need a
// line here; without one they are linked, and every start of the program loads the library.
#pragma once

#include <complex>

#include "linalg/solvers/lazy_library.hpp"

// The complex numbers of C++ instead of those of C, which it does not have.
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

namespace flexloop::linalg {

LazyLibrary& lapackLibrary();

template <class Function>
Function* findLapack(const char* name) {
  return reinterpret_cast<Function*>(lapackLibrary().find(name));
}

}  // namespace flexloop::linalg

// NOLINTBEGIN(cppcoreguidelines-macro-usage): the calls read as in the documentation of LAPACK.
#define FLEXLOOP_LAPACK(name)                                                            \
  ([]() -> auto& {                                                                       \
    static auto* const function = ::flexloop::linalg::findLapack<decltype(name)>(#name); \
    return *function;                                                                    \
  }())
#define LAPACKE_dgebal FLEXLOOP_LAPACK(LAPACKE_dgebal)
#define LAPACKE_dgehrd FLEXLOOP_LAPACK(LAPACKE_dgehrd)
#define LAPACKE_dorghr FLEXLOOP_LAPACK(LAPACKE_dorghr)
#define LAPACKE_dgees FLEXLOOP_LAPACK(LAPACKE_dgees)
#define LAPACKE_dggev FLEXLOOP_LAPACK(LAPACKE_dggev)
#define LAPACKE_dgges FLEXLOOP_LAPACK(LAPACKE_dgges)
#define LAPACKE_dgeev FLEXLOOP_LAPACK(LAPACKE_dgeev)
#define LAPACKE_dgesvd FLEXLOOP_LAPACK(LAPACKE_dgesvd)
#define LAPACKE_dtrexc FLEXLOOP_LAPACK(LAPACKE_dtrexc)
#define LAPACKE_dtrsen_work FLEXLOOP_LAPACK(LAPACKE_dtrsen_work)
#define LAPACKE_dtrsyl FLEXLOOP_LAPACK(LAPACKE_dtrsyl)
#define LAPACKE_zgees FLEXLOOP_LAPACK(LAPACKE_zgees)
#define LAPACKE_zgeev FLEXLOOP_LAPACK(LAPACKE_zgeev)
#define LAPACKE_zgesvd FLEXLOOP_LAPACK(LAPACKE_zgesvd)
#define LAPACKE_ztrexc FLEXLOOP_LAPACK(LAPACKE_ztrexc)
#define LAPACKE_ztrsyl FLEXLOOP_LAPACK(LAPACKE_ztrsyl)
// NOLINTEND(cppcoreguidelines-macro-usage)
