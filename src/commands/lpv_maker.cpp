#include "commands/lpv_maker.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "base/text_format.hpp"
#include "base/units.hpp"
#include "commands/linear_points.hpp"
#include "math/expressions/expression.hpp"
#include "study/lpv/lpv_fit.hpp"

namespace flexloop::commands {
namespace {

using study::LocalModel;

constexpr int kFrequencies = 300;

// A number, or a percentage as a fraction.
double readShare(const std::string& text) {
  const bool isPercent = text.ends_with('%');
  const base::Result<base::Quantity> number =
      base::parseQuantity(isPercent ? text.substr(0, text.size() - 1) : text);
  const double share = number ? number.value().value * (isPercent ? 0.01 : 1.0) : 0.0;
  if (!(share > 0.0 && share < 1.0)) {
    reject("--accuracy '" + text + "' is not a share between 0 and 1", "as in '--accuracy 2%'");
  }
  return share;
}

// Makes the model, with more points where the accuracy asks for them.
class Maker {
 public:
  Maker(LpvRequest request, const Console& console)
      : request_(std::move(request)),
        console_(console),
        grid_(takeAxes(request_.model, "lpv", control::LpvModel::kMostParameters)),
        machines_(request_, grid_.axes(), console) {
    if (request_.from.empty()) reject("no input is given", "add '--from SIGNAL'");
    if (request_.to.empty()) reject("no output is given", "add '--to SIGNAL'");
    if (!request_.order) reject("no order is given", "add '--order N', the number of states");
    if (*request_.order < 1) reject("--order must be at least 1", "it is the number of states");
    if (request_.file.empty()) reject("no file is given", "add '-o FILE.lpv'");
    if (!request_.accuracy.empty()) accuracy_ = readShare(request_.accuracy);
    isCubic_ = readsCubic(request_.interpolation);
    isAffine_ =
        !request_.form.empty() && choose("--form", request_.form, {"aligned", "affine"}) == 1;
    readFunction();
  }

  MadeLpv make() {
    while (true) {
      std::vector<LocalModel> points, between;
      for (int i = 0; i < grid_.size(); ++i) points.push_back(evaluateAt(grid_.point(i)));
      for (int i = 0; i < grid_.countCells(); ++i) between.push_back(evaluateAt(grid_.centre(i)));
      study::LpvFit fit = fitPoints(points);
      if (isAffine_) makeAffine(fit);
      reports::LpvReport report = compare(fit, points, between);
      if (!accuracy_ || reports::largestOf(report.between) <= *accuracy_) {
        warn(fit, report);
        warnOfInstability(report);
        return {std::move(report), responses_};
      }
      if (reports::largestOf(report.points) > *accuracy_) {
        throw api::Failed(base::Failure{
            base::formatText("--accuracy %s cannot be reached with %d states: at the points "
                             "themselves the error is %.2g %%",
                             request_.accuracy.c_str(), *request_.order,
                             100.0 * reports::largestOf(report.points)),
            "give a higher --order, or a smaller --range"});
      }
      refine(report, fit);
    }
  }

 private:
  // Each value once.
  const LocalModel& evaluateAt(const std::vector<double>& values) {
    const auto found = known_.find(values);
    if (found != known_.end()) return found->second;
    std::optional<LocalModel> made;
    machines_.at(values, {request_.from, request_.to, {}}, [&](const LinearCommand& command) {
      const api::LinearMachine& machine = command.machine();
      base::Result<LocalModel> local =
          study::makeLocalModel(machine.model(), machine.state(), machine.linear(), machine.ports(),
                                values, *request_.order);
      if (!local) throw api::Failed(base::withContext(context(values), local.failure()));
      made = local.value();
    });
    return known_.emplace(values, std::move(*made)).first->second;
  }

  std::string context(const std::vector<double>& values) const { return machines_.context(values); }

