#include "commands/view_questions.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "analysis/time/time_analysis.hpp"
#include "api/analyses.hpp"
#include "api/study_source.hpp"
#include "base/json.hpp"
#include "base/text_format.hpp"
#include "commands/mode_options.hpp"
#include "reports/response_text.hpp"
#include "results/run_summary.hpp"
#include "study/mode_sweep.hpp"

namespace flexloop::commands {
namespace {

using Json = nlohmann::json;

constexpr int kMostSweepPoints = 2000;
constexpr std::size_t kMostNumbers = std::size_t{32} << 20;  // of a run that is kept: 256 MB

// The value of a key; nothing if it is absent or null. Throws base::InputError for one of another kind.
const Json* findValue(const Json& question, const char* key) {
  const auto found = question.find(key);
  return found == question.end() || found->is_null() ? nullptr : &*found;
}

std::optional<double> readNumber(const Json& question, const char* key) {
  const Json* value = findValue(question, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) reject(std::string("'") + key + "' is not a number", "");
  return value->get<double>();
}

double needNumber(const Json& question, const char* key) {
  const std::optional<double> number = readNumber(question, key);
  if (!number) reject(std::string("'") + key + "' is missing", "");
  return *number;
}

std::optional<int> readCount(const Json& question, const char* key) {
  const std::optional<double> number = readNumber(question, key);
  if (!number) return std::nullopt;
  if (std::abs(*number) > 1e9) reject(std::string("'") + key + "' is too large", "");
  return static_cast<int>(std::lround(*number));
}

std::string readText(const Json& question, const char* key, const std::string& otherwise) {
  const Json* value = findValue(question, key);
  if (value == nullptr) return otherwise;
  if (!value->is_string()) reject(std::string("'") + key + "' is not a text", "");
  return value->get<std::string>();
}

// A text, or a list of texts.
std::vector<std::string> readTexts(const Json& question, const char* key) {
  const Json* value = findValue(question, key);
  if (value == nullptr) return {};
  std::vector<std::string> texts;
  for (const Json& entry : value->is_array() ? *value : Json::array({*value})) {
    if (!entry.is_string()) reject(std::string("'") + key + "' is not a text", "");
    if (!entry.get<std::string>().empty()) texts.push_back(entry.get<std::string>());
  }
  return texts;
}

// `LOW:HIGH`, or a list of both.
std::string readRange(const Json& question) {
  const Json* value = findValue(question, "range");
  if (value == nullptr || !value->is_array()) return readText(question, "range", "");
  if (value->size() != 2 || !value->at(0).is_number() || !value->at(1).is_number()) {
    reject("'range' is not a pair of numbers", "");
  }
  return base::numberText(value->at(0).get<double>()) + ":" +
         base::numberText(value->at(1).get<double>());
}

// What the command line would print, without the word `error`.
std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::string start = "error: ";
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

// By track, its roots along the axis, and which of them grow.
Json makeBranches(const study::ModeSweep& sweep) {
  Json branches = Json::array();
  for (int track = 0; track < sweep.tracks; ++track) {
    Json roots = Json::array(), grows = Json::array();
    for (const study::ModeSweepPoint& point : sweep.points) {
      const auto mode = std::find_if(point.modes.begin(), point.modes.end(),
                                     [&](const auto& m) { return m.track == track; });
      const bool isKnown = mode != point.modes.end();
      grows.push_back(isKnown && !mode->mode.isStable());
      if (!isKnown) {
        roots.push_back(nullptr);
      } else {
        const std::complex<double> s = mode->mode.eigenvalue;
        roots.push_back({s.real() + 0.0, s.imag() + 0.0});
      }
    }
    branches.push_back({{"roots", std::move(roots)}, {"grows", std::move(grows)}});
  }
  return branches;
}

ModesRequest readModesRequest(const Json& question, api::ModelSource source) {
  ModesRequest request;
  request.model = std::move(source);
  request.loop = readText(question, "loop", request.loop);
  request.bodies = readText(question, "bodies", request.bodies);
  request.count = readCount(question, "count");
  request.nearHz = readNumber(question, "near");
  request.at = readNumber(question, "at");
  return request;
}

}  // namespace

ViewQuestions::ViewQuestions(const ViewedFile& file, view::Session& session)
    : file_(file), session_(session) {
  if (file.model != nullptr) changeables_ = listChangeables(file.source, *file.model);
}

std::optional<view::Questions::Answer> ViewQuestions::answer(const std::string& what,
                                                             const std::string& text) {
  using Method = std::string (ViewQuestions::*)(const Json&);
  const std::vector<std::pair<std::string, Method>> methods{{"modes", &ViewQuestions::answerModes},
                                                            {"run", &ViewQuestions::answerRun},
                                                            {"sweep", &ViewQuestions::answerSweep},
                                                            {"frf", &ViewQuestions::answerFrf}};
  const auto method = std::find_if(methods.begin(), methods.end(),
                                   [&](const auto& pair) { return pair.first == what; });
  if (method == methods.end()) return std::nullopt;
  stopRequest_ = 0;
  std::ostringstream errors;
  Answer answer;
  const Console console{.text = &errors, .errors = &errors};
  const int exitCode = guard(console, [&] {
    if (file_.model == nullptr) reject(file_.whyNoModel, "");
    const Json question = Json::parse(text, nullptr, false);
    if (!question.is_object()) reject("the request is not a JSON object", "");
    answer.text = (this->*method->second)(question);
  });
  answer.ok = exitCode == 0;
  if (!answer.ok) answer.text = trimmed(errors.str());
  return answer;
}

// Only what the page has been allowed to change: a path is part of what the reader of models takes as text.
void ViewQuestions::checkPath(const std::string& path) const {
  const bool isKnown = std::any_of(changeables_.begin(), changeables_.end(),
                                   [&](const auto& entry) { return entry.path == path; });
  if (!isKnown) reject("there is no number '" + path + "' in the model", "");
}

api::ModelSource ViewQuestions::changedSource(const Json& question) const {
  api::ModelSource source = file_.source;
  const Json* values = findValue(question, "values");
  if (values == nullptr) return source;
  if (!values->is_object()) reject("'values' is not an object", "");
  for (const auto& [path, value] : values->items()) {
    checkPath(path);
    if (!value.is_number()) reject("the value of '" + path + "' is not a number", "");
    const bool isPath = path.find('.') != std::string::npos;
    (isPath ? source.overrides.values : source.overrides.parameters)
        .push_back(path + "=" + base::numberText(value.get<double>()));
  }
  return source;
}

std::string ViewQuestions::answerModes(const Json& question) {
  const ModesRequest request = readModesRequest(question, changedSource(question));
  const model::Model model = api::loadModel(request.model);
  const analysis::ModeOptions options = readModeOptions(request, model);
  const analysis::OperatingState point =
      api::findState(model, readOperatingPoint(request.at, request.about, model));
  const analysis::ModeResult result = api::findModes(model, point.state, options);
  const std::string id = session_.nextModesId();
  view::ModeSet set =
      view::makeModeSet(id, model, point.state, result,
                        {request.method, request.loop, request.bodies, point.state.time});
  std::string json = set.json;
  session_.addModes(id, std::move(set));
  return json;
}

std::string ViewQuestions::answerRun(const Json& question) {
  const auto model = std::make_shared<const model::Model>(api::loadModel(changedSource(question)));
  if (!model->time()) reject("the model has no 'analysis: time', so there is nothing to run", "");
  model::TimeSettings settings = *model->time();
  settings.end = readNumber(question, "end").value_or(settings.end);
  if (!(settings.end > 0.0)) reject("'end' must be positive", "");
  const auto result = std::make_shared<view::MemoryResult>(*model, &stopRequest_, kMostNumbers);
  const analysis::TimeReport report = analysis::runTime(*model, settings, *result);
  result->finish(report.ok(), results::describeEnd(report));
  if (result->isFull()) {
    throw api::Failed({"the run is too long to be kept in memory",
                       "make it shorter, or record less with 'record: {interval: …}'"});
  }
  if (report.stopped) throw api::Failed({"stopped"});
  if (report.failure && result->records() < 2) throw api::Failed(*report.failure);
  const std::string name = "run " + std::to_string(++runs_);
  return session_.describeResult(session_.addResult({name, result, model}, false));
}

std::string ViewQuestions::answerSweep(const Json& question) {
  const std::string path = readText(question, "path", "");
  checkPath(path);
  const double from = needNumber(question, "from"), to = needNumber(question, "to");
  const int count = readCount(question, "count").value_or(21);
  const Json* log = findValue(question, "log");
  const bool isLogarithmic = log != nullptr && log->is_boolean() && log->get<bool>();
  if (count < 2 || count > kMostSweepPoints) reject("'count' must be from 2 to 2000", "");
  if (from == to) reject("the range is empty", "");
  if (isLogarithmic && !(from * to > 0.0)) {
    reject("logarithmic spacing needs two ends of the same sign, neither of them zero", "");
  }
  const ModesRequest request = readModesRequest(question, changedSource(question));
  const model::Model model = api::loadModel(request.model);
  const study::SweepAxis axis = study::makeAxis(
      path, from, to, count, isLogarithmic ? study::Spacing::kLogarithmic : study::Spacing::kEven);
  const study::ModeTask task{readModeOptions(request, model),
                             readOperatingPoint(request.at, request.about, model)};
  const study::Pace pace{.proceed = [this](int, int) { return stopRequest_ == 0; },
                         .threads = api::readThreads({}, model)};
  const study::ModeSweep sweep =
      study::sweepModes({axis}, api::makeModelMaker(request.model), task, pace);
  if (!sweep.isComplete) throw api::Failed({"stopped"});
  const bool any = std::any_of(sweep.points.begin(), sweep.points.end(),
                               [](const auto& point) { return point.ok(); });
  if (!any)
    throw api::Failed({"all points failed; the first: " + sweep.points.front().failure->message});
  return Json{{"path", path}, {"points", axis.values}, {"branches", makeBranches(sweep)}}.dump();
}

std::string ViewQuestions::answerFrf(const Json& question) {
  FrfRequest request;
  request.model = changedSource(question);
  request.from = readTexts(question, "from");
  request.to = readTexts(question, "to");
  request.at = readNumber(question, "at");
  request.cut = readText(question, "cut", "");
  request.range = readRange(question);
  request.points = readCount(question, "points").value_or(request.points);
  std::ostringstream ignored;
  const Console console{.text = &ignored, .errors = &ignored, .quiet = true};
  return reports::makeResponseJson(calcResponse(request, console));
}

}  // namespace flexloop::commands
