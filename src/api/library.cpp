#include <algorithm>
#include <exception>
#include <flexloop/flexloop.hpp>
#include <new>
#include <utility>

#include "analysis/modes/node_shape.hpp"
#include "analysis/time/time_analysis.hpp"
#include "api/analyses.hpp"
#include "api/registry.hpp"
#include "api/study_source.hpp"
#include "base/diagnostics.hpp"
#include "language/source_reader.hpp"
#include "linalg/solvers/lazy_library.hpp"

namespace flexloop {

struct Model::Content {
  api::ModelSource source;
  model::Model model;
};

namespace {

static_assert(static_cast<int>(ErrorKind::kInput) == static_cast<int>(base::FailureKind::kInput) &&
              static_cast<int>(ErrorKind::kNumerics) ==
                  static_cast<int>(base::FailureKind::kNumerics) &&
              static_cast<int>(ErrorKind::kOther) == static_cast<int>(base::FailureKind::kOther));

// With the mistake in the model that is to blame, if there is one.
[[noreturn]] void rethrow(const api::Failed& failed, const model::Model* model) {
  const base::Failure& failure = failed.failure();
  const std::string cause =
      model != nullptr ? api::Failed(failure, *model).cause() : failed.cause();
  if (!cause.empty()) throw Error(ErrorKind::kInput, cause);
  throw Error(static_cast<ErrorKind>(failure.kind), failure.message, failure.hint);
}

// Every exception of the program becomes one of the library.
template <class Action>
auto translate(const Action& action, const model::Model* model = nullptr) {
  try {
    return action();
  } catch (const Error&) {
    throw;
  } catch (const base::InputError& error) {
    throw Error(ErrorKind::kInput, error.what());
  } catch (const api::Failed& failed) {
    rethrow(failed, model);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::kOther, "not enough memory for this model");
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kOther, error.what());
  }
}

std::vector<std::string> textsOf(const std::vector<base::Diagnostic>& diagnostics) {
  std::vector<std::string> texts;
  for (const base::Diagnostic& one : diagnostics) {
    const std::string place = base::toText(one.place);
    texts.push_back(place.empty() ? one.message : place + ": " + one.message);
  }
  return texts;
}

std::size_t findName(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw Error(ErrorKind::kInput, "there is no output named '" + name + "'");
  }
  return static_cast<std::size_t>(found - names.begin());
}

model::OperatingPoint toPoint(const model::Model& model, About about,
                              const std::optional<double>& at) {
  using Kind = model::OperatingPoint::Kind;
  if (at) return {Kind::kTime, *at};
  if (about == About::kModel) return model.modes().about;
  return {about == About::kInitial       ? Kind::kInitial
          : about == About::kEquilibrium ? Kind::kEquilibrium
                                         : Kind::kSteady,
          0.0};
}

Matrix toMatrix(const Eigen::MatrixXd& from) {
  Matrix matrix{static_cast<std::size_t>(from.rows()), static_cast<std::size_t>(from.cols()), {}};
  matrix.values.reserve(matrix.rows * matrix.columns);
  for (Eigen::Index i = 0; i < from.rows(); ++i) {
    for (Eigen::Index j = 0; j < from.cols(); ++j) matrix.values.push_back(from(i, j));
  }
  return matrix;
}

std::vector<std::string> warningsOf(const api::LinearMachine& machine) {
  std::vector<std::string> warnings = machine.warnings();
  if (std::string axes = machine.describeAxes(); !axes.empty()) warnings.push_back(std::move(axes));
  return warnings;
}

class RunRecord final : public analysis::Observer {
 public:
  RunRecord(const RunOptions& options, Run& run) : options_(options), run_(run) {
    run_.values.resize(run_.names.size());
  }

  void onStart(const solve::StartReport&) override {}

  void onRecord(const system::State& state, const std::vector<double>& outputs) override {
    run_.times.push_back(state.time);
    for (std::size_t i = 0; i < outputs.size(); ++i) run_.values[i].push_back(outputs[i]);
  }

  bool onStep(double time) override { return !options_.onStep || options_.onStep(time); }

 private:
  const RunOptions& options_;
  Run& run_;
};

std::vector<NodeMotion> toMotions(const model::Model& model, const system::State& state,
                                  const Eigen::VectorXcd& shape) {
  std::vector<NodeMotion> motions(model.system().nodes().size());
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const analysis::NodeShape node = analysis::calcNodeShape(model.system(), state, shape, i);
    for (int k = 0; k < 3; ++k) {
      motions[i].displacement[k] = node.displacement[k];
      motions[i].rotation[k] = node.rotation[k];
    }
  }
  return motions;
}

Modes toModes(const model::Model& model, const system::State& state,
              const analysis::ModeResult& result) {
  Modes modes;
  for (const analysis::Mode& mode : result.modes) {
    modes.modes.push_back({mode.eigenvalue, mode.frequencyHz(), mode.dampingRatio(),
                           mode.uncertainty, toMotions(model, state, mode.shape)});
  }
  modes.growing = result.verdict.growing;
  modes.verdict = modes.growing > 0           ? Modes::Verdict::kUnstable
                  : result.verdict.isStable() ? Modes::Verdict::kStable
                                              : Modes::Verdict::kUnknown;
  modes.warnings = result.notes;
  return modes;
}

// The model with its ports, linearised.
api::LinearMachine linearizeModel(const api::ModelSource& source,
                                  const std::vector<std::string>& from,
                                  const std::vector<std::string>& to,
                                  const LinearOptions& options) {
  api::LinearMachine machine(source, {from, to, {}});
  api::throwIfAny(machine.linearize(toPoint(machine.model(), options.about, options.at)));
  return machine;
}

}  // namespace

