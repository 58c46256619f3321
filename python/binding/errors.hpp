// What goes wrong in a calculation, as an exception of Python.
#pragma once

#include <functional>
#include <memory>
#include <pybind11/pybind11.h>
#include <string>

#include "base/result.hpp"
#include "model/model.hpp"

namespace flexloop::python {

// The exception of flexloop/_errors.py for this kind of failure, with the text that the command line prints.
pybind11::object makeError(base::FailureKind kind, std::string text);
[[noreturn]] void raise(const pybind11::object& error);

// Does the work without the interpreter's lock; what is thrown becomes an exception of Python. With a model, a mistake in
// it that is to blame for failing numerics is told instead of them.
void compute(const std::function<void()>& work, const model::Model* model = nullptr);

}  // namespace flexloop::python
