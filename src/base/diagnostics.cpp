#include "base/diagnostics.hpp"

#include <ostream>
#include <sstream>
#include <utility>

namespace flexloop::base {
namespace {

void printOne(std::ostream& stream, const Diagnostic& diagnostic, std::string_view severity) {
  const std::string place = toText(diagnostic.place);
  if (!place.empty()) stream << place << ": ";
  stream << severity << ": " << diagnostic.message << '\n';
  if (!diagnostic.hint.empty()) stream << "  hint: " << diagnostic.hint << '\n';
}

Diagnostics makeSingleError(Place place, std::string message, std::string hint) {
  Diagnostics diagnostics;
  diagnostics.addError(std::move(place), std::move(message), std::move(hint));
  return diagnostics;
}

}  // namespace

std::string toText(const Place& place) {
  std::string text = place.file ? *place.file : std::string();
  if (place.line == 0) return text;
  text += text.empty() ? "line " : ":";
  text += std::to_string(place.line);
  if (place.column != 0) text += ":" + std::to_string(place.column);
  return text;
}

void Diagnostics::addError(Place place, std::string message, std::string hint) {
  errors_.push_back({std::move(place), std::move(message), std::move(hint)});
}

void Diagnostics::addWarning(Place place, std::string message, std::string hint) {
  warnings_.push_back({std::move(place), std::move(message), std::move(hint)});
}

void Diagnostics::add(const Diagnostics& others) {
  if (&others == this) return;
  errors_.insert(errors_.end(), others.errors_.begin(), others.errors_.end());
  warnings_.insert(warnings_.end(), others.warnings_.begin(), others.warnings_.end());
}

void Diagnostics::print(std::ostream& stream) const {
  for (const Diagnostic& warning : warnings_) printOne(stream, warning, "warning");
  for (const Diagnostic& error : errors_) printOne(stream, error, "error");
}

std::string Diagnostics::toText() const {
  std::ostringstream stream;
  print(stream);
  return stream.str();
}

InputError::InputError(Diagnostics diagnostics)
    : diagnostics_(std::make_shared<const Diagnostics>(std::move(diagnostics))),
      text_(std::make_shared<const std::string>(diagnostics_->toText())) {}

InputError::InputError(Place place, std::string message, std::string hint)
    : InputError(makeSingleError(std::move(place), std::move(message), std::move(hint))) {}

}  // namespace flexloop::base
