// The compiled part of the module `flexloop`: models and their analyses as values. What is pleasant to use is in
// python/flexloop.
#include <pybind11/pybind11.h>

#include "linalg/solvers/lazy_library.hpp"
#include "model.hpp"

PYBIND11_MODULE(_flexloop, module) {
  module.doc() = "The compiled part of flexloop.";
  module.attr("version") = FLEXLOOP_VERSION;
  // NumPy has a BLAS with settings of its own.
  flexloop::linalg::loadApart();
  flexloop::python::addModel(module);
  flexloop::python::addRun(module);
  flexloop::python::addLinear(module);
  flexloop::python::addRecords(module);
  flexloop::python::addCommands(module);
}
