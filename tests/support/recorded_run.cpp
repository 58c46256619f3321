#include "support/recorded_run.hpp"

#include <stdexcept>

#include "io/model_reader.hpp"
#include "model/build.hpp"
#include "support/built_sample.hpp"

namespace flexloop::test {

model::Model buildText(const std::string& text) {
  return model::buildModel(io::readModelText(text, "test.yaml", fullRegistry()), fullRegistry());
}

std::string mistakesOf(const std::string& text) {
  try {
    (void)buildText(text);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return {};
}

Record runText(const std::string& text) {
  const model::Model model = buildText(text);
  RecordingObserver observer(model.outputs().names());
  const analysis::TimeReport report = analysis::runTime(model, *model.time(), observer);
  if (!report.ok) throw std::runtime_error(report.trouble);
  return observer.record();
}

}  // namespace flexloop::test
