#include "analysis/time/stepped_run.hpp"

#include "analysis/time/late_start.hpp"
#include "analysis/time/time_run.hpp"
#include "control/sources/external_inputs.hpp"

namespace flexloop::analysis {
namespace {

class NoObserver final : public Observer {
 public:
  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State&, const std::vector<double>&) override {}
  bool onStep(double) override { return true; }
};

}  // namespace

struct SteppedRun::Content {
  // Members are made in their order: the run keeps references to those before it.
  const control::ExternalInputs* inputs;
  model::TimeSettings settings;
  std::vector<double> startInputs;
  system::State start;
  std::optional<RunPoint> from;
  RunPlan plan;
  NoObserver observer;
  std::optional<TimeRun> run;
  std::size_t notes = 0;  // that have been taken

  Content(const model::Model& model, const model::TimeSettings& given)
      : inputs(control::findExternalInputs(model.system())),
        settings(given),
        start(model.start()) {}
};

SteppedRun::SteppedRun(const model::Model& model, const model::TimeSettings& settings,
                       const std::vector<double>& inputs, double begin)
    : content_(std::make_unique<Content>(model, settings)) {
  Content& own = *content_;
  if (begin != 0.0) beginAt(model.system(), begin, own.start);
  own.startInputs = inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    own.inputs->set(static_cast<int>(i), inputs[i], own.start);
  }
  own.run.emplace(model, own.settings, own.observer, own.plan, own.start);
}

SteppedRun::SteppedRun(const model::Model& model, const model::TimeSettings& settings,
                       const RunPoint& from, double begin)
    : content_(std::make_unique<Content>(model, settings)) {
  Content& own = *content_;
  own.start.time = begin;
  own.from = from;
  own.plan.from = &*own.from;
  own.run.emplace(model, own.settings, own.observer, own.plan, own.start);
}

SteppedRun::~SteppedRun() = default;

std::optional<base::Failure> SteppedRun::begin() {
  Content& own = *content_;
  if (!own.run->begin()) return own.run->report().failure;
  // A rest is found without inputs: they act from the start on.
  const bool isAtRest = own.settings.start != model::OperatingPoint::Kind::kInitial;
  return isAtRest && !own.from ? setInputs(own.startInputs) : std::nullopt;
}

std::optional<base::Failure> SteppedRun::stepTo(double time) {
  TimeRun& run = *content_->run;
  if (run.stepTo(time)) return std::nullopt;
  return run.report().failure;
}

std::optional<base::Failure> SteppedRun::takeModel() {
  TimeRun& run = *content_->run;
  if (run.takeModel()) return std::nullopt;
  return run.report().failure;
}

std::optional<base::Failure> SteppedRun::setInputs(const std::vector<double>& inputs) {
  TimeRun& run = *content_->run;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    content_->inputs->setNext(static_cast<int>(i), inputs[i], run.state());
  }
  if (inputs.empty() || run.takeInputs()) return std::nullopt;
  return run.report().failure;
}

const system::State& SteppedRun::state() const {
  return content_->run->state();
}

RunPoint SteppedRun::point() const {
  return content_->run->point();
}

std::vector<std::string> SteppedRun::takeNotes() {
  const std::vector<std::string>& all = content_->run->report().notes;
  std::vector<std::string> fresh(all.begin() + static_cast<std::ptrdiff_t>(content_->notes),
                                 all.end());
  content_->notes = all.size();
  return fresh;
}

}  // namespace flexloop::analysis