const std::vector<double>& Run::operator[](const std::string& name) const {
  return values[findName(names, name)];
}

double Equilibrium::operator[](const std::string& name) const {
  return values[findName(names, name)];
}

Model::Model(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

Model Model::load(const std::string& file) {
  linalg::useOneBlasThread();
  return translate([&] {
    const auto registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored);
    api::ModelSource source = api::withFiles({file, {}, nullptr}, registry);
    model::Model model = api::loadModel(source);
    return Model(std::make_shared<Content>(Content{std::move(source), std::move(model)}));
  });
}

Model Model::parse(const std::string& text, const std::string& name) {
  linalg::useOneBlasThread();
  return translate([&] {
    const auto registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored);
    api::ModelSource source{name,
                            {},
                            std::make_shared<const model::SourceFiles>(
                                language::readSourceFiles(text, name, registry))};
    model::Model model = api::loadModel(source);
    return Model(std::make_shared<Content>(Content{std::move(source), std::move(model)}));
  });
}

void Model::set(const std::string& name, double value) {
  set(std::vector<std::pair<std::string, double>>{{name, value}});
}

void Model::set(const std::vector<std::pair<std::string, double>>& values) {
  translate([&] {
    study::Settings settings;
    for (const auto& [name, value] : values) settings.push_back({name, value});
    api::ModelSource source = api::withSettings(content_->source, settings);
    model::Model model = api::loadModel(source);
    content_ = std::make_shared<Content>(Content{std::move(source), std::move(model)});
  });
}

double Model::get(const std::string& name) const {
  return translate([&] { return api::findSetting(content_->model, name, "get").value; });
}

std::vector<std::string> Model::parameters() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : content_->model.description().parameters) names.push_back(name);
  return names;
}

std::vector<std::string> Model::outputs() const {
  return content_->model.outputs().names();
}

std::vector<std::string> Model::nodes() const {
  std::vector<std::string> names;
  for (const system::Node& node : content_->model.system().nodes()) names.push_back(node.name);
  return names;
}

std::vector<std::string> Model::warnings() const {
  return textsOf(content_->model.warnings().warnings());
}

Run Model::run(const RunOptions& options) const {
  if (options.end || options.step) {
    Model changed = *this;
    std::vector<std::pair<std::string, double>> values;
    if (options.end) values.emplace_back("analysis.time.end", *options.end);
    if (options.step) values.emplace_back("analysis.time.step", *options.step);
    changed.set(values);
    return changed.run({{}, {}, options.onStep});
  }
  const model::Model& model = content_->model;
  const auto action = [&] {
    if (!model.time()) {
      throw Error(ErrorKind::kInput,
                  "the model has no 'analysis: time', so there is nothing to run",
                  "give an end time and a step");
    }
    Run run;
    run.names = model.outputs().names();
    run.units = model.outputs().units();
    RunRecord record(options, run);
    const analysis::TimeReport report = analysis::runTime(model, *model.time(), record);
    if (!report.stopped) api::throwIfAny(report.failure);
    run.isStopped = report.stopped;
    run.steps = report.steps;
    run.iterations = report.iterations;
    run.factorizations = report.factorizations;
    run.warnings = report.notes;
    if (std::string verdict = report.health.verdict(); !verdict.empty()) {
      run.warnings.push_back(std::move(verdict));
    }
    return run;
  };
  return translate(action, &model);
}

Modes Model::modes(const ModesOptions& options) const {
  const model::Model& model = content_->model;
  const auto action = [&] {
    const analysis::OperatingState point =
        api::findState(model, toPoint(model, options.about, options.at));
    analysis::ModeOptions wanted;
    wanted.count = options.count.value_or(model.modes().count);
    wanted.nearHz = options.nearHz;
    wanted.view.loop = static_cast<analysis::LoopView>(options.loop);
    Modes modes = toModes(model, point.state, api::findModes(model, point.state, wanted));
    modes.warnings.insert(modes.warnings.begin(), point.notes.begin(), point.notes.end());
    return modes;
  };
  return translate(action, &model);
}

Response Model::frf(const std::vector<std::string>& from, const std::vector<std::string>& to,
                    const std::vector<double>& frequenciesHz, const LinearOptions& options) const {
  const auto action = [&] {
    const api::LinearMachine machine = linearizeModel(content_->source, from, to, options);
    const analysis::FrequencyResponse found =
        api::calcResponse(machine, frequenciesHz, {}).response;
    Response response{from, to, frequenciesHz, {}, warningsOf(machine)};
    for (const Eigen::MatrixXcd& H : found.H) {
      for (Eigen::Index i = 0; i < H.rows(); ++i) {
        for (Eigen::Index j = 0; j < H.cols(); ++j) response.values.push_back(H(i, j));
      }
    }
    return response;
  };
  return translate(action, &content_->model);
}

StateSpace Model::linearize(const std::vector<std::string>& from,
                            const std::vector<std::string>& to,
                            const LinearOptions& options) const {
  const auto action = [&] {
    const api::LinearMachine machine = linearizeModel(content_->source, from, to, options);
    const analysis::StateSpace s = api::makeStateSpace(machine, false).system;
    return StateSpace{toMatrix(s.A), toMatrix(s.B), toMatrix(s.C), toMatrix(s.D),
                      s.states,      s.inputs,      s.outputs,     warningsOf(machine)};
  };
  return translate(action, &content_->model);
}

Equilibrium Model::equilibrium() const {
  const model::Model& model = content_->model;
  const auto action = [&] {
    const analysis::EquilibriumResult found = api::findEquilibrium(model, api::Balance::kAtRest);
    return Equilibrium{model.outputs().names(), model.outputs().units(), found.outputs,
                       found.notes};
  };
  return translate(action, &model);
}

}  // namespace flexloop
