#include "support/built_model.hpp"

#include <stdexcept>

#include "base/diagnostics.hpp"
#include "io/model_reader.hpp"
#include "model/build.hpp"
#include "support/built_sample.hpp"

namespace flexloop::test {

model::Model buildModel(const std::string& text) {
  return model::buildModel(io::readModelText(text, "test.yaml", fullRegistry()), fullRegistry());
}

std::string complaintOf(const std::string& text) {
  try {
    buildModel(text);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "nothing";
}

void LastRecord::onRecord(const system::State& state, const std::vector<double>& values) {
  time = state.time;
  outputs = values;
}

std::vector<double> runToEnd(const std::string& text) {
  const model::Model model = buildModel(text);
  LastRecord last;
  const analysis::TimeReport report = analysis::runTime(model, *model.time(), last);
  if (!report.ok) throw std::runtime_error(report.trouble);
  return last.outputs;
}

}  // namespace flexloop::test
