#include "commands/design_tune.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "api/study_source.hpp"
#include "base/text_format.hpp"
#include "base/units.hpp"
#include "commands/mode_options.hpp"
#include "files/output_file.hpp"
#include "reports/tuning_text.hpp"
#include "study/tuning/minimize.hpp"
#include "study/tuning/mode_goal.hpp"

namespace flexloop::commands {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Modes that are looked at.
constexpr int kModes = 60;
constexpr int kMostValues = 400, kMostSteps = 15;
// Variables are logarithms, or a range in parts of this number; the first step is half of one.
constexpr double kParts = 5.0, kFirstStep = 0.5, kPolishStep = 0.05, kTolerance = 1e-4;
// Without a range a number may become so many times larger or smaller.
constexpr double kUsualFactor = 100.0;
constexpr double kSharpness[] = {20.0, 300.0};

struct Variable {
  std::string name;
  double start = 0.0, low = 0.0, high = 0.0;

  // By factors where the sign is known.
  bool isLogarithmic() const { return low * high > 0.0; }
  double toModel(double x) const {
    if (isLogarithmic()) return std::copysign(std::exp(x), low);
    return low + x / kParts * (high - low);
  }
  double fromModel(double value) const {
    if (isLogarithmic()) return std::log(std::abs(value));
    return kParts * (value - low) / (high - low);
  }
  double slope(double x) const {
    return isLogarithmic() ? toModel(x) : (high - low) / kParts;
  }
};

double readBound(const std::string& text, const std::string& whole) {
  const base::Result<base::Quantity> number = base::parseQuantity(text);
  if (!number) {
    reject("--tune '" + whole + "': '" + text + "' is not a number",
           "as in '--tune blocks.pid.kp=1e3:1e5'");
  }
  return number.value().value;
}

Variable readVariable(const std::string& text, const model::Model& model) {
  const std::size_t sign = text.find('='), colon = text.find(':', sign);
  Variable v;
  v.name = text.substr(0, sign);
  v.start = api::findSetting(model, v.name, "--tune").value;
  if (sign == std::string::npos) {
    if (v.start == 0.0) {
      reject("--tune " + v.name + ": the number is zero, so its size is not known",
             "give a range, as in '--tune " + v.name + "=0:10'");
    }
    v.low = v.start / kUsualFactor;
    v.high = v.start * kUsualFactor;
  } else {
    if (colon == std::string::npos) {
      reject("--tune '" + text + "' is not NAME=LOW:HIGH", "as in '--tune blocks.pid.kp=1e3:1e5'");
    }
    v.low = readBound(text.substr(sign + 1, colon - sign - 1), text);
    v.high = readBound(text.substr(colon + 1), text);
    if (!(v.low < v.high)) reject("--tune '" + text + "': the range is empty", "LOW is below HIGH");
    if (!(v.start >= v.low && v.start <= v.high)) {
      reject("--tune '" + text + "': the model has " + base::numberText(v.start) +
                 ", which is outside of the range",
             "the search begins at the number of the model: give a range around it");
    }
  }
  return v;
}

// Goals as functions of the variables, the smaller the better.
class Tuner {
 public:
  Tuner(const DesignRequest& request, const Console& console)
      : request_(request), console_(console), model_(api::loadModel(request.model)) {
    goal_ = choose("--goal", request.goal, {"damping", "settling", "margin"});
    for (const std::string& text : request.tune) {
      for (const Variable& other : variables_) {
        if (other.name == text.substr(0, text.find('='))) {
          reject("--tune " + other.name + " is given twice", "give each number once");
        }
      }
      variables_.push_back(readVariable(text, model_));
    }
    if (isMargin() == request.cut.empty()) {
      reject(isMargin() ? "--goal margin: no loop is given" : "--cut is for '--goal margin'",
             isMargin() ? "add '--cut SIGNAL', where the loop is cut" : "leave it out");
    }
    task_.options.count = kModes;
    task_.about = readOperatingPoint(request.at, request.about, model_);
    settings_.goal = goal_ == 1 ? study::ModeGoal::kSettling : study::ModeGoal::kDamping;
    settings_.highestHz = request.upToHz.value_or(0.0);
  }

