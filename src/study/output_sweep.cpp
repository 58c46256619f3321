#include "study/output_sweep.hpp"

#include <algorithm>
#include <atomic>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/time/time_analysis.hpp"
#include "base/diagnostics.hpp"
#include "study/ahead.hpp"

namespace flexloop::study {
namespace {

class RangeObserver final : public analysis::Observer {
 public:
  RangeObserver(OutputSweepPoint& point, const std::function<bool()>& goesOn)
      : point_(point), goesOn_(goesOn) {}

  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State&, const std::vector<double>& outputs) override {
    point_.last = outputs;
    if (point_.least.empty()) point_.least = point_.largest = outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      point_.least[i] = std::min(point_.least[i], outputs[i]);
      point_.largest[i] = std::max(point_.largest[i], outputs[i]);
    }
  }
  bool onStep(double) override { return goesOn_(); }

 private:
  OutputSweepPoint& point_;
  const std::function<bool()>& goesOn_;
};

void solveEquilibrium(const model::Model& model, OutputSweepPoint& point) {
  analysis::EquilibriumResult result = analysis::findEquilibrium(model);
  point.failure = result.report.failure;
  if (point.ok()) point.last = std::move(result.outputs);
}

void simulate(const model::Model& model, const std::function<bool()>& goesOn,
              OutputSweepPoint& point) {
  if (!model.time()) {
    point.failure = base::Failure{"the model has no 'analysis: time', so there is nothing to run"};
    return;
  }
  RangeObserver observer(point, goesOn);
  const analysis::TimeReport report = analysis::runTime(model, *model.time(), observer);
  point.failure = report.failure;
}

struct Evaluation {
  OutputSweepPoint point;
  std::vector<std::string> outputs, units;  // of the model
};

Evaluation evaluate(const ModelMaker& maker, const Settings& settings, OutputAnalysis analysis,
                    const std::function<bool()>& goesOn) {
  Evaluation made{{settings, {}, {}, {}, {}}, {}, {}};
  try {
    const model::Model model = maker(settings);
    made.outputs = model.outputs().names();
    made.units = model.outputs().units();
    if (analysis == OutputAnalysis::kEquilibrium) {
      solveEquilibrium(model, made.point);
    } else {
      simulate(model, goesOn, made.point);
    }
  } catch (const base::InputError& error) {
    made.point.failure = toFailure(error);
  }
  return made;
}

void addPoint(Evaluation made, OutputSweep& sweep) {
  if (sweep.outputs.empty()) {
    sweep.outputs = std::move(made.outputs);
    sweep.units = std::move(made.units);
  } else if (!made.outputs.empty() && made.outputs != sweep.outputs) {
    made.point = {std::move(made.point.settings),
                  base::Failure{"the model has different outputs here than at the previous points"},
                  {},
                  {},
                  {}};
  }
  sweep.points.push_back(std::move(made.point));
}

}  // namespace

OutputSweep sweepOutputs(const std::vector<SweepAxis>& axes, const ModelMaker& maker,
                         OutputAnalysis analysis, const Pace& pace) {
  OutputSweep sweep{axes, analysis, {}, {}, {}, true};
  const std::vector<Settings> all = combine(axes);
  const int total = static_cast<int>(all.size());
  std::atomic<bool> goesOn = true;
  // Runs in other threads see the answer; who asks is one thread alone.
  const auto ask = [&] {
    const int done = static_cast<int>(sweep.points.size());
    if (pace.proceed && !pace.proceed(done, total)) goesOn = false;
    return goesOn.load();
  };
  const bool isAlone = pace.threads < 2;
  Ahead<Evaluation> points(total, pace.threads, [&](int i) {
    return evaluate(maker, all[i], analysis, [&] { return isAlone ? ask() : goesOn.load(); });
  });
  for (int i = 0; i < total && goesOn; ++i) {
    addPoint(points.take([&] { (void)ask(); }), sweep);
    (void)ask();
  }
  sweep.isComplete = static_cast<int>(sweep.points.size()) == total;
  return sweep;
}

}  // namespace flexloop::study
