#include "errors.hpp"

#include <exception>
#include <new>
#include <utility>

#include "api/failed.hpp"
#include "base/diagnostics.hpp"
#include "base/interruption.hpp"
#include "base/plain_text.hpp"
#include "linalg/solvers/lazy_library.hpp"
#include "stop_watch.hpp"
#include "turns.hpp"

namespace flexloop::python {
namespace py = pybind11;
namespace {

using base::FailureKind;

const char* nameOf(FailureKind kind) {
  switch (kind) {
    case FailureKind::kInput:
      return "ModelError";
    case FailureKind::kNumerics:
      return "NumericsError";
    case FailureKind::kOther:
      break;
  }
  return "Error";
}

struct Mistake {
  FailureKind kind = FailureKind::kOther;
  std::string text;
};

// As `guard` of the commands tells it.
Mistake describe(const std::exception_ptr& thrown, const model::Model* model) {
  try {
    std::rethrow_exception(thrown);
  } catch (const base::InputError& error) {
    return {FailureKind::kInput, error.diagnostics().toText()};
  } catch (const api::Failed& failed) {
    const api::Failed told = model != nullptr ? api::Failed(failed.failure(), *model) : failed;
    return {told.cause().empty() ? told.failure().kind : FailureKind::kInput, told.text()};
  } catch (const std::bad_alloc&) {
    return {FailureKind::kOther, "error: not enough memory for this model"};
  } catch (const std::exception& error) {
    return {FailureKind::kOther, std::string("error: ") + error.what()};
  }
}

}  // namespace

py::object makeError(FailureKind kind, std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return py::module_::import("flexloop._errors").attr(nameOf(kind))(base::makePlain(text));
}

void raise(const py::object& error) {
  PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
  throw py::error_already_set();
}

void compute(const std::function<void()>& work, const model::Model* model) {
  Mistake mistake;
  try {
    const py::gil_scoped_release unlocked;
    linalg::useOneBlasThread();
    const Turn turn(model);
    const base::InterruptionScope scope([] {
      const py::gil_scoped_acquire locked;
      return isInterrupted();
    });
    work();
    return;
  } catch (const py::error_already_set&) {
    throw;  // of a function of the user
  } catch (const base::Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  } catch (...) {
    mistake = describe(std::current_exception(), model);
  }
  raise(makeError(mistake.kind, std::move(mistake.text)));
}

}  // namespace flexloop::python
