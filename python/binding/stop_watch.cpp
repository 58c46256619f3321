#include "stop_watch.hpp"

namespace flexloop::python {
namespace py = pybind11;

int TextPipe::sync() {
  const std::string all = str();
  if (all.size() == told_ || mistake) return 0;
  const py::gil_scoped_acquire locked;
  if (write_.is_none()) return 0;
  try {
    write_(all.substr(told_));
  } catch (const py::error_already_set& error) {
    isInterrupted = isInterrupt(error);
    if (!isInterrupted) mistake = std::current_exception();
  }
  told_ = all.size();
  return 0;
}

bool isInterrupt(const py::error_already_set& error) {
  return error.matches(PyExc_KeyboardInterrupt);
}

bool isInterrupted() {
  if (PyErr_CheckSignals() == 0) return false;
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) == 0) throw py::error_already_set();
  PyErr_Clear();
  return true;
}

}  // namespace flexloop::python
