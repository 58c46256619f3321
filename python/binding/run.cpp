// Simulations in time.
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <ostream>
#include <pybind11/stl.h>
#include <utility>

#include "analysis/time/time_analysis.hpp"
#include "api/failed.hpp"
#include "arrays.hpp"
#include "base/diagnostics.hpp"
#include "errors.hpp"
#include "model.hpp"
#include "results/progress.hpp"
#include "results/run_summary.hpp"
#include "stop_watch.hpp"

namespace flexloop::python {
namespace py = pybind11;
namespace {

struct Run {
  std::shared_ptr<const model::Model> machine;
  std::vector<double> times;
  std::vector<std::vector<double>> values;  // by output, then by time
  results::RunSummary summary;
};

// Keeps what is recorded, and looks after the user while the run goes on.
class Recorder final : public analysis::Observer {
 public:
  Recorder(Run& run, double end, py::object onStep, py::object write)
      : run_(run),
        onStep_(std::move(onStep)),
        pipe_(std::move(write)),
        stream_(&pipe_),
        progress_({.end = end, .stream = &stream_, .isTerminal = true}) {}

  void onStart(const solve::StartReport&) override {}

  void onRecord(const system::State& state, const std::vector<double>& outputs) override {
    run_.times.push_back(state.time);
    for (std::size_t i = 0; i < outputs.size(); ++i) run_.values[i].push_back(outputs[i]);
    run_.summary.lastValues = outputs;
  }

  bool onStep(double time) override {
    progress_.update(time);
    if (pipe_.mistake) mistake_ = pipe_.mistake;
    if (mistake_ || pipe_.isInterrupted) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - lastLook_ < kPause) return true;
    lastLook_ = now;
    return look(time);
  }

  // Throws what a function of the user has thrown.
  void finish() {
    progress_.finish();
    stream_.flush();
    run_.summary.records = run_.times.size();
    run_.summary.wallTime = progress_.elapsed();
    if (mistake_) std::rethrow_exception(mistake_);
  }

 private:
  static constexpr std::chrono::milliseconds kPause{50};

  bool look(double time) {
    const py::gil_scoped_acquire locked;
    try {
      if (isInterrupted()) return false;
      if (onStep_.is_none()) return true;
      const py::object answer = onStep_(time);
      return answer.is_none() || answer.cast<bool>();
    } catch (const py::error_already_set& error) {
      if (!isInterrupt(error)) mistake_ = std::current_exception();
      return false;
    } catch (...) {
      mistake_ = std::current_exception();
      return false;
    }
  }

  Run& run_;
  py::object onStep_;
  TextPipe pipe_;
  std::ostream stream_;
  results::Progress progress_;
  std::chrono::steady_clock::time_point lastLook_ = std::chrono::steady_clock::now();
  std::exception_ptr mistake_;
};

const model::TimeSettings& timeSettings(const model::Model& model) {
  if (model.time()) return *model.time();
  throw base::InputError({std::make_shared<const std::string>(model.description().file), 0, 0},
                         "the model has no 'analysis: time', so there is nothing to run",
                         "add 'analysis: {time: {end: 2, step: 1 ms}}' or use end= and step=");
}

Texts warningsOf(const Run& run) {
  const analysis::TimeReport& report = run.summary.report;
  Texts warnings = report.notes;
  const std::string verdict = report.health.verdict();
  if (report.ok() && !verdict.empty()) warnings.push_back(verdict);
  return warnings;
}

// What was computed before goes with the failure.
void raiseFailure(const std::shared_ptr<Run>& run) {
  const api::Failed failed(results::describeFailure(run->summary), *run->machine);
  const py::object error = makeError(
      failed.cause().empty() ? failed.failure().kind : base::FailureKind::kInput, failed.text());
  error.attr("_values") = py::cast(run);
  raise(error);
}

std::shared_ptr<Run> simulate(const Model& model, const py::object& onStep,
                              const py::object& write) {
  auto run = std::make_shared<Run>();
  run->machine = model.machine;
  run->values.resize(model.machine->outputs().names().size());
  run->summary.title = model.machine->description().title;
  run->summary.outputs = model.machine->outputs().names();
  std::optional<Recorder> recorder;
  const model::TimeSettings* settings = nullptr;
  compute([&] { settings = &timeSettings(*model.machine); });
  recorder.emplace(*run, settings->end, onStep, write);
  compute([&] { run->summary.report = analysis::runTime(*model.machine, *settings, *recorder); },
          model.machine.get());
  recorder->finish();
  const analysis::TimeReport& report = run->summary.report;
  if (!report.ok() && !report.stopped) raiseFailure(run);
  return run;
}

std::string textOf(const Run& run) {
  std::string text;
  for (const std::string& line : results::describeRun(run.summary)) text += line + "\n";
  return text;
}

}  // namespace

void addRun(py::module_& module) {
  py::class_<Run, std::shared_ptr<Run>>(module, "Run")
      .def_property_readonly(
          "time",
          [](const py::object& self) { return viewOf(self.cast<const Run&>().times, self); })
      .def("output",
           [](const py::object& self, std::size_t index) {
             return viewOf(self.cast<const Run&>().values.at(index), self);
           })
      .def_property_readonly("names", [](const Run& r) { return r.machine->outputs().names(); })
      .def_property_readonly("units", [](const Run& r) { return r.machine->outputs().units(); })
      .def_property_readonly("stopped", [](const Run& r) { return r.summary.report.stopped; })
      .def_property_readonly("steps", [](const Run& r) { return r.summary.report.steps; })
      .def_property_readonly("iterations", [](const Run& r) { return r.summary.report.iterations; })
      .def_property_readonly("factorizations",
                             [](const Run& r) { return r.summary.report.factorizations; })
      .def_property_readonly("wall_time", [](const Run& r) { return r.summary.wallTime; })
      .def_property_readonly("warnings", &warningsOf)
      .def_property_readonly("text", &textOf);
  module.def("run", &simulate, py::arg("model"), py::arg("on_step"), py::arg("write"));
}

}  // namespace flexloop::python
