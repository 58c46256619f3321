// A run from a checkpoint ends with the same bits, and taking one changes nothing.
#include <optional>

#include "analysis/time/run_point.hpp"
#include "random/checks.hpp"
#include "random/dice.hpp"

namespace flexloop::random {
namespace {

class Keeper final : public analysis::Observer {
 public:
  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>&) override { last = state; }
  bool onStep(double) override { return true; }
  void onCheckpoint(const analysis::RunPoint& given) override { point = given; }

  system::State last;
  std::optional<analysis::RunPoint> point;
};

}  // namespace

bool checkRestart(Study& study) {
  const model::Model model = study.build({});
  Dice dice(study.machine().seed + 5);
  const analysis::RunPlan plan{nullptr, {dice.uniform(0.1, 0.9) * study.machine().end}};
  Keeper whole;
  if (!analysis::runTime(model, *model.time(), whole, plan).ok() || !whole.point) {
    throw Failure("the run with a checkpoint fails");
  }
  Keeper rest;
  if (!analysis::runTime(model, *model.time(), rest, {&*whole.point, plan.checkpoints}).ok()) {
    throw Failure("the run from a checkpoint fails");
  }
  if (!(rest.last == whole.last)) throw Failure("the run from a checkpoint ends elsewhere");
  if (!(whole.last == study.base().last)) throw Failure("taking a checkpoint changes the run");
  return true;
}

}  // namespace flexloop::random