  // f of the affine form: the parameter itself, or an expression of it.
  void readFunction() {
    const std::string& name = grid_.axes()[0].name;
    if (!isAffine_) {
      if (!request_.function.empty()) {
        reject("--function is for '--form affine'", "leave it out, or add '--form affine'");
      }
      return;
    }
    if (grid_.axes().size() > 1 || request_.from.size() != 1) {
      reject("--form affine is for one parameter and one input",
             "leave it out for more: states are aligned then");
    }
    if (accuracy_ || !request_.interpolation.empty()) {
      reject(std::string(accuracy_ ? "--accuracy" : "--interpolation") +
                 " cannot be combined with '--form affine'",
             "one law holds for the whole range; leave it out");
    }
    const std::string text = request_.function.empty() ? name : request_.function;
    const auto parsed = math::Expression::parse(text, math::NameIndex({name}));
    if (!parsed) {
      reject("--function '" + text + "': " + parsed.failure().message,
             "an expression of the parameter, as in '1/" + name + "'");
    }
    function_ = [formula = parsed.value()](double value) {
      return formula.evaluate(std::span<const double>(&value, 1));
    };
    double low = INFINITY, high = -INFINITY;
    for (const double value : grid_.axes()[0].values) {
      low = std::min(low, function_(value));
      high = std::max(high, function_(value));
    }
    if (!(high > low) || !std::isfinite(high - low)) {
      reject("--function '" + text + "' is constant or infinite in the range",
             "it must change with " + name);
    }
  }

  void makeAffine(study::LpvFit& fit) {
    std::vector<double> f;
    std::vector<std::string> names;
    std::vector<linalg::StateMatrices> systems;
    for (const double value : grid_.axes()[0].values) {
      f.push_back(function_(value));
      names.push_back(grid_.describe({value}));
      systems.push_back(control::evaluate(fit.model, value));
    }
    responses_.clear();
    for (std::size_t i = 0; i < fit.model.outputs.size(); ++i) {
      std::vector<study::PoleZeroGain> points;
      for (const linalg::StateMatrices& s : systems) {
        points.push_back(study::findPolesAndZeros(s, static_cast<Eigen::Index>(i)));
      }
      const auto response = study::fitAffine(points, f, names, fit.model.outputs[i]);
      if (!response) throw api::Failed(response.failure());
      responses_.push_back(response.value());
    }
    fit.model = study::makeAffineModel(fit.model, responses_, function_);
  }

  study::LpvFit fitPoints(const std::vector<LocalModel>& points) {
    const base::Result<study::LpvFit> fit =
        study::fitLpv(points, grid_, {*request_.order, isCubic_});
    if (!fit) throw api::Failed(fit.failure());
    return fit.value();
  }

  // From a decade below the slowest to the fastest root that is kept, or as asked for.
  std::vector<double> findFrequencies(const study::LpvFit& fit) const {
    double low = 0.1 * fit.slowest / (2.0 * std::numbers::pi);
    double high = fit.fastest / (2.0 * std::numbers::pi);
    if (!request_.range.empty()) {
      const std::size_t colon = request_.range.find(':');
      const auto lowText = base::parseQuantity(request_.range.substr(0, colon));
      const auto highText = colon == std::string::npos
                                ? lowText
                                : base::parseQuantity(request_.range.substr(colon + 1));
      if (!lowText || !highText || !(highText.value().value > lowText.value().value) ||
          !(lowText.value().value > 0.0)) {
        reject("--range '" + request_.range + "' is not LOW:HIGH", "in Hz, as in '--range 1:1000'");
      }
      low = lowText.value().value;
      high = highText.value().value;
    }
    return analysis::makeFrequencies(low, high, kFrequencies, !request_.range.empty());
  }

  reports::LpvReport compare(study::LpvFit& fit, const std::vector<LocalModel>& points,
                             const std::vector<LocalModel>& between) {
    const std::vector<double> frequencies = findFrequencies(fit);
    reports::LpvReport report{fit.model, frequencies.front(), frequencies.back(), {}, {}};
    const auto add = [&](const LocalModel& local, std::vector<study::LpvError>& to) {
      const base::Result<study::LpvError> error =
          study::calcLpvError(local, fit.model, frequencies);
      if (!error) throw api::Failed(base::withContext(context(local.at), error.failure()));
      to.push_back(error.value());
    };
    for (const LocalModel& local : points) add(local, report.points);
    for (const LocalModel& local : between) add(local, report.between);
    report.model.error = reports::largestOf(report.between);
    return report;
  }

