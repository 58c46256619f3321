#include "support/simulation.hpp"

#include <algorithm>

#include "io/model_reader.hpp"
#include "model/build.hpp"
#include "support/built_sample.hpp"

namespace flexloop::test {
namespace {

class SimulationObserver final : public analysis::Observer {
 public:
  explicit SimulationObserver(Simulation& simulation) : simulation_(simulation) {}

  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>& outputs) override {
    simulation_.record.add(state.time, outputs);
    simulation_.last = state;
  }
  bool onStep(double time) override {
    simulation_.stepEnds.push_back(time);
    return true;
  }

 private:
  Simulation& simulation_;
};

}  // namespace

std::vector<double> Simulation::interruptions() const {
  std::vector<double> times;
  std::set_difference(stepEnds.begin(), stepEnds.end(), record.times().begin(),
                      record.times().end(), std::back_inserter(times));
  return times;
}

Simulation simulate(const std::string& text) {
  const system::Registry& registry = fullRegistry();
  const model::Model model =
      model::buildModel(io::readModelText("flexloop: 1\n" + text, "test.yaml", registry), registry);
  Simulation simulation{{}, Record(model.outputs().names()), {}, {}};
  SimulationObserver observer(simulation);
  simulation.report = analysis::runTime(model, *model.time(), observer);
  return simulation;
}

}  // namespace flexloop::test
