// Modes, frequency responses and state equations.
#include <memory>
#include <optional>
#include <pybind11/complex.h>
#include <pybind11/stl.h>
#include <sstream>
#include <utility>

#include "analysis/modes/mode_description.hpp"
#include "analysis/modes/node_shape.hpp"
#include "api/analyses.hpp"
#include "arrays.hpp"
#include "commands/linear_request.hpp"
#include "commands/mode_options.hpp"
#include "errors.hpp"
#include "memory_file.hpp"
#include "model.hpp"
#include "reports/mode_text.hpp"
#include "reports/response_text.hpp"
#include "reports/state_space_text.hpp"

namespace flexloop::python {
namespace py = pybind11;
namespace {

using Complex = std::complex<double>;

// No minus before a zero, as in reports.
Complex plain(Complex value) {
  return {value.real() + 0.0, value.imag() + 0.0};
}

struct Modes {
  std::shared_ptr<const model::Model> machine;
  system::State state;
  analysis::ModeResult result;
  reports::ModeHead head;
  Texts warnings;
  std::vector<Complex> eigenvalues;
  std::vector<double> frequencies, ratios, uncertainties;
};

template <class Target>
void take(const py::dict& options, const char* key, Target& target) {
  if (!options.contains(key)) return;
  const py::object given = options[key];
  try {
    target = given.cast<Target>();
  } catch (const py::cast_error&) {
    throw py::type_error(std::string(key) + " cannot be " + py::repr(given).cast<std::string>());
  }
}

commands::ModesRequest readRequest(const Model& model, const py::dict& options) {
  commands::ModesRequest request;
  request.model = model.source;
  take(options, "count", request.count);
  take(options, "near", request.nearHz);
  take(options, "at", request.at);
  take(options, "about", request.about);
  take(options, "loop", request.loop);
  take(options, "bodies", request.bodies);
  take(options, "method", request.method);
  return request;
}

void fillNumbers(Modes& modes) {
  for (const analysis::Mode& mode : modes.result.modes) {
    modes.eigenvalues.push_back(plain(mode.eigenvalue));
    modes.frequencies.push_back(mode.frequencyHz());
    modes.ratios.push_back(mode.dampingRatio());
    modes.uncertainties.push_back(mode.uncertainty);
  }
}

std::shared_ptr<Modes> findModes(const Model& model, const py::dict& options) {
  const commands::ModesRequest request = readRequest(model, options);
  auto modes = std::make_shared<Modes>();
  modes->machine = model.machine;
  const auto work = [&] {
    const model::Model& machine = *model.machine;
    const analysis::ModeOptions wanted = commands::readModeOptions(request, machine);
    const model::OperatingPoint about =
        commands::readOperatingPoint(request.at, request.about, machine);
    analysis::OperatingState point = api::findState(machine, about);
    modes->result = api::findModes(machine, point.state, wanted);
    modes->state = std::move(point.state);
    modes->warnings = std::move(point.notes);
    modes->warnings.insert(modes->warnings.end(), modes->result.notes.begin(),
                           modes->result.notes.end());
    modes->head = {.method = request.method,
                   .loop = request.loop,
                   .bodies = request.bodies,
                   .time = modes->state.time,
                   .about = commands::balanceName(about)};
    fillNumbers(*modes);
  };
  compute(work, model.machine.get());
  return modes;
}

std::string verdictOf(const Modes& modes) {
  const analysis::StabilityVerdict& verdict = modes.result.verdict;
  return verdict.growing > 0 ? "unstable" : verdict.isStable() ? "stable" : "unknown";
}

std::string textOf(const Modes& modes) {
  std::string text;
  for (const std::string& line : reports::describeModes(*modes.machine, modes.result, modes.head)) {
    text += line + "\n";
  }
  return text;
}

std::string jsonOf(const Modes& modes) {
  std::string json;
  compute(
      [&] {
        const bool damped = modes.head.method != "undamped";
        const reports::ModeDescriptions texts =
            analysis::describeModes(*modes.machine, modes.state, modes.result.modes, damped);
        const MemoryFile file;
        reports::writeModesJson(file.path(), *modes.machine, modes.state, modes.result, modes.head,
                                texts);
        json = file.read();
      },
      modes.machine.get());
  return json;
}

py::array toArray(const Eigen::Vector3cd& v) {
  py::array_t<Complex> array(3);
  for (int k = 0; k < 3; ++k) array.mutable_at(k) = plain(v[k]);
  return array;
}

py::dict nodesOf(const Modes& modes, const Eigen::VectorXcd& shape) {
  const system::System& system = modes.machine->system();
  py::dict nodes;
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    if (system.nodes()[i].count == 0) continue;
    const analysis::NodeShape moved = analysis::calcNodeShape(system, modes.state, shape, i);
    py::dict node;
    node["displacement"] = toArray(moved.displacement);
    node["rotation"] = toArray(moved.rotation);
    nodes[py::str(system.nodes()[i].name)] = std::move(node);
  }
  return nodes;
}

// As in the JSON of the command line, with complex numbers.
py::dict shapeOf(const Modes& modes, std::size_t index) {
  const Eigen::VectorXcd& shape = modes.result.modes.at(index).shape;
  const system::System& system = modes.machine->system();
  py::dict states, signals, all;
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kinds()[u] != system::Kind::kState) continue;
    states[py::str(system.unknownName({u}))] = plain(shape[u]);
  }
  for (const auto& [name, signal] : modes.machine->signals()) {
    signals[py::str(name)] = plain(shape[signal.value]);
  }
  all["nodes"] = nodesOf(modes, shape);
  all["states"] = std::move(states);
  all["signals"] = std::move(signals);
  return all;
}