  // Cells whose error is too large are halved, each across the parameter along which the model is worst there.
  void refine(const reports::LpvReport& report, const study::LpvFit& fit) {
    std::vector<study::SweepAxis> axes = grid_.axes();
    for (int cell = 0; cell < grid_.countCells(); ++cell) {
      if (!(report.between[cell].mean.maxCoeff() > *accuracy_)) continue;
      const std::size_t d = axes.size() == 1 ? 0 : findWorstAxis(cell, fit);
      axes[d].values.push_back(grid_.centre(cell)[d]);
    }
    int count = 1;
    for (study::SweepAxis& axis : axes) {
      std::sort(axis.values.begin(), axis.values.end());
      axis.values.erase(std::unique(axis.values.begin(), axis.values.end()), axis.values.end());
      count *= static_cast<int>(axis.values.size());
    }
    grid_ = study::LpvGrid(std::move(axes));
    if (count > kMostPoints) {
      throw api::Failed(base::Failure{
          "--accuracy " + request_.accuracy + " cannot be reached with " +
              std::to_string(kMostPoints) + " points",
          "give a higher --order, a smaller range of the parameter, or a smaller --range"});
    }
  }

  // By the errors in the middle of the edges of the cell at its first corner.
  std::size_t findWorstAxis(int cell, const study::LpvFit& fit) {
    const std::size_t count = grid_.axes().size();
    std::size_t worst = 0;
    double largest = -1.0;
    for (std::size_t d = 0; d < count; ++d) {
      std::vector<double> shares(count, 0.0);
      shares[d] = 0.5;
      const base::Result<study::LpvError> error = study::calcLpvError(
          evaluateAt(grid_.inside(cell, shares)), fit.model, findFrequencies(fit));
      if (!error) throw api::Failed(error.failure());
      if (error.value().mean.maxCoeff() <= largest) continue;
      largest = error.value().mean.maxCoeff();
      worst = d;
    }
    return worst;
  }

  void warn(const study::LpvFit& fit, const reports::LpvReport& report) const {
    console_.warn(fit.notes);
    for (const auto* errors : {&report.points, &report.between}) {
      for (const study::LpvError& error : *errors) {
        if (error.isStable == error.machineIsStable) continue;
        console_.warn(context(error.at) + "the interpolated model is " +
                          (error.isStable ? "stable, but the machine is not"
                                          : "unstable, but the machine is not"),
                      "use more points, or '--accuracy 2%'");
        return;
      }
    }
    for (const study::LpvError& error : report.points) {
      if (error.machineIsStable) continue;
      console_.warn(context(error.at) + "the machine is unstable",
                    "its growing motions are part of the model");
      return;
    }
  }

  // The model on a finer grid than that of the machine, in cells at whose corners and centre all is stable.
  void warnOfInstability(const reports::LpvReport& report) const {
    const auto& axes = grid_.axes();
    const int parts = axes.size() == 1 ? 16 : 6;
    int inside = 1;
    for (std::size_t d = 0; d < axes.size(); ++d) inside *= parts + 1;
    for (int cell = 0; cell < grid_.countCells(); ++cell) {
      const std::vector<int> corners = grid_.corners(cell);
      const bool isStable =
          report.between[cell].isStable &&
          std::all_of(corners.begin(), corners.end(), [&](int corner) {
            return report.points[corner].machineIsStable && report.points[corner].isStable;
          });
      for (int i = 0; isStable && i < inside; ++i) {
        std::vector<double> shares;
        for (int rest = i; shares.size() < axes.size(); rest /= parts + 1) {
          shares.push_back(static_cast<double>(rest % (parts + 1)) / parts);
        }
        const std::vector<double> at = grid_.inside(cell, shares);
        if (study::isStable(control::evaluate(report.model, at))) continue;
        console_.warn(context(at) +
                          "the interpolated model is unstable, but the machine is "
                          "stable at the points beside it",
                      "use more points there, or '--interpolation linear'");
        return;
      }
    }
  }

  LpvRequest request_;
  std::map<std::vector<double>, LocalModel> known_;
  const Console& console_;
  study::LpvGrid grid_;
  std::optional<double> accuracy_;
  bool isCubic_ = true, isAffine_ = false;
  std::function<double(double)> function_;
  std::vector<study::AffineResponse> responses_;
  LinearPoints machines_;
};

}  // namespace

bool readsCubic(const std::string& interpolation) {
  return interpolation.empty() ||
         choose("--interpolation", interpolation, {"spline", "linear"}) == 0;
}

MadeLpv makeLpvModel(LpvRequest request, const Console& console) {
  return Maker(std::move(request), console).make();
}

}  // namespace flexloop::commands
