#include "commands/linear_request.hpp"

#include <ostream>

#include "commands/mode_options.hpp"

namespace flexloop::commands {

LinearCommand::LinearCommand(const LinearRequest& request, const analysis::PortNames& names,
                             const Console& console)
    : request_(request), console_(console), machine_(request.model, names) {}

void LinearCommand::checkOperatingPoint() const {
  (void)readOperatingPoint(request_.at, request_.about, model());
}

std::optional<base::Failure> LinearCommand::linearize(bool hasSamples) {
  if (!console_.quiet) model().warnings().print(*console_.errors);
  if (auto failure = machine_.linearize(readOperatingPoint(request_.at, request_.about, model()))) {
    return failure;
  }
  if (!hasSamples) warnOfSamples();
  if (console_.quiet) return {};
  warnOf(machine_.warnings(), console_);
  if (const std::string note = machine_.describeAxes(); !note.empty()) warnOf({note}, console_);
  return {};
}

void LinearCommand::warnOfSamples() const {
  if (sampled().elements.empty()) return;
  warn("sampled blocks have no equations in continuous time: their outputs are held constant here",
       "A, B, C and D are those of the machine without their feedback; `flexloop frf` and "
       "`flexloop modes` treat them exactly");
}

std::string LinearCommand::title() const {
  const model::Description& description = model().description();
  return description.title.empty() ? description.file : description.title;
}

void LinearCommand::warn(const std::string& what, const std::string& hint) const {
  if (!console_.quiet) *console_.errors << "warning: " << what << "\n  hint: " << hint << '\n';
}

void LinearCommand::tell(const std::vector<std::string>& lines) const {
  if (console_.quiet) return;
  for (const std::string& line : lines) *console_.text << line << '\n';
}

}  // namespace flexloop::commands