  void run() {
    const Index n = std::ssize(variables_);
    VectorXd x(n);
    study::Box box{VectorXd(n), VectorXd(n)};
    for (Index i = 0; i < n; ++i) {
      const Variable& v = variables_[i];
      x[i] = v.fromModel(v.start);
      box.low[i] = std::min(v.fromModel(v.low), v.fromModel(v.high));
      box.high[i] = std::max(v.fromModel(v.low), v.fromModel(v.high));
    }
    reports::TuningReport report;
    report.goal = request_.goal;
    const std::vector<study::GoalRoot> before = findRoots(x, true);
    setUnit(before);
    report.before = describeGoal(x);
    if (!isMargin()) x = climb(x, box);
    const auto value = [&](const VectorXd& at) { return calcValue(at); };
    const double step = isMargin() ? kFirstStep : kPolishStep;
    study::Minimum best = study::minimizeBySimplex(value, x, step, box, kMostValues, kTolerance);
    // Once more from there: a simplex may have become flat.
    best = study::minimizeBySimplex(value, best.x, kPolishStep, box, kMostValues, kTolerance);
    report.after = describeGoal(best.x);
    for (Index i = 0; i < n; ++i) {
      const Variable& v = variables_[i];
      report.parameters.push_back(
          {v.name, v.start, v.toModel(best.x[i]),
           best.x[i] <= box.low[i] + kTolerance || best.x[i] >= box.high[i] - kTolerance});
    }
    report.evaluations = evaluations_;
    for (const study::GoalRoot& root : findRoots(best.x, false)) report.roots.push_back(root.root);
    write(report);
  }

 private:
  bool isMargin() const { return goal_ == 2; }

  study::Settings settingsAt(const VectorXd& x) const {
    study::Settings settings;
    for (Index i = 0; i < x.size(); ++i) {
      settings.push_back({variables_[i].name, variables_[i].toModel(x[i])});
    }
    return settings;
  }

  // The model at x, with what a study of its own changes in it.
  study::ModelMaker makerAt(const VectorXd& x) const {
    return [this, settings = settingsAt(x)](const study::Settings& changes) {
      study::Settings all = settings;
      for (const study::Setting& change : changes) {
        const auto same = std::find_if(all.begin(), all.end(), [&](const study::Setting& other) {
          return other.name == change.name;
        });
        if (same != all.end()) {
          same->value = change.value;
        } else {
          all.push_back(change);
        }
      }
      return api::loadModel(api::withSettings(request_.model, all));
    };
  }

  // Of which those count that the goal is about. The model as it is must have roots; elsewhere there may be none.
  std::vector<study::GoalRoot> findRoots(const VectorXd& x, bool isStart) {
    ++evaluations_;
    const study::ModePoint point = study::findModesAt(makerAt(x), {}, task_);
    if (point.failure) {
      if (isStart) throw api::Failed(*point.failure);
      return {};
    }
    std::vector<std::complex<double>> roots;
    for (const analysis::Mode& mode : point.modes) roots.push_back(mode.eigenvalue);
    std::vector<study::GoalRoot> rated = study::rateRoots(roots, settings_);
    if (rated.empty() && isStart) {
      throw api::Failed(base::Failure{
          "the model has no motion that could be tuned",
          request_.upToHz ? "raise --up-to" : "all of its motions are free, or there is none"});
    }
    return rated;
  }

  // Decay is measured by that of the slowest root at the start.
  void setUnit(const std::vector<study::GoalRoot>& roots) {
    if (settings_.goal != study::ModeGoal::kSettling) return;
    double slowest = INFINITY, fastest = 0.0;
    for (const study::GoalRoot& root : roots) {
      const double decay = std::abs(root.root.real());
      fastest = std::max(fastest, std::abs(root.root));
      if (decay > 0.0) slowest = std::min(slowest, decay);
    }
    settings_.rate = std::max(slowest < INFINITY ? slowest : 0.0, 1e-6 * fastest);
  }

  double calcBound(const VectorXd& x) {
    const std::vector<study::GoalRoot> roots = findRoots(x, false);
    return roots.empty() ? INFINITY : study::calcBound(roots, settings_.sharpness);
  }

  // First a smooth bound with exact derivatives, then the worst root itself.
  VectorXd climb(VectorXd x, const study::Box& box) {
    for (const double sharpness : kSharpness) {
      settings_.sharpness = sharpness;
      const auto bound = [&](const VectorXd& at) { return calcBound(at); };
      const auto gradient = [&](const VectorXd& at) { return calcGradient(at); };
      x = study::minimizeByGradient(bound, gradient, x, kFirstStep, box, kMostSteps, kTolerance).x;
    }
    return x;
  }

