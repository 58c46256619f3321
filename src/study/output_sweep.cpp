#include "study/output_sweep.hpp"

#include <algorithm>

#include "analysis/equilibrium_analysis.hpp"
#include "analysis/time_analysis.hpp"
#include "base/diagnostics.hpp"

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
  point.ok = result.report.ok;
  point.trouble = result.report.trouble;
  if (point.ok) point.last = std::move(result.outputs);
}

void simulate(const model::Model& model, const std::function<bool()>& goesOn,
              OutputSweepPoint& point) {
  if (!model.time()) {
    point.trouble = "the model has no 'analysis: time', so there is nothing to run";
    return;
  }
  RangeObserver observer(point, goesOn);
  const analysis::TimeReport report = analysis::runTime(model, *model.time(), observer);
  point.ok = report.ok;
  point.trouble = report.stopped ? "stopped by the user" : report.trouble;
}

OutputSweepPoint evaluate(const ModelMaker& maker, const Settings& settings,
                          const std::function<bool()>& goesOn, OutputSweep& sweep) {
  OutputSweepPoint point{settings, false, {}, {}, {}, {}};
  try {
    const model::Model model = maker(settings);
    if (sweep.outputs.empty()) {
      sweep.outputs = model.outputs().names();
      sweep.units = model.outputs().units();
    } else if (sweep.outputs != model.outputs().names()) {
      point.trouble = "the model has other outputs here than at the points before";
      return point;
    }
    if (sweep.analysis == OutputAnalysis::kEquilibrium) {
      solveEquilibrium(model, point);
    } else {
      simulate(model, goesOn, point);
    }
  } catch (const base::InputError& error) {
    point.trouble = error.diagnostics().errors().empty()
                        ? "the model is wrong"
                        : error.diagnostics().errors().front().message;
  }
  return point;
}

}  // namespace

OutputSweep sweepOutputs(const std::vector<SweepAxis>& axes, const ModelMaker& maker,
                         OutputAnalysis analysis, const Proceed& proceed) {
  OutputSweep sweep{axes, analysis, {}, {}, {}, true};
  const std::vector<Settings> all = combine(axes);
  const int total = static_cast<int>(all.size());
  for (const Settings& settings : all) {
    const int done = static_cast<int>(sweep.points.size());
    const std::function<bool()> goesOn = [&] { return !proceed || proceed(done, total); };
    sweep.points.push_back(evaluate(maker, settings, goesOn, sweep));
    if (proceed && !proceed(done + 1, total)) {
      sweep.isComplete = done + 1 == total;
      break;
    }
  }
  return sweep;
}

}  // namespace flexloop::study
