// Blocks whose functions are written in Python. To a model they are black boxes that are called directly: this module is
// the shared library that such a block names, and its `config` is the number of the block in flexloop/_blocks.py.
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <flexloop_block.h>

#include "arrays.hpp"
#include "control/boxes/box_slopes.hpp"
#include "model.hpp"

namespace flexloop::python {
namespace py = pybind11;
namespace {

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;

struct Block {
  py::object functions;  // of class Block in flexloop/_blocks.py
  std::size_t inputs = 0, outputs = 0;
  std::vector<double> states;  // of a sampled block its memory; of others those at the start
};

Block& blockOf(void* pointer) {
  return *static_cast<Block*>(pointer);
}

// What a function of the user has thrown is kept for the caller, and told in the message of the box.
template <class Action>
auto guarded(const py::object& functions, const Action& action) {
  try {
    return action();
  } catch (py::error_already_set& error) {
    std::string text = error.what();
    functions.attr("_error") = error.value();
    throw std::runtime_error(text.substr(0, text.find('\n')));
  } catch (const py::builtin_exception& mistake) {  // of what it gives
    mistake.set_error();
    const py::error_already_set error;
    functions.attr("_error") = error.value();
    throw std::runtime_error(mistake.what());
  }
}

// The user's functions get arrays of their own: they may keep them.
Rows toArray(std::span<const double> list) {
  return Rows(static_cast<py::ssize_t>(list.size()), list.data());
}

void copyNumbers(const char* what, const py::object& from, std::span<double> to) {
  if (from.is_none()) throw py::type_error(std::string(what) + " gives nothing");
  const Rows numbers(from);
  if (static_cast<std::size_t>(numbers.size()) != to.size()) {
    throw py::value_error(std::string(what) + " gives " + std::to_string(numbers.size()) +
                          " numbers where " + std::to_string(to.size()) + " are expected");
  }
  std::copy_n(numbers.data(), to.size(), to.begin());
}

void call(const Block& block, const char* what, double t, std::span<const double> x,
          std::span<const double> u, std::span<double> result) {
  guarded(block.functions, [&] {
    copyNumbers(what, block.functions.attr(what)(t, toArray(x), toArray(u)), result);
  });
}

struct Point {
  double t;
  std::span<const double> x, u;
};

// Partial derivatives row by row, where the block gives its own.
void readJacobian(const Block& block, const Point& at, double* const (&parts)[4]) {
  const std::size_t n = at.x.size(), m = at.u.size(), p = block.outputs;
  const std::size_t sizes[] = {n * n, n * m, p * n, p * m};
  guarded(block.functions, [&] {
    const py::sequence given = block.functions.attr("jacobian")(at.t, toArray(at.x), toArray(at.u));
    if (given.size() != 4) throw py::value_error("jacobian does not give fx, fu, hx and hu");
    for (std::size_t k = 0; k < 4; ++k) {
      copyNumbers("jacobian", given[k], {parts[k], sizes[k]});
    }
  });
}

// By differences, as of a library that has no such function.
void calcJacobian(const Block& block, const Point& at, double* const (&parts)[4]) {
  const std::size_t n = at.x.size(), m = at.u.size(), p = block.outputs;
  std::vector<double> arguments(at.x.begin(), at.x.end());
  arguments.insert(arguments.end(), at.u.begin(), at.u.end());
  Eigen::MatrixXd J(n + p, n + m);
  control::calcColumns({arguments, n + p}, J, [&](const control::Variations& all) {
    for (std::size_t k = 0; k < all.count(); ++k) {
      const auto x = all.arguments(k).first(n), u = all.arguments(k).subspan(n);
      if (n > 0) call(block, "derivative", at.t, x, u, all.results(k).first(n));
      call(block, "output", at.t, x, u, all.results(k).subspan(n));
    }
  });
  const auto copy = [&J](double* to, std::size_t row, std::size_t rows, std::size_t column,
                         std::size_t columns) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) *to++ = J(row + i, column + j);
    }
  };
  copy(parts[0], 0, n, 0, n);
  copy(parts[1], 0, n, n, m);
  copy(parts[2], n, p, 0, n);
  copy(parts[3], n, p, n, m);
}

}  // namespace
}  // namespace flexloop::python

using namespace flexloop::python;  // NOLINT: the functions below have C names

extern "C" {

void* block_create(const char* config) {
  const py::gil_scoped_acquire locked;
  auto block = std::make_unique<Block>();
  block->functions = py::module_::import("flexloop._blocks").attr("find")(config);
  block->inputs = block->functions.attr("inputs_count").cast<std::size_t>();
  block->outputs = block->functions.attr("outputs_count").cast<std::size_t>();
  const Rows states = Rows::ensure(block->functions.attr("x0"));
  block->states.assign(states.data(), states.data() + states.size());
  return block.release();
}

void block_destroy(void* pointer) {
  if (Py_IsInitialized() == 0) return;  // nothing of Python can be given back any more
  const py::gil_scoped_acquire locked;
  delete &blockOf(pointer);
}

void block_output(void* pointer, double t, const double* u, double* y) {
  const py::gil_scoped_acquire locked;
  Block& block = blockOf(pointer);
  const std::span inputs(u, block.inputs);
  call(block, "output", t, block.states, inputs, {y, block.outputs});
  if (block.states.empty()) return;
  std::vector<double> next(block.states.size());
  call(block, "update", t, block.states, inputs, next);
  block.states = std::move(next);
}

size_t block_save(void* pointer, void* buffer, size_t capacity) {
  const std::vector<double>& states = blockOf(pointer).states;
  const std::size_t size = states.size() * sizeof(double);
  if (size > 0 && size <= capacity) std::memcpy(buffer, states.data(), size);
  return size;
}

void block_restore(void* pointer, const void* buffer, size_t size) {
  if (size > 0) std::memcpy(blockOf(pointer).states.data(), buffer, size);
}

void block_derivative(void* pointer, double t, const double* x, const double* u, double* dx) {
  const py::gil_scoped_acquire locked;
  const Block& block = blockOf(pointer);
  const std::size_t n = block.states.size();
  if (n > 0) call(block, "derivative", t, {x, n}, {u, block.inputs}, {dx, n});
}

void block_nonlinear_output(void* pointer, double t, const double* x, const double* u, double* y) {
  const py::gil_scoped_acquire locked;
  const Block& block = blockOf(pointer);
  call(block, "output", t, {x, block.states.size()}, {u, block.inputs}, {y, block.outputs});
}

void block_jacobian(void* pointer, double t, const double* x, const double* u, double* fx,
                    double* fu, double* hx, double* hu) {
  const py::gil_scoped_acquire locked;
  const Block& block = blockOf(pointer);
  const Point at{t, {x, block.states.size()}, {u, block.inputs}};
  double* const parts[] = {fx, fu, hx, hu};
  if (block.functions.attr("jacobian").is_none()) {
    calcJacobian(block, at, parts);
  } else {
    readJacobian(block, at, parts);
  }
}

}  // extern "C"
