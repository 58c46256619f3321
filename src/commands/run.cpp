#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>

#include "analysis/time/time_analysis.hpp"
#include "api/failed.hpp"
#include "api/load.hpp"
#include "api/registry.hpp"
#include "base/file_text.hpp"
#include "base/log.hpp"
#include "commands/command.hpp"
#include "commands/requests.hpp"
#include "files/folder_lock.hpp"
#include "mechanics/parts/part_layout.hpp"
#include "results/checkpoint.hpp"
#include "results/run_recorder.hpp"
#include "results/run_summary.hpp"
#include "view/scene/mesh_sources.hpp"

namespace flexloop::commands {
namespace {

namespace fs = std::filesystem;

const model::TimeSettings& timeSettings(const model::Model& model) {
  if (model.time()) return *model.time();
  throw base::InputError({std::make_shared<const std::string>(model.description().file), 0, 0},
                         "the model has no 'analysis: time', so there is nothing to run",
                         "add 'analysis: {time: {end: 2, step: 1 ms}}' or use --end and --step");
}

std::vector<system::UnknownIndex> listPartModes(const model::Model& model) {
  std::vector<system::UnknownIndex> modes;
  for (const mechanics::PartLayout& part : mechanics::findParts(model.system())) {
    modes.insert(modes.end(), part.place.modes.begin(), part.place.modes.end());
  }
  return modes;
}

results::ResultHead makeHead(const model::Model& model, const RunRequest& request,
                             const std::string& version, model::SourceFiles sources) {
  results::ResultHead head;
  head.version = version;
  head.modelFile = model.description().file;
  view::addMeshes(model.description(), sources);
  view::addParts(model, sources);
  head.modelText = std::move(sources.files.front().text);
  head.files.assign(std::make_move_iterator(sources.files.begin() + 1),
                    std::make_move_iterator(sources.files.end()));
  head.title = model.description().title;
  for (const std::string& text : request.model.overrides.parameters)
    head.settings += "-p " + text + "\n";
  for (const std::string& text : request.model.overrides.values)
    head.settings += "--set " + text + "\n";
  head.outputs = model.outputs().names();
  head.units = model.outputs().units();
  if (timeSettings(model).record.frames) {
    for (const system::Node& node : model.system().nodes()) head.nodes.push_back(node.name);
    head.nodes.erase(head.nodes.begin());
    for (const system::UnknownIndex mode : listPartModes(model)) {
      head.partModes.push_back(model.system().unknownName(mode));
    }
  }
  return head;
}

// Nothing is written before the model and the checkpoint have been read.
class RunCommand {
 public:
  RunCommand(const RunRequest& request, const Console& console)
      : request_(request),
        console_(console),
        source_(
            api::withFiles(request.model, api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored))),
        model_(api::loadModel(source_)),
        settings_(timeSettings(model_)),
        from_(readStart()),
        directory_(request.targets.directory.empty() ? defaultDirectory(request.model.file)
                                                     : request.targets.directory),
        lock_(directory_),
        log_({base::LogLevel::kSilent, (fs::path(directory_) / "run.log").string()}) {}

  void execute() {
    if (!console_.quiet) model_.warnings().print(*console_.errors);
    results::RunRecorder recorder(recorderOptions());
    const analysis::TimeReport report = simulate(recorder);
    console_.warn(report.notes);
    console_.warn(recorder.notes());
    if (const std::string verdict = report.health.verdict(); report.ok() && !verdict.empty()) {
      log_.warn(verdict);
      console_.warn(std::vector<std::string>{verdict});
    }
    finish(report, recorder);
  }

 private:
  std::optional<analysis::RunPoint> readStart() const {
    if (request_.from.empty()) return std::nullopt;
    std::string changed;
    analysis::RunPoint point =
        results::readCheckpoint(request_.from, model_, *source_.files, &changed);
    if (!changed.empty() && !console_.quiet) {
      *console_.errors << "note: the model has changed since the checkpoint was written ("
                       << changed << "); the run continues with the current model\n";
    }
    return point;
  }

  analysis::TimeReport simulate(results::RunRecorder& recorder) {
    try {
      analysis::TimeReport report = analysis::runTime(
          model_, settings_, recorder, {from_ ? &*from_ : nullptr, request_.checkpoints});
      recorder.finish(report.ok(), results::describeEnd(report));
      return report;
    } catch (...) {
      recorder.rescue();
      if (!recorder.resultFile().empty()) {
        *console_.errors << "warning: the results up to the error are in " << recorder.resultFile()
                         << '\n';
      }
      throw;
    }
  }

