// Numbers of a result as arrays of NumPy that share its memory and cannot be written to.
#pragma once

#include <complex>
#include <pybind11/numpy.h>
#include <vector>

#include <Eigen/Core>

namespace flexloop::python {

// `owner` is kept alive by the array.
template <class T>
pybind11::array viewOf(const T* data, std::vector<pybind11::ssize_t> shape,
                       std::vector<pybind11::ssize_t> strides, const pybind11::handle& owner) {
  pybind11::array_t<T> array(std::move(shape), std::move(strides), data, owner);
  pybind11::detail::array_proxy(array.ptr())->flags &=
      ~pybind11::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

template <class T>
pybind11::array viewOf(const std::vector<T>& list, const pybind11::handle& owner) {
  return viewOf(list.data(), {static_cast<pybind11::ssize_t>(list.size())}, {sizeof(T)}, owner);
}

inline pybind11::array viewOf(const Eigen::MatrixXd& matrix, const pybind11::handle& owner) {
  constexpr pybind11::ssize_t kSize = sizeof(double);
  return viewOf(matrix.data(), {matrix.rows(), matrix.cols()}, {kSize, kSize * matrix.rows()},
                owner);
}

}  // namespace flexloop::python
