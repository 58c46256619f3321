#include "analysis/linear/state_space.hpp"
#include "commands/guard.hpp"
#include "commands/linear_request.hpp"
#include "commands/mode_options.hpp"
#include "reports/state_space_text.hpp"

namespace flexloop::commands {
namespace {

analysis::PortNames readNames(const LinearizeRequest& request) {
  if (request.from.empty()) throw base::InputError({}, "no input is given", "add '--from SIGNAL'");
  if (request.to.empty()) throw base::InputError({}, "no output is given", "add '--to SIGNAL'");
  return {request.from, request.to, {}};
}

std::optional<base::Failure> calc(const LinearizeRequest& request, LinearCommand& command,
                                  analysis::StateSpaceResult& result) {
  if (auto failure = command.linearize(false)) return failure;
  analysis::StateSpaceOptions options;
  options.minimal = request.minimal;
  result = analysis::makeStateSpace(command.model(), command.linear(), command.ports(), options);
  return result.failure;
}

Outcome execute(const LinearizeRequest& request, const Console& console) {
  LinearCommand command(request, readNames(request), console);
  analysis::StateSpaceResult result;
  if (const auto failure = calc(request, command, result)) return reportFailure(console, *failure);
  command.tell(reports::describeStateSpace(command.title(), command.state().time, result));
  if (request.minimal) command.tell(reports::describeMinimal(result));
  const Targets& targets = request.targets;
  if (!targets.jsonFile.empty()) reports::writeStateSpaceJson(targets.jsonFile, result);
  if (!targets.csvFile.empty()) reports::writeStateSpaceCsv(targets.csvFile, result.system);
  if (!request.matFile.empty()) reports::writeStateSpaceMat(request.matFile, result.system);
  return Outcome::kDone;
}

}  // namespace

std::optional<base::Failure> findStateSpace(const LinearizeRequest& request, const Console& console,
                                            analysis::StateSpaceResult& result) {
  LinearCommand command(request, readNames(request), console);
  return calc(request, command, result);
}

void checkRequest(const LinearizeRequest& request, const Console& console) {
  LinearCommand(request, readNames(request), console).checkOperatingPoint();
}

Outcome linearize(const LinearizeRequest& request, const Console& console) {
  return guard(console, [&] { return execute(request, console); });
}

}  // namespace flexloop::commands