  results::RecorderOptions recorderOptions() {
    results::RecorderOptions recorder;
    recorder.resultFile = resultFile();
    recorder.failedStepFile = (fs::path(directory_) / "failed_step.h5").string();
    recorder.csvFile = request_.targets.csvFile;
    recorder.head = makeHead(model_, request_, console_.version, *source_.files);
    if (!recorder.head.partModes.empty()) recorder.partModes = listPartModes(model_);
    if (from_) recorder.start = results::ResultWriter::Start::kContinued;
    recorder.log = &log_;
    recorder.progress = {.end = settings_.end,
                         .stream = console_.quiet ? nullptr : console_.errors,
                         .isTerminal = console_.isTerminal,
                         .log = &log_};
    recorder.stopRequest = console_.stopRequest;
    recorder.keepCheckpoint = [this](const analysis::RunPoint& point) {
      results::writeCheckpoint((fs::path(directory_) / "checkpoint.h5").string(), model_, point,
                               *source_.files);
    };
    return recorder;
  }

  std::string resultFile() const { return (fs::path(directory_) / "result.h5").string(); }

  // Prints, and throws where the run has failed.
  void finish(const analysis::TimeReport& report, const results::RunRecorder& recorder) {
    const results::RunSummary summary{.title = model_.description().title,
                                      .report = report,
                                      .outputs = model_.outputs().names(),
                                      .lastValues = recorder.lastOutputs(),
                                      .records = recorder.records(),
                                      .wallTime = recorder.elapsed(),
                                      .resultFile = recorder.resultFile(),
                                      .failedStepFile = recorder.failedStepFile()};
    const std::vector<std::string> lines = results::describeRun(summary);
    for (const std::string& line : lines) log_.info(line);
    console_.print(lines);
    if (!request_.targets.jsonFile.empty())
      results::writeRunJson(request_.targets.jsonFile, summary);
    if (report.ok()) return;
    const api::Failed failed(results::describeFailure(summary), model_);
    std::string text = failed.text();
    while (text.ends_with('\n')) text.pop_back();
    log_.error(text);
    throw failed;
  }

  const RunRequest& request_;
  const Console& console_;
  const api::ModelSource source_;
  model::Model model_;
  model::TimeSettings settings_;
  std::optional<analysis::RunPoint> from_;
  std::string directory_;
  files::FolderLock lock_;
  base::Log log_;
};

}  // namespace

std::string defaultDirectory(const std::string& modelFile) {
  const fs::path path = fs::absolute(modelFile).lexically_normal();
  const fs::path stem = path.stem();
  const bool byFolder = stem == "model" && path.has_parent_path();
  return (fs::path("out") / (byFolder ? path.parent_path().filename() : stem)).string();
}

void run(const RunRequest& request, const Console& console) {
  RunCommand(request, console).execute();
}

void declareRun(Call& call) {
  struct Options {
    std::string end, step, start, rho;  // values of `analysis: time`
    RunRequest request;
  };
  const auto options = std::make_shared<Options>();
  call.stopsGently = true;
  call.addModelOptions();
  call.add({{"--end", "TIME", "end time [s]", &options->end},
            {"--step", "TIME", "time step [s]", &options->step},
            {"--about", "STATE",
             "initial state: initial, equilibrium or steady (default: as in the model)",
             &options->start},
            {"--rho", "NUMBER", "spectral radius at infinite frequency, 0 to 1", &options->rho},
            {"--checkpoint",
             "TIME",
             "write checkpoint.h5 at this time, to continue from; may be repeated",
             &options->request.checkpoints,
             {.isOneByOne = true}},
            {"--from", "FILE", "continue from a checkpoint", &options->request.from}});
  call.action = [&call, options](const Console& console) {
    const std::pair<const char*, std::string> values[] = {{"end", options->end},
                                                          {"step", options->step},
                                                          {"rho", options->rho},
                                                          {"start", options->start}};
    for (const auto& [key, value] : values) {
      if (value.empty()) continue;
      call.model.overrides.values.push_back(std::string("analysis.time.") + key + "=" + value);
    }
    options->request.model = call.model;
    options->request.targets = call.targets;
    run(options->request, console);
  };
}

}  // namespace flexloop::commands
