#include "api/failed.hpp"

#include <utility>

#include "analysis/check/massless_findings.hpp"
#include "base/diagnostics.hpp"

namespace flexloop::api {
namespace {

std::string findCause(const base::Failure& failure, const model::Model& model) {
  if (failure.kind == base::FailureKind::kOther) return {};  // stopped by the user, for example
  const base::Diagnostics cause = analysis::explainMasslessMotions(model);
  return cause.hasErrors() ? cause.toText() : std::string();
}

}  // namespace

Failed::Failed(base::Failure failure)
    : content_(std::make_shared<const Content>(Content{std::move(failure), {}})) {}

Failed::Failed(base::Failure failure, const model::Model& model)
    : content_(std::make_shared<const Content>(Content{failure, findCause(failure, model)})) {}

std::string Failed::text() const {
  if (!cause().empty()) return cause();
  const base::Failure& f = failure();
  if (f.message.empty()) return {};
  return "error: " + f.message + "\n" + (f.hint.empty() ? "" : "  hint: " + f.hint + "\n");
}

}  // namespace flexloop::api
