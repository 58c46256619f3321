#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>

#include "analysis/check/massless_findings.hpp"
#include "analysis/time/time_analysis.hpp"
#include "api/load.hpp"
#include "api/registry.hpp"
#include "base/file_text.hpp"
#include "base/log.hpp"
#include "commands/commands.hpp"
#include "commands/guard.hpp"
#include "control/boxes/host/box_process.hpp"
#include "files/folder_lock.hpp"
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

results::ResultHead makeHead(const model::Model& model, const RunOptions& options,
                             model::SourceFiles sources) {
  results::ResultHead head;
  head.version = options.version;
  head.modelFile = model.description().file;
  view::addMeshes(model.description(), sources);
  head.modelText = std::move(sources.files.front().text);
  head.files.assign(std::make_move_iterator(sources.files.begin() + 1),
                    std::make_move_iterator(sources.files.end()));
  head.title = model.description().title;
  for (const std::string& text : options.model.overrides.parameters)
    head.settings += "-p " + text + "\n";
  for (const std::string& text : options.model.overrides.values)
    head.settings += "--set " + text + "\n";
  head.outputs = model.outputs().names();
  head.units = model.outputs().units();
  if (timeSettings(model).record.frames) {
    for (const system::Node& node : model.system().nodes()) head.nodes.push_back(node.name);
    head.nodes.erase(head.nodes.begin());
  }
  return head;
}

// Nothing is written before the model and the checkpoint have been read.
class RunCommand {
 public:
  RunCommand(const RunOptions& options, const Console& console)
      : options_(options),
        console_(console),
        source_(
            api::withFiles(options.model, api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored))),
        model_(api::loadModel(source_)),
        settings_(timeSettings(model_)),
        from_(readStart()),
        directory_(options.targets.directory.empty() ? defaultDirectory(options.model.file)
                                                     : options.targets.directory),
        lock_(directory_),
        log_({base::LogLevel::kSilent, (fs::path(directory_) / "run.log").string()}) {}

  Outcome execute() {
    if (!console_.quiet) model_.warnings().print(*console_.errors);
    results::RunRecorder recorder(recorderOptions());
    const analysis::TimeReport report = simulate(recorder);
    for (const auto* notes : {&report.notes, &recorder.notes()}) {
      for (const std::string& note : *notes) {
        if (!console_.quiet) *console_.errors << "warning: " << note << '\n';
      }
    }
    if (const std::string verdict = report.health.verdict(); report.ok() && !verdict.empty()) {
      log_.warn(verdict);
      if (!console_.quiet) *console_.errors << "warning: " << verdict << '\n';
    }
    tell(report, recorder);
    return report.ok() ? Outcome::kDone : static_cast<Outcome>(report.failure->kind);
  }

 private:
  std::optional<analysis::RunPoint> readStart() const {
    if (options_.from.empty()) return std::nullopt;
    std::string changed;
    analysis::RunPoint point =
        results::readCheckpoint(options_.from, model_, *source_.files, &changed);
    if (!changed.empty() && !console_.quiet) {
      *console_.errors << "note: the model has changed since the checkpoint was written ("
                       << changed << "); the run continues with the current model\n";
    }
    return point;
  }

  analysis::TimeReport simulate(results::RunRecorder& recorder) {
    try {
      analysis::TimeReport report = analysis::runTime(
          model_, settings_, recorder, {from_ ? &*from_ : nullptr, options_.checkpoints});
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
    recorder.csvFile = options_.targets.csvFile;
    recorder.head = makeHead(model_, options_, *source_.files);
    if (from_) recorder.start = results::ResultWriter::Start::kContinued;
    recorder.log = &log_;
    recorder.progress = {.end = settings_.end,
                         .stream = console_.quiet ? nullptr : console_.errors,
                         .isTerminal = console_.isTerminal,
                         .log = &log_};
    recorder.stopRequest = options_.stopRequest;
    recorder.keepCheckpoint = [this](const analysis::RunPoint& point) {
      results::writeCheckpoint((fs::path(directory_) / "checkpoint.h5").string(), model_, point,
                               *source_.files);
    };
    return recorder;
  }

  std::string resultFile() const { return (fs::path(directory_) / "result.h5").string(); }

  void tell(const analysis::TimeReport& report, const results::RunRecorder& recorder) {
    const results::RunSummary summary{.title = model_.description().title,
                                      .report = report,
                                      .outputs = model_.outputs().names(),
                                      .lastValues = recorder.lastOutputs(),
                                      .records = recorder.records(),
                                      .wallTime = recorder.elapsed(),
                                      .resultFile = recorder.resultFile()};
    for (const std::string& line : results::describeRun(summary)) {
      log_.info(line);
      if (!console_.quiet) *console_.text << line << '\n';
    }
    if (!options_.targets.jsonFile.empty())
      results::writeRunJson(options_.targets.jsonFile, summary);
    if (report.ok()) return;
    const std::string cause = describeCause(summary);
    log_.error(cause);
    *console_.errors << cause << '\n';
  }

  // A motion that nothing determines is to blame whatever the numerics complain of.
  std::string describeCause(const results::RunSummary& summary) const {
    const base::Diagnostics cause = analysis::explainMasslessMotions(model_);
    if (!cause.hasErrors()) return "error: " + results::describeFailure(summary);
    std::string text = cause.toText();
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }

  const RunOptions& options_;
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

void heedStopRequest(const volatile int* request) {
  control::OwnProcessHost::heed(request);
}

std::string defaultDirectory(const std::string& modelFile) {
  const fs::path path = fs::absolute(modelFile).lexically_normal();
  const fs::path stem = path.stem();
  const bool byFolder = stem == "model" && path.has_parent_path();
  return (fs::path("out") / (byFolder ? path.parent_path().filename() : stem)).string();
}

Outcome run(const RunOptions& options, const Console& console) {
  return guard(console, [&] { return RunCommand(options, console).execute(); });
}

}  // namespace flexloop::commands
