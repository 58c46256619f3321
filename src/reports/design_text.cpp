#include "reports/design_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text_format.hpp"

namespace flexloop::reports {
namespace {

using base::formatText;
using Complex = std::complex<double>;

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr std::size_t kMostRoots = 16, kMostModes = 6, kMostSteps = 12;

double dampingOf(const Complex& root) {
  const double size = std::abs(root);
  return size > 0.0 ? -root.real() / size : 0.0;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void describeMethod(const DesignReport& report, std::vector<std::string>& lines) {
  if (report.pid) {
    lines.push_back(
        formatText("kp %.8g, ki %.8g, kd %.8g", report.pid->kp, report.pid->ki, report.pid->kd));
  }
  if (report.filter) {
    lines.push_back(formatText("filter at %.6g Hz, damping ratio %.4g, gain %.6g",
                               report.filter->rate / kTurn, report.filter->damping,
                               report.filter->gain));
  }
  if (report.notch) {
    lines.push_back(formatText("notch at %.6g Hz: damping ratio %.4g over %.4g",
                               report.notch->rate / kTurn, report.notch->zeroDamping,
                               report.notch->poleDamping));
  }
  if (report.shaper) {
    for (std::size_t i = 0; i < report.shaper->times.size(); ++i) {
      lines.push_back(
          formatText("  %.8g at %.8g s", report.shaper->amplitudes[i], report.shaper->times[i]));
    }
  }
  if (report.value) {
    lines.push_back(report.optimum ? formatText("least level %.7g; this controller has %.7g",
                                                *report.optimum, *report.value)
                                   : formatText("root of the cost: %.9g", *report.value));
  }
}

void describeReduction(const DesignReport& report, std::vector<std::string>& lines) {
  if (!report.reduction) return;
  const ReductionReport& r = *report.reduction;
  lines.push_back(
      formatText("the controller has %d states instead of %d; its response changes by "
                 "%.3g at most",
                 r.after, r.before, r.bound));
  if (!report.value) return;
  const char* what = report.optimum ? "level" : "root of the cost";
  lines.push_back(r.value ? formatText("  with it the %s is %.7g instead of %.7g", what, *r.value,
                                       *report.value)
                          : std::string("  with it the loop of the design is unstable"));
}

void describeRoots(std::vector<Complex> roots, std::vector<std::string>& lines) {
  std::stable_sort(roots.begin(), roots.end(),
                   [](const Complex& a, const Complex& b) { return std::abs(a) < std::abs(b); });
  for (std::size_t i = 0; i < std::min(kMostRoots, roots.size()); ++i) {
    if (roots[i].imag() == 0.0) {
      lines.push_back(formatText("  real pole %37.5g 1/s", roots[i].real()));
      continue;
    }
    lines.push_back(formatText("  %12.5g Hz  damping %8.5f  %12.5g 1/s", roots[i].imag() / kTurn,
                               dampingOf(roots[i]), roots[i].real()));
  }
  if (roots.size() > kMostRoots) {
    lines.push_back(formatText("  … and %d faster ones (all are in the JSON file)",
                               static_cast<int>(roots.size() - kMostRoots)));
  }
}

void describeMargins(const DesignReport& report, std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < report.loop->margins.size(); ++i) {
    const analysis::LoopMargins& margins = report.loop->margins[i];
    lines.push_back("  margins at " + report.inputs[i] + ":");
    const analysis::GainMargin* gain = margins.smallestGain();
    const analysis::PhaseMargin* phase = margins.smallestPhase();
    lines.push_back(gain != nullptr
                        ? formatText("    gain  %10.4g  (%.2f dB) at %.5g Hz", gain->factor,
                                     20.0 * std::log10(gain->factor), gain->frequencyHz)
                        : std::string("    gain  infinite: L is never negative"));
    lines.push_back(phase != nullptr ? formatText("    phase %10.4g deg at %.5g Hz; delay %.4g s",
                                                  phase->degrees, phase->frequencyHz,
                                                  margins.smallestDelay().value_or(0.0))
                                     : std::string("    phase infinite: |L| is never 1"));
    lines.push_back(
        formatText("    disk  %10.4g at %.5g Hz: gain %.4g to %.4g and phase +-%.4g "
                   "deg at the same time",
                   margins.disk.alpha, margins.disk.frequencyHz, margins.disk.lowestGain,
                   margins.disk.highestGain, margins.disk.degrees));
    if (!margins.isResolved) {
      lines.emplace_back("    the loop has too many resonances to follow: margins may be missing");
    }
  }
}

void describeSpillover(const LoopReport& loop, std::vector<std::string>& lines) {
  if (loop.spillover.empty()) {
    lines.emplace_back("  spill-over: no mode of the machine loses damping");
    return;
  }
  lines.emplace_back("  spill-over: modes of the machine that lose damping:");
  for (std::size_t i = 0; i < std::min(kMostModes, loop.spillover.size()); ++i) {
    const analysis::ModeChange& change = loop.spillover[i];
    lines.push_back(formatText("  %12.5g Hz  damping %8.5f -> %8.5f at %.5g Hz",
                               change.open.imag() / kTurn, dampingOf(change.open),
                               dampingOf(change.closed), change.closed.imag() / kTurn));
  }
  if (loop.spillover.size() > kMostModes) {
    lines.push_back(
        formatText("  … and %d others", static_cast<int>(loop.spillover.size() - kMostModes)));
  }
}

void describeSteps(const DesignReport& report, std::vector<std::string>& lines) {
  const LoopReport& loop = *report.loop;
  if (loop.steps.empty()) return;
  lines.emplace_back("  answers to unit steps:");
  for (std::size_t i = 0; i < std::min(kMostSteps, loop.steps.size()); ++i) {
    const analysis::StepFigures& step = loop.steps[i];
    lines.push_back("    " + nameStepOutput(report, step.output) + " after a step of " +
                    nameStepInput(report, step.input) +
                    formatText(": ends at %.5g, peak %.5g at %.4g s, within 2 %% after %.4g s",
                               step.last, step.peak, step.peakTime, step.settling));
  }
}

}  // namespace

std::string nameStepInput(const DesignReport& report, int input) {
  const int controls = static_cast<int>(report.inputs.size());
  return input < controls ? report.inputs[input]
                          : "the reference of " + report.outputs[input - controls];
}

std::string nameStepOutput(const DesignReport& report, int output) {
  std::vector<std::string> names = report.outputs;
  names.insert(names.end(), report.errors.begin(), report.errors.end());
  const int seen = static_cast<int>(names.size());
  return output < seen ? names[output] : "the control " + report.inputs[output - seen];
}

std::vector<std::string> describeDesign(const DesignReport& report) {
  std::vector<std::string> lines;
  if (!report.shaper) {
    lines.push_back("a plant with " + std::to_string(report.plantStates) + " states from " +
                    joined(report.inputs) + " to " + joined(report.outputs));
  }
  describeMethod(report, lines);
  describeReduction(report, lines);
  if (!report.loop) return lines;
  const LoopReport& loop = *report.loop;
  lines.emplace_back("  closed loop with all states of the machine:");
  describeRoots(loop.roots, lines);
  if (loop.isStable) {
    if (loop.sensitivity) {
      lines.push_back(formatText("  highest sensitivity %.4g at %.4g Hz", loop.sensitivity->gain,
                                 loop.sensitivity->rate / kTurn));
    }
    describeMargins(report, lines);
  }
  describeSpillover(loop, lines);
  describeSteps(report, lines);
  lines.emplace_back(loop.isStable ? "  stable" : "  UNSTABLE");
  return lines;
}

}  // namespace flexloop::reports