  // Not finite where a root has no derivative: the search by gradients ends there.
  VectorXd calcGradient(const VectorXd& x) {
    const study::Settings settings = settingsAt(x);
    VectorXd gradient = VectorXd::Constant(x.size(), NAN);
    const study::SensitivityResult found = study::calcSensitivities(makerAt(x), settings, task_);
    evaluations_ += 1 + 4 * static_cast<int>(x.size());
    if (!found.ok()) return gradient;
    const auto exact = study::calcGradient(found, settings, settings_);
    if (!exact) return gradient;
    for (Index i = 0; i < x.size(); ++i) gradient[i] = (*exact)[i] * variables_[i].slope(x[i]);
    return gradient;
  }

  double calcValue(const VectorXd& x) {
    if (isMargin()) return calcMarginValue(x);
    const std::vector<study::GoalRoot> roots = findRoots(x, false);
    return roots.empty() ? INFINITY : study::findWorst(roots);
  }

  // The disk margin, with its sign turned; a loop that is not stable is led to where it is.
  double calcMarginValue(const VectorXd& x) {
    const std::optional<double> margin = findMargin(x);
    if (margin) return -*margin;
    const std::vector<study::GoalRoot> roots = findRoots(x, false);
    return roots.empty() ? INFINITY : 2.0 + study::findWorst(roots);
  }

  std::optional<double> findMargin(const VectorXd& x) {
    ++evaluations_;
    try {
      api::LinearMachine machine(api::withSettings(request_.model, settingsAt(x)),
                                 {{request_.cut}, {request_.cut}, request_.cut});
      if (machine.linearize(*task_.about)) return std::nullopt;
      const api::FrequencyRange range = api::findModeRange(machine);
      const api::Response response = api::calcResponse(machine, {range.low}, range);
      if (response.isCutIdle || !response.loop) {
        reject("--cut: '" + request_.cut + "' is not part of a loop",
               "cut at a signal of the loop, such as an actuator or the block that it reads");
      }
      if (!response.loop->isStable()) return std::nullopt;
      return response.loop->margins.disk.alpha;
    } catch (const api::Failed&) {
      return std::nullopt;
    }
  }

  // The goal in the user's terms.
  reports::TunedGoal describeGoal(const VectorXd& x) {
    reports::TunedGoal goal;
    if (isMargin()) {
      const std::optional<double> margin = findMargin(x);
      goal.isStable = margin.has_value();
      goal.value = margin.value_or(0.0);
      return goal;
    }
    const std::vector<study::GoalRoot> roots = findRoots(x, false);
    if (roots.empty()) return goal;
    const auto worst = std::max_element(roots.begin(), roots.end(), [](const auto& a, const auto& b) {
      return a.value < b.value;
    });
    goal.root = worst->root;
    goal.isStable = worst->root.real() < 0.0;
    const double decay = -worst->root.real();
    goal.value = settings_.goal == study::ModeGoal::kDamping ? decay / std::abs(worst->root)
                                                             : std::log(50.0) / decay;
    return goal;
  }

  void write(const reports::TuningReport& report) const {
    console_.print(reports::describeTuning(report));
    if (!request_.targets.jsonFile.empty()) {
      files::writeTextFile(request_.targets.jsonFile, reports::makeTuningJson(report));
    }
    if (!report.after.isStable) {
      console_.warn("no values in these ranges make the machine stable",
                    "give wider ranges, or tune other numbers");
    }
    for (const reports::TunedParameter& p : report.parameters) {
      if (!p.isAtBound) continue;
      console_.warn("'" + p.name + "' is at the end of its range",
                    "a wider range may give a better value");
    }
  }

  const DesignRequest& request_;
  const Console& console_;
  model::Model model_;
  int goal_ = 0;
  std::vector<Variable> variables_;
  study::ModeTask task_;
  study::GoalSettings settings_;
  int evaluations_ = 0;
};

void checkOptions(const DesignRequest& request) {
  const std::pair<const char*, bool> options[] = {{"--method", !request.method.empty()},
                                                  {"--from", !request.from.empty()},
                                                  {"--to", !request.to.empty()},
                                                  {"-o", !request.file.empty()},
                                                  {"--order", request.order.has_value()},
                                                  {"--sample", !request.sampling.empty()},
                                                  {"--svg", !request.targets.figureFile.empty()}};
  for (const auto& [option, isGiven] : options) {
    if (!isGiven) continue;
    reject(std::string(option) + " cannot be combined with --tune",
           "--tune changes numbers of the model itself; a controller is made by --method");
  }
}

}  // namespace

void tuneModel(const DesignRequest& request, const Console& console) {
  checkOptions(request);
  Tuner(request, console).run();
}

}  // namespace flexloop::commands
