#include "commands/sweep_range.hpp"

#include <charconv>

#include "api/study_source.hpp"
#include "base/units.hpp"
#include "commands/mode_options.hpp"

namespace flexloop::commands {
namespace {

using study::Spacing;
using study::SweepAxis;

constexpr const char* kLimitOption = "--find-stability-limit";
constexpr const char* kSearchHint = "NAME=from:to, for example --find-stability-limit ki=0:320";
constexpr double kSearchFactor = 100.0;
constexpr int kSearchPoints = 41;

// The option with its text, for messages, and what would be right.
struct RangeText {
  std::string option, text;
  const char* hint;

  [[noreturn]] void reject(const std::string& why, const std::string& remedy = "") const {
    commands::reject(option + " " + text + ": " + why, remedy.empty() ? hint : remedy);
  }
};

double readNumber(const std::string& text, const RangeText& whole) {
  const base::Result<base::Quantity> quantity = base::parseQuantity(text);
  if (!quantity) whole.reject("'" + text + "' is not a number");
  return quantity.value().value;
}

int readCount(const std::string& text, const RangeText& whole) {
  int count = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || rest != end || count < 2 || count > kMostSweepPoints) {
    whole.reject("the count '" + text + "' is not a whole number from 2 to " +
                 std::to_string(kMostSweepPoints));
  }
  return count;
}

// `NAME=from:to:count`, where the count may be missing if there is one to use instead.
SweepAxis readRange(const RangeText& whole, Spacing spacing, std::optional<int> usualCount) {
  const std::string& text = whole.text;
  const std::size_t sign = text.find('='), first = text.find(':');
  const std::size_t second = text.find(':', first + 1);
  const bool hasCount = second != std::string::npos;
  if (!hasCount && !usualCount) whole.reject("a range needs a count");
  const double from = readNumber(text.substr(sign + 1, first - sign - 1), whole);
  const double to =
      readNumber(text.substr(first + 1, hasCount ? second - first - 1 : std::string::npos), whole);
  const int count = hasCount ? readCount(text.substr(second + 1), whole) : *usualCount;
  if (from == to) whole.reject("the range is empty");
  if (spacing == Spacing::kLogarithmic && !(from * to > 0.0)) {
    whole.reject("logarithmic spacing needs two ends of the same sign, neither of them zero",
                 "omit --log");
  }
  return study::makeAxis(text.substr(0, sign), from, to, count, spacing);
}

bool hasRange(const std::string& text) {
  const std::size_t sign = text.find('=');
  return sign != std::string::npos && sign != 0 && text.find(':') != std::string::npos;
}

}  // namespace

std::optional<SweepAxis> readAxis(const std::string& text, Spacing spacing) {
  if (!hasRange(text)) return std::nullopt;
  return readRange({"-p", text, kRangeHint}, spacing, std::nullopt);
}

SweepAxis readSearchRange(const std::string& text, const model::Model& model) {
  const RangeText whole{kLimitOption, text, kSearchHint};
  if (hasRange(text)) {
    SweepAxis axis = readRange(whole, Spacing::kEven, kSearchPoints);
    (void)api::findSetting(model, axis.name, kLimitOption);
    return axis;
  }
  if (text.find('=') != std::string::npos) whole.reject("no range is given");
  const double value = api::findSetting(model, text, kLimitOption).value;
  if (value == 0.0) whole.reject("its value is 0, so there is no default range to search");
  return study::makeAxis(text, value / kSearchFactor, value * kSearchFactor, kSearchPoints,
                         Spacing::kLogarithmic);
}

}  // namespace flexloop::commands
