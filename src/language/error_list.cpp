#include "language/error_list.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/nearest_word.hpp"

namespace flexloop::language {
namespace {

// Longer lists help nobody on a screen.
constexpr std::size_t kLongestList = 30;
constexpr std::size_t kLongestQuote = 80;

}  // namespace

void ErrorList::add(const base::Place& place, const std::string& message, std::string hint) {
  ++count_;
  if (!context_.empty() && !said_.insert(base::toText(place) + " " + message).second) return;
  errors_.push_back({place, context_ + message, std::move(hint)});
  if (errors_.size() >= kMostErrors) raise("there may be more errors");
}

void ErrorList::add(const base::Place& place, std::string_view subject,
                    const base::Failure& failure) {
  add(place, std::string(subject) + ": " + failure.message, failure.hint);
}

std::string ErrorList::addUnknown(const base::Place& place, const std::string& message,
                                  std::string_view word, const std::vector<std::string>& known) {
  std::string hint;
  const std::optional<std::string> nearest = base::findNearestWord(word, known);
  if (nearest) {
    hint = "did you mean " + quote(*nearest) + "?";
  } else if (!known.empty() && known.size() <= kLongestList) {
    hint = "known: " + listOf(known);
  }
  add(place, message, std::move(hint));
  return nearest.value_or("");
}

void ErrorList::raiseIfAny() {
  if (!errors_.empty()) raise();
}

void ErrorList::raise(const char* remark) {
  // The files in the order in which they first appear; the places of one file by line.
  std::vector<const std::string*> files;
  const auto rank = [&](const base::Diagnostic& error) {
    const auto at = std::find(files.begin(), files.end(), error.place.file.get());
    const auto index = at - files.begin();
    if (at == files.end()) files.push_back(error.place.file.get());
    return index;
  };
  std::vector<std::tuple<std::ptrdiff_t, int, int, std::size_t>> order;
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    order.emplace_back(rank(errors_[i]), errors_[i].place.line, errors_[i].place.column, i);
  }
  std::sort(order.begin(), order.end());
  base::Diagnostics diagnostics;
  for (const auto& [file, line, column, index] : order) {
    base::Diagnostic& error = errors_[index];
    diagnostics.addError(error.place, std::move(error.message), std::move(error.hint));
  }
  if (*remark != '\0') diagnostics.addError({}, remark);
  throw base::InputError(std::move(diagnostics));
}

std::string quote(std::string_view text) {
  if (text.size() <= kLongestQuote) return "'" + std::string(text) + "'";
  std::size_t end = kLongestQuote;
  // Not inside a character of several bytes.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return "'" + std::string(text.substr(0, end)) + "…'";
}

std::string listOf(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace flexloop::language
