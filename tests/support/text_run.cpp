#include "support/text_run.hpp"

#include "io/model_reader.hpp"
#include "model/build.hpp"
#include "support/built_sample.hpp"

namespace flexloop::test {

model::Model buildText(const std::string& text) {
  const system::Registry& registry = fullRegistry();
  return model::buildModel(io::readModelText("flexloop: 1\n" + text, sampleFile(), registry),
                           registry);
}

std::string buildTrouble(const std::string& text) {
  try {
    static_cast<void>(buildText(text));
    return {};
  } catch (const base::InputError& error) {
    return error.what();
  }
}

TextRun runModel(const model::Model& model) {
  RecordingObserver observer(model.outputs().names());
  analysis::TimeReport report = analysis::runTime(model, *model.time(), observer);
  return {std::move(report), observer.record()};
}

TextRun runText(const std::string& text) {
  return runModel(buildText(text));
}

}  // namespace flexloop::test
