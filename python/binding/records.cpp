// Records of runs and of other programs, from files.
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "errors.hpp"
#include "model.hpp"
#include "results/record_file.hpp"

namespace flexloop::python {
namespace py = pybind11;

using analysis::TimeRecord;

void addRecords(py::module_& module) {
  py::class_<TimeRecord, std::shared_ptr<TimeRecord>>(module, "TimeRecord")
      .def("output",
           [](const py::object& self, std::size_t i) {
             return viewOf(self.cast<const TimeRecord&>().columns.at(i), self);
           })
      .def_property_readonly(
          "time",
          [](const py::object& self) { return viewOf(self.cast<const TimeRecord&>().times, self); })
      .def_property_readonly("names", [](const TimeRecord& r) { return r.names; })
      .def_property_readonly("units", [](const TimeRecord& r) { return r.units; });
  module.def(
      "read_record",
      [](const std::string& file) {
        auto record = std::make_shared<TimeRecord>();
        compute([&] { *record = results::readRecordFile(file, results::findRecordKind(file)); });
        record->units.resize(record->names.size());
        return record;
      },
      py::arg("file"));
}

}  // namespace flexloop::python
