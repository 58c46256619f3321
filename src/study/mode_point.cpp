#include "study/mode_point.hpp"

#include <cmath>

#include "analysis/balance/operating_point.hpp"

namespace flexloop::study {
namespace {

using Complex = std::complex<double>;

constexpr double kRepeated = 1e-7;  // distance of roots by their size

enum class Want { kPencil, kModes };

bool findOperator(const model::Model& model, const system::State& state, const ModeTask& task,
                  ModePoint& point) {
  const bool isClosed = task.options.view.loop == analysis::LoopView::kClosed;
  const analysis::SampledBlocks sampled =
      isClosed ? analysis::findSampledBlocks(model, state) : analysis::SampledBlocks{};
  const analysis::LinearModel linear =
      analysis::linearize(model, state, task.options.view, sampled.boxElements());
  if (sampled.elements.empty()) {
    point.roots = makeRootOperator(linear);
    return true;
  }
  analysis::CycleMap cycle = analysis::makeCycleMap(sampled, model.system(), linear, state);
  if ((point.failure = cycle.failure)) return false;
  point.roots = makeRootOperator(linear, std::move(cycle));
  return true;
}

void analyze(const model::Model& model, const ModeTask& task, Want want, ModePoint& point) {
  const analysis::OperatingState at =
      analysis::findOperatingPoint(model, task.about.value_or(model.modes().about));
  if ((point.failure = at.failure)) return;
  if (!findOperator(model, at.state, task, point)) return;
  if (want == Want::kModes) {
    analysis::ModeResult result = analysis::findModes(model, at.state, task.options);
    if ((point.failure = result.failure)) return;
    point.modes = std::move(result.modes);
    point.vectors = point.roots->findVectors(point.modes);
  }
}

ModePoint analyzeAt(const ModelMaker& maker, const Settings& settings, const ModeTask& task,
                    Want want) {
  ModePoint point;
  try {
    analyze(maker(settings), task, want, point);
  } catch (const base::InputError& error) {
    point.failure = toFailure(error);
  }
  return point;
}

}  // namespace

ModePoint linearizeAt(const ModelMaker& maker, const Settings& settings, const ModeTask& task) {
  return analyzeAt(maker, settings, task, Want::kPencil);
}

ModePoint findModesAt(const ModelMaker& maker, const Settings& settings, const ModeTask& task) {
  return analyzeAt(maker, settings, task, Want::kModes);
}

bool areRepeated(Complex a, Complex b) {
  return std::abs(a - b) <= kRepeated * std::max(std::abs(a), std::abs(b));
}

}  // namespace flexloop::study
