#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/failed.hpp"
#include "commands/command.hpp"
#include "commands/part_progress.hpp"
#include "fem/matrices/part_matrices_file.hpp"
#include "fem/parts/part_study.hpp"
#include "reports/part_picture.hpp"
#include "reports/part_text.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::commands {
namespace {

struct Request {
  std::string mesh;
  std::vector<std::string> clamp;
  std::string matricesFile;
  int count = 10;
  std::vector<language::OptionText> values;
};

std::vector<system::Parameter> partParameters() {
  using namespace system;
  return {positive(number("E", base::kPressure, "Young's modulus of elements without a material")),
          number("nu", {}, "their Poisson's ratio"),
          notNegative(number("rho", base::kDensity, "their density")),
          positive(number("thickness", base::kLength, "of shells without one")),
          withDefault(choice("unit", fem::lengthUnitWords(), "unit of lengths in the mesh"), "m")};
}

fem::PartStudyRequest readRequest(const Request& request) {
  const system::Item item = language::readOptions(request.values, partParameters(), "part");
  fem::PartStudyRequest study;
  study.part.name = request.mesh;
  study.part.mesh = request.mesh;
  study.part.unit = fem::findLengthUnit(item.text("unit"));
  if (item.has("thickness")) study.part.shellThickness = item.number("thickness");
  if (item.has("E") != item.has("nu")) {
    reject("--E and --nu belong together", "for example --E 210GPa --nu 0.3 --rho 7850");
  }
  if (item.has("E")) {
    study.part.material = fem::MeshMaterial{.name = "given",
                                            .E = item.number("E"),
                                            .nu = item.number("nu"),
                                            .rho = item.number("rho", 0.0)};
  } else if (item.has("rho")) {
    reject("--rho needs --E and --nu", "for example --E 210GPa --nu 0.3 --rho 7850");
  }
  study.clamp = request.clamp;
  study.modes = request.count;
  return study;
}

void studyMesh(const Request& request, const Targets& targets, const Console& console) {
  PartProgress progress(console);
  const base::Result<fem::PartStudy> study =
      fem::studyPart(readRequest(request), progress.callback());
  progress.finish();
  if (!study) throw api::Failed(study.failure());
  if (!console.quiet) study.value().notes.print(*console.errors);
  console.print(reports::describePart(study.value()));
  if (!targets.jsonFile.empty()) reports::writePartJson(targets.jsonFile, study.value());
  if (!targets.figureFile.empty()) reports::writePartSvg(targets.figureFile, study.value().mesh);
  if (!request.matricesFile.empty()) {
    api::throwIfAny(
        fem::writePartMatrices(request.matricesFile, study.value().mesh, study.value().system));
  }
}

}  // namespace

void declarePart(Call& call) {
  const auto request = std::make_shared<Request>();
  call.add(
      {{"MESH", "", "mesh file: .msh, .inp, .bdf or .dat", &request->mesh, {.isRequired = true}},
       {"--clamp",
        "SET",
        "node set that is held; may be repeated",
        &request->clamp,
        {.isOneByOne = true}},
       {"--count", "N", "number of elastic modes [10]", &request->count, {.least = 0}},
       {"--matrices",
        "FILE",
        "stiffness and mass as FILE.K.mtx, FILE.M.mtx and FILE.nodes.csv, or as one .mat or .h5 "
        "file",
        &request->matricesFile,
        {.isWritten = true}}});
  call.addValueOptions(language::describeOptions(partParameters()), request->values);
  call.addFigureOption("--svg", "picture of the mesh; - for standard output");
  call.addTargetOptions();
  call.stopsGently = true;
  call.action = [&call, request](const Console& console) {
    studyMesh(*request, call.targets, console);
  };
}

}  // namespace flexloop::commands
