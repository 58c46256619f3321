#include "fem/mesh/nastran/nastran_cards.hpp"

#include <algorithm>

#include "fem/mesh/number_text.hpp"

namespace flexloop::fem {
namespace {

constexpr std::size_t kColumn = 8;
constexpr std::size_t kMarkColumn = 72;
constexpr std::size_t kMostFields = 10'000'000;

std::string_view column(std::string_view line, std::size_t first, std::size_t width) {
  if (first >= line.size()) return {};
  return trim(line.substr(first, width));
}

bool isMark(std::string_view field) {
  return field.starts_with('+') || field.starts_with('*');
}

}  // namespace

NastranCards::NastranCards(std::string_view text, int file, MeshBuilder& builder)
    : text_(text), place_{file, 0}, builder_(builder) {}

bool NastranCards::skipControl(std::vector<std::string>& control) {
  int number = 0, first = 0;
  bool hasEnd = false;
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    const std::string line = toUpper(trim(text_.substr(at, std::min<std::size_t>(end - at, 200))));
    at = end + 1;
    ++number;
    if (line == "CEND" && first == 0) {
      hasEnd = true;
      first = number;
    }
    if (line.starts_with("BEGIN") && line.find("BULK") != line.npos) {
      at_ = std::min(at, text_.size());
      place_.line = number;
      return true;
    }
    // Only what precedes the bulk data can be control; a large mesh without it is not kept.
    if (control.size() < 10'000) control.push_back(line);
  }
  control.clear();
  if (!hasEnd) return true;
  return builder_.fail({place_.file, first}, "CEND is not followed by BEGIN BULK");
}

std::string_view NastranCards::withoutTabs(std::string_view line) {
  if (line.find('\t') == line.npos) return line;
  std::string plain;
  for (const char c : line) {
    if (c == '\t') {
      plain.append(kColumn - plain.size() % kColumn, ' ');
    } else {
      plain += c;
    }
  }
  lines_.push_back(std::move(plain));
  return lines_.back();
}

bool NastranCards::takeLine(std::string_view& line) {
  if (hasPeeked_) {
    hasPeeked_ = false;
    line = peeked_;
    return true;
  }
  while (at_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++place_.line;
    const std::size_t comment = line.find('$');
    if (comment != line.npos) {
      if (trim(line.substr(0, comment)).empty()) {
        comment_ = trim(line.substr(comment + 1));
        commentLine_ = place_.line;
      }
      line = line.substr(0, comment);
    }
    while (!line.empty() && isBlank(line.back())) line.remove_suffix(1);
    if (line.empty()) continue;
    line = withoutTabs(line);
    return true;
  }
  return false;
}

bool NastranCards::isContinuation(std::string_view line) {
  return line[0] == ' ' || line[0] == '+' || line[0] == '*' || line[0] == ',';
}

bool NastranCards::next(NastranCard& card) {
  std::string_view line;
  if (!hasPeeked_) lines_.clear();
  if (isEnded_ || !takeLine(line)) return false;
  card.fields.clear();
  mark_.clear();
  card.place = place_;
  card.comment = commentLine_ == place_.line - 1 ? comment_ : std::string();
  const std::string start = toUpper(line.substr(0, kColumn));
  if (start.starts_with("ENDDATA")) {
    isEnded_ = true;
    return false;
  }
  if (start.starts_with("INCLUDE") &&
      (line.size() == 7 || line[7] == ' ' || line[7] == '\'' || line[7] == '"')) {
    card.name = "INCLUDE";
    card.fields.push_back(trim(line.substr(7)));
    return true;
  }
  if (isContinuation(line)) {
    return builder_.fail(place_, "a continuation line without its card",
                         "it must follow the card directly");
  }
  const std::string_view word =
      line.substr(0, std::min(line.find(','), std::min(line.size(), kColumn)));
  card.name = toUpper(trim(word));
  if (!addFields(line, card)) return false;
  if (card.name.ends_with('*'))
    card.name = trim(std::string_view(card.name).substr(0, card.name.size() - 1));
  while (takeLine(line)) {
    if (!isContinuation(line)) {
      peeked_ = line;
      hasPeeked_ = true;
      break;
    }
    if (card.fields.size() > kMostFields)
      return builder_.fail(card.place, "the card " + card.name + " is too long");
    if (!addFields(line, card)) return false;
  }
  while (!card.fields.empty() && card.fields.back().empty()) card.fields.pop_back();
  return true;
}

bool NastranCards::addFields(std::string_view line, NastranCard& card) {
  return line.find(',') != line.npos ? addFree(line, card) : addColumns(line, card);
}

bool NastranCards::addColumns(std::string_view line, NastranCard& card) {
  const std::string_view first = column(line, 0, kColumn);
  const bool isLarge = first.starts_with('*') || first.ends_with('*');
  if (isMark(first) && !mark_.empty() && first.substr(1) != std::string_view(mark_).substr(1)) {
    return builder_.fail(place_,
                         "the continuation " + std::string(first) +
                             " does not belong to the line before, which ends in " + mark_,
                         "put continuations directly behind their card");
  }
  const std::size_t width = isLarge ? 2 * kColumn : kColumn;
  for (std::size_t at = kColumn; at < kMarkColumn; at += width)
    card.fields.push_back(column(line, at, width));
  mark_ = column(line, kMarkColumn, kColumn);
  if (!isMark(mark_)) mark_.clear();
  return true;
}

bool NastranCards::addFree(std::string_view line, NastranCard& card) {
  std::size_t comma = line.find(',');
  const std::string_view first = trim(line.substr(0, comma));
  const bool isLarge = first.starts_with('*') || first.ends_with('*');
  const std::size_t most = isLarge ? 4 : 8;
  std::size_t count = 0;
  mark_.clear();
  while (comma != line.npos) {
    line.remove_prefix(comma + 1);
    comma = line.find(',');
    const std::string_view field = trim(line.substr(0, std::min(comma, line.size())));
    if (count < most) {
      card.fields.push_back(field);
    } else if (count > most || !(field.empty() || isMark(field))) {
      return builder_.fail(place_, "the line has more than " + std::to_string(most) + " fields",
                           "continue the card on the next line, which begins with a comma");
    }
    ++count;
  }
  for (; count < most; ++count) card.fields.emplace_back();
  return true;
}

}  // namespace flexloop::fem