struct Response {
  reports::ResponseReport report;
  std::vector<Complex> values;  // by frequency, output and input
  std::string messages;
};

struct StateSpace {
  analysis::StateSpaceResult result;
  std::string messages;
};

template <class Request>
void readLinear(const Model& model, const py::dict& options, Request& request) {
  request.model = model.source;
  take(options, "from", request.from);
  take(options, "to", request.to);
  take(options, "at", request.at);
  take(options, "about", request.about);
  if constexpr (std::is_same_v<Request, commands::FrfRequest>) {
    take(options, "cut", request.cut);
    take(options, "range", request.range);
    take(options, "points", request.points);
    take(options, "linear", request.linear);
    take(options, "frequencies", request.frequencies);
  } else {
    take(options, "minimal", request.minimal);
  }
}

std::shared_ptr<Response> calcResponse(const Model& model, const py::dict& options) {
  commands::FrfRequest request;
  readLinear(model, options, request);
  auto response = std::make_shared<Response>();
  compute(
      [&] {
        std::ostringstream messages;
        const commands::Console console{.text = &messages, .errors = &messages};
        response->report = commands::calcResponse(request, console);
        response->messages = messages.str();
        for (const Eigen::MatrixXcd& H : response->report.response.H) {
          for (Eigen::Index i = 0; i < H.rows(); ++i) {
            for (Eigen::Index k = 0; k < H.cols(); ++k) response->values.push_back(plain(H(i, k)));
          }
        }
      },
      model.machine.get());
  return response;
}

py::array valuesOf(const py::object& self) {
  const auto& response = self.cast<const Response&>();
  const auto frequencies = std::ssize(response.report.response.frequencyHz);
  const auto outputs = std::ssize(response.report.names.outputs);
  const auto inputs = std::ssize(response.report.names.inputs);
  constexpr py::ssize_t kSize = sizeof(Complex);
  return viewOf(response.values.data(), {frequencies, outputs, inputs},
                {kSize * outputs * inputs, kSize * inputs, kSize}, self);
}

