#include "support/recorded_run.hpp"

#include <stdexcept>

namespace flexloop::test {

std::string mistakesOf(const std::string& text) {
  try {
    (void)buildModel(text);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return {};
}

Record recordText(const std::string& text) {
  const model::Model model = buildModel(text);
  RecordingObserver observer(model.outputs().names());
  const analysis::TimeReport report = analysis::runTime(model, *model.time(), observer);
  if (!report.ok) throw std::runtime_error(report.trouble);
  return observer.record();
}

}  // namespace flexloop::test
