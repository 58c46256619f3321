#include "option_words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "base/nearest_word.hpp"
#include "base/units.hpp"

namespace flexloop::app {
namespace {

using commands::Option;

double readNumber(const std::string& word) {
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0') throw std::invalid_argument("'" + word + "' is not a number");
  return number;
}

int readCount(const std::string& word, const Option::Rules& rules) {
  char* end = nullptr;
  errno = 0;
  const long long count = std::strtoll(word.c_str(), &end, 0);
  const bool isInt =
      !word.empty() && *end == '\0' && errno == 0 && static_cast<int>(count) == count;
  const Option::Rules none;
  const bool hasRange = rules.least != none.least || rules.most != none.most;
  if (hasRange && (!isInt || count < rules.least || count > rules.most)) {
    throw std::invalid_argument("Value " + word + " not in range " + std::to_string(rules.least) +
                                " to " + std::to_string(rules.most));
  }
  if (!isInt) throw std::invalid_argument("'" + word + "' is not a whole number, or too large");
  return static_cast<int>(count);
}

struct Store {
  const Option::Rules& rules;
  const std::vector<std::string>& words;

  void operator()(bool* /*flag*/) const {}
  void operator()(int* target) const { *target = readCount(words.front(), rules); }
  void operator()(std::optional<int>* target) const { *target = readCount(words.front(), rules); }
  void operator()(double* target) const { *target = readNumber(words.front()); }
  void operator()(std::optional<double>* target) const { *target = readNumber(words.front()); }
  void operator()(std::string* target) const { *target = words.front(); }
  void operator()(std::optional<std::string>* target) const { *target = words.front(); }
  void operator()(std::vector<std::string>* target) const { *target = words; }
  void operator()(std::vector<double>* target) const {
    target->clear();
    for (const std::string& word : words) target->push_back(readNumber(word));
  }
  void operator()(const std::function<void(const std::string&)>& take) const {
    take(words.front());
  }
};

// `--output` of `-o,--output`, and `--no-open` of `!--no-open`.
std::vector<std::string> longNames(const std::vector<Option>& options) {
  std::vector<std::string> names{"--help"};
  for (const Option& option : options) {
    std::istringstream all(option.name);
    for (std::string name; std::getline(all, name, ',');) {
      if (const std::size_t start = name.find("--"); start != std::string::npos) {
        names.push_back(name.substr(start));
      }
    }
  }
  return names;
}

// The option that a word was probably meant for; empty if none is near. `--endtime` is meant for `--end`.
std::string findMeant(const std::string& word, const std::vector<std::string>& known) {
  if (const auto nearest = base::findNearestWord(word, known)) return *nearest;
  std::string longest;
  for (const std::string& name : known) {
    const bool isBeginning = word.starts_with(name) || name.starts_with(word);
    if (isBeginning && name.size() > longest.size()) longest = name;
  }
  return longest;
}

}  // namespace

bool isList(const Option& option) {
  return std::holds_alternative<std::vector<std::string>*>(option.target) ||
         std::holds_alternative<std::vector<double>*>(option.target);
}

std::optional<std::string> store(const Option& option, const std::vector<std::string>& words) {
  try {
    std::visit(Store{option.rules, words}, option.target);
    return std::nullopt;
  } catch (const std::invalid_argument& mistake) {
    return option.name + ": " + mistake.what();
  }
}

std::optional<base::Failure> describeUnknownCommand(const std::string& word) {
  std::vector<std::string> known;
  for (const commands::Command& command : commands::commandList()) known.emplace_back(command.name);
  if (std::find(known.begin(), known.end(), word) != known.end()) return std::nullopt;
  const std::optional<std::string> nearest = base::findNearestWord(word, known);
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  return base::Failure{"there is no command '" + word + "'",
                       nearest ? "did you mean '" + *nearest + "'?" : "known: " + all};
}

base::Failure describeExtras(const std::vector<std::string>& words,
                             const std::vector<Option>& options) {
  const auto option = std::find_if(words.begin(), words.end(),
                                   [](const std::string& word) { return word.starts_with("-"); });
  if (option != words.end()) {
    const std::string name = option->substr(0, option->find('='));
    const std::string meant = findMeant(name, longNames(options));
    return {"unknown option '" + name + "'", meant.empty() ? "" : "did you mean '" + meant + "'?"};
  }
  const std::string word = words.empty() ? "" : words.front();
  const bool isUnit = base::parseUnit(word).hasValue() && !word.empty();
  return {"unexpected argument '" + word + "'",
          isUnit ? "write a value and its unit as one word: 100" + word + " or '100 " + word + "'"
                 : ""};
}

}  // namespace flexloop::app