std::shared_ptr<StateSpace> linearize(const Model& model, const py::dict& options) {
  commands::LinearizeRequest request;
  readLinear(model, options, request);
  auto equations = std::make_shared<StateSpace>();
  compute(
      [&] {
        std::ostringstream messages;
        const commands::Console console{.text = &messages, .errors = &messages};
        equations->result = commands::calcStateSpace(request, console);
        equations->messages = messages.str();
      },
      model.machine.get());
  return equations;
}

template <class Member>
auto matrixOf(Member member) {
  return [member](const py::object& self) {
    return viewOf(self.cast<const StateSpace&>().result.system.*member, self);
  };
}

}  // namespace

void addLinear(py::module_& module) {
  py::class_<Modes, std::shared_ptr<Modes>>(module, "Modes")
      .def("__len__", [](const Modes& m) { return m.result.modes.size(); })
      .def_property_readonly("eigenvalue",
                             [](const py::object& self) {
                               return viewOf(self.cast<const Modes&>().eigenvalues, self);
                             })
      .def_property_readonly("frequency_hz",
                             [](const py::object& self) {
                               return viewOf(self.cast<const Modes&>().frequencies, self);
                             })
      .def_property_readonly(
          "damping_ratio",
          [](const py::object& self) { return viewOf(self.cast<const Modes&>().ratios, self); })
      .def_property_readonly("uncertainty",
                             [](const py::object& self) {
                               return viewOf(self.cast<const Modes&>().uncertainties, self);
                             })
      .def("is_stable",
           [](const Modes& m, std::size_t i) { return m.result.modes.at(i).isStable(); })
      .def("shape", &shapeOf)
      .def("json", &jsonOf)
      .def_property_readonly("text", &textOf)
      .def_property_readonly("verdict", &verdictOf)
      .def_property_readonly("growing", [](const Modes& m) { return m.result.verdict.growing; })
      .def_property_readonly("time", [](const Modes& m) { return m.state.time; })
      .def_property_readonly("warnings", [](const Modes& m) { return m.warnings; });
  py::class_<Response, std::shared_ptr<Response>>(module, "Response")
      .def_property_readonly("frequency_hz",
                             [](const py::object& self) {
                               return viewOf(
                                   self.cast<const Response&>().report.response.frequencyHz, self);
                             })
      .def_property_readonly("values", &valuesOf)
      .def_property_readonly("inputs", [](const Response& r) { return r.report.names.inputs; })
      .def_property_readonly("outputs", [](const Response& r) { return r.report.names.outputs; })
      .def_property_readonly("has_loop",
                             [](const Response& r) { return r.report.loop.has_value(); })
      .def("json", [](const Response& r) { return reports::makeResponseJson(r.report); })
      .def_property_readonly("messages", [](const Response& r) { return r.messages; });
  using System = linalg::StateMatrices;
  py::class_<StateSpace, std::shared_ptr<StateSpace>>(module, "StateSpace")
      .def_property_readonly("A", matrixOf(&System::A))
      .def_property_readonly("B", matrixOf(&System::B))
      .def_property_readonly("C", matrixOf(&System::C))
      .def_property_readonly("D", matrixOf(&System::D))
      .def_property_readonly("states", [](const StateSpace& s) { return s.result.system.states; })
      .def_property_readonly("inputs", [](const StateSpace& s) { return s.result.system.inputs; })
      .def_property_readonly("outputs", [](const StateSpace& s) { return s.result.system.outputs; })
      .def("json", [](const StateSpace& s) { return reports::makeStateSpaceJson(s.result); })
      .def_property_readonly("messages", [](const StateSpace& s) { return s.messages; });
  module.def("modes", &findModes, py::arg("model"), py::arg("options"));
  module.def("frf", &calcResponse, py::arg("model"), py::arg("options"));
  module.def("linearize", &linearize, py::arg("model"), py::arg("options"));
}

}  // namespace flexloop::python
