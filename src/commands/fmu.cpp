// A model as an FMU for other tools.
#include <filesystem>
#include <memory>
#include <ostream>

#include "base/json.hpp"
#include "commands/command.hpp"
#include "files/output_file.hpp"
#include "fmu/export.hpp"

namespace flexloop::commands {
namespace {

struct Request {
  std::vector<std::string> from, to;
  std::string version = "2", kind = "cs", file;
};

std::string countOf(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::vector<std::string> describe(const fmu::ExportRequest& request,
                                  const fmu::ExportReport& report) {
  const bool isExchange = request.kind == fmu::Kind::kModelExchange;
  std::string variables = "  " + countOf(request.inputs.size(), "input") + ", " +
                          countOf(request.outputs.size(), "output") + ", " +
                          countOf(report.parameters, "parameter") + ", " +
                          std::to_string(report.tunable) + " of them tunable";
  if (isExchange) variables += "; " + countOf(report.states, "state");
  std::vector<std::string> lines{request.file + ": FMI " + std::to_string(request.version) +
                                     ".0, " + (isExchange ? "model exchange" : "co-simulation"),
                                 variables};
  for (const std::string& file : report.taken) lines.push_back("  with " + file);
  return lines;
}

void writeJson(const std::string& file, const fmu::ExportRequest& request,
               const fmu::ExportReport& report) {
  nlohmann::ordered_json json;
  json["file"] = request.file;
  json["version"] = request.version;
  json["kind"] = request.kind == fmu::Kind::kModelExchange ? "me" : "cs";
  json["inputs"] = request.inputs;
  json["outputs"] = request.outputs;
  json["parameters"] = report.parameters;
  json["tunable"] = report.tunable;
  json["states"] = report.states;
  if (report.states > 0) json["fastest_rate"] = report.fastestRate;
  files::writeTextFile(file, json.dump(1) + "\n");
}

void exportFmu(const api::ModelSource& source, const Request& given, const Targets& targets,
               const Console& console) {
  if (given.to.empty()) reject("no output is given", "add '--to SIGNAL'");
  fmu::ExportRequest request{.model = source, .inputs = given.from, .outputs = given.to};
  request.version = choose("--version", given.version, {"2", "3"}) + 2;
  request.kind = choose("--kind", given.kind, {"cs", "me"}) == 0 ? fmu::Kind::kCoSimulation
                                                                 : fmu::Kind::kModelExchange;
  request.file = given.file;
  if (request.file.empty()) reject("no file is given", "add '-o FILE.fmu'");
  if (!request.file.ends_with(".fmu")) {
    reject("-o '" + request.file + "' is not the name of an FMU", "its name must end in '.fmu'");
  }
  request.program = "Flexloop " + console.version;
  const fmu::ExportReport report = fmu::exportModel(request);
  if (!console.quiet) report.warnings.print(*console.errors);
  console.print(describe(request, report));
  if (!targets.jsonFile.empty()) writeJson(targets.jsonFile, request, report);
}

}  // namespace

void declareFmu(Call& call) {
  const auto request = std::make_shared<Request>();
  call.addModelOptions();
  call.add(
      {{"--from", "SIGNAL…", "inputs: signals to which they are added, or loads that have none",
        &request->from},
       {"--to", "SIGNAL…", "outputs: signals and sensors", &request->to},
       {"--version", "N", "version of FMI: 2 or 3 (default: 2)", &request->version},
       {"--kind", "KIND", "cs: co-simulation, me: model exchange (default: cs)", &request->kind},
       {"-o", "FILE.fmu", "the FMU", &request->file, {.isWritten = true}}});
  call.action = [&call, request](const Console& console) {
    exportFmu(call.model, *request, call.targets, console);
  };
}

}  // namespace flexloop::commands
