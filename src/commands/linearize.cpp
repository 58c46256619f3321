#include <memory>

#include "commands/linear_request.hpp"
#include "reports/operating_point_text.hpp"
#include "reports/state_space_text.hpp"

namespace flexloop::commands {
namespace {

analysis::PortNames readNames(const LinearizeRequest& request) {
  if (request.from.empty()) reject("no input is given", "add '--from SIGNAL'");
  if (request.to.empty()) reject("no output is given", "add '--to SIGNAL'");
  return {request.from, request.to, {}};
}

}  // namespace

analysis::StateSpaceResult calcStateSpace(const LinearizeRequest& request, const Console& console) {
  LinearCommand command(request, readNames(request), console);
  command.linearize(false);
  return api::makeStateSpace(command.machine(), request.minimal);
}

void checkRequest(const LinearizeRequest& request, const Console& console) {
  LinearCommand(request, readNames(request), console).checkOperatingPoint();
}

void linearize(const LinearizeRequest& request, const Console& console) {
  LinearCommand command(request, readNames(request), console);
  command.linearize(false);
  const analysis::StateSpaceResult result = api::makeStateSpace(command.machine(), request.minimal);
  console.print(reports::describeStateSpace(
      command.title(), reports::describePoint(command.about(), command.machine().state().time),
      result));
  if (request.minimal) console.print(reports::describeMinimal(result));
  const Targets& targets = request.targets;
  if (!targets.jsonFile.empty()) reports::writeStateSpaceJson(targets.jsonFile, result);
  if (!targets.csvFile.empty()) reports::writeStateSpaceCsv(targets.csvFile, result.system);
  if (!request.matFile.empty()) reports::writeStateSpaceMat(request.matFile, result.system);
}

void declareLinearize(Call& call) {
  const auto request = std::make_shared<LinearizeRequest>();
  call.addModelOptions();
  call.add(portOptions(*request));
  call.add(stateOptions(*request));
  call.add({{"--minimal", "", "omit uncontrollable and unobservable states", &request->minimal},
            {"--mat",
             "FILE",
             "MAT-file for MATLAB, Octave and SciPy",
             &request->matFile,
             {.isWritten = true}}});
  call.action = [&call, request](const Console& console) {
    request->model = call.model;
    request->targets = call.targets;
    linearize(*request, console);
  };
}

}  // namespace flexloop::commands
