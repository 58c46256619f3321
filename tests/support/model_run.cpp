#include "support/model_run.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "base/diagnostics.hpp"
#include "model/build.hpp"
#include "support/built_sample.hpp"

namespace flexloop::test {
namespace {

std::filesystem::path modelFile() {
  return std::filesystem::path(sampleFile()).replace_filename("m.yaml");
}

class RecordingObserver final : public analysis::Observer {
 public:
  explicit RecordingObserver(ModelRun& run) : run_(run) {}

  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>& outputs) override {
    run_.record.add(state.time, outputs);
    run_.lastState = state;
  }
  bool onStep(double time) override {
    const double last = run_.stepEnds.empty() ? 0.0 : run_.stepEnds.back();
    if (time > last) run_.stepEnds.push_back(time);  // not where a step was taken back
    return true;
  }

 private:
  ModelRun& run_;
};

ModelRun tryModel(const model::Model& model, const model::TimeSettings& settings) {
  ModelRun run{{}, Record(model.outputs().names()), {}, {}};
  RecordingObserver observer(run);
  run.report = analysis::runTime(model, settings, observer);
  return run;
}

ModelRun expectDone(ModelRun run) {
  if (!run.report.ok()) throw std::runtime_error(messageOf(run.report.failure));
  return run;
}

}  // namespace

model::Model buildModel(const std::string& text, const language::Overrides& overrides) {
  const system::Registry& registry = fullRegistry();
  return model::buildModel(
      language::readModelText("flexloop: 1\n" + text, modelFile().string(), registry, overrides),
      registry);
}

std::string mistakesOf(const std::string& text) {
  try {
    (void)buildModel(text);
    return {};
  } catch (const base::InputError& error) {
    std::string told = error.what();
    const std::string folder = modelFile().remove_filename().string();
    for (std::size_t at = told.find(folder); at != std::string::npos; at = told.find(folder, at)) {
      told.erase(at, folder.size());
    }
    return told;
  }
}

std::vector<double> ModelRun::interruptions() const {
  std::vector<double> found;
  std::set_difference(stepEnds.begin(), stepEnds.end(), times().begin(), times().end(),
                      std::back_inserter(found));
  return found;
}

ModelRun tryModel(const std::string& text, const std::string& outputs, const std::string& time) {
  std::string whole = text;
  if (!outputs.empty()) whole += "outputs: [" + outputs + "]\n";
  if (!time.empty()) whole += "analysis: {time: {" + time + "}}\n";
  const model::Model model = buildModel(whole);
  return tryModel(model, model.time().value());
}

ModelRun runModel(const std::string& text, const std::string& outputs, const std::string& time) {
  return expectDone(tryModel(text, outputs, time));
}

ModelRun runModel(const model::Model& model) {
  return runModel(model, model.time().value());
}

ModelRun runModel(const model::Model& model, const model::TimeSettings& settings) {
  return expectDone(tryModel(model, settings));
}

}  // namespace flexloop::test
