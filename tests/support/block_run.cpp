#include "support/block_run.hpp"

#include <stdexcept>

#include "base/diagnostics.hpp"
#include "io/model_reader.hpp"
#include "model/build.hpp"
#include "support/built_sample.hpp"

namespace flexloop::test {
namespace {

model::Model build(const std::string& text) {
  return model::buildModel(io::readModelText("flexloop: 1\n" + text, "m.yaml", fullRegistry()),
                           fullRegistry());
}

}  // namespace

BlockRun runBlocks(const std::string& text, const std::string& outputs, double end, double step,
                   const std::string& options) {
  const model::Model model =
      build(text + "outputs: " + outputs + "\nanalysis: {time: {end: " + std::to_string(end) +
            ", step: " + std::to_string(step) + options + "}}\n");
  RecordingObserver observer(model.outputs().names());
  const analysis::TimeReport report = analysis::runTime(model, *model.time(), observer);
  if (!report.ok) throw std::runtime_error(report.trouble);
  return {observer.record(), report};
}

std::string messageOfBlocks(const std::string& text) {
  try {
    build(text);
    return "no error\n";
  } catch (const base::InputError& error) {
    return error.what();
  }
}

std::string cartAnd(const std::string& blocks) {
  return R"(nodes: {cart: {position: [0.1, 0, 0], free: [x]}}
bodies: {cart: {node: cart, mass: 2}}
sensors: {x: {measure: position, node: cart, direction: [1, 0, 0]}}
loads: {push: {node: cart, force: [1, 0, 0], signal: u}}
blocks:
)" + blocks;
}

}  // namespace flexloop::test
