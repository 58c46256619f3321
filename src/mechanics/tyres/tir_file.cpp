#include "mechanics/tyres/tir_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <sstream>

namespace flexloop::mechanics {
namespace {

constexpr const char* kLoadCurve = "DEFLECTION_LOAD_CURVE";
constexpr const char* kLineHint = "lines are [SECTION], KEY = value, or remarks behind $ or !";

std::string trim(const std::string& text) {
  const auto isSpace = [](unsigned char c) { return c <= ' '; };
  const auto first = std::find_if_not(text.begin(), text.end(), isSpace);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), isSpace).base();
  return first < last ? std::string(first, last) : std::string();
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

// Up to a remark, which may not begin inside of quotes.
std::string withoutRemark(const std::string& line) {
  bool isQuoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\'') isQuoted = !isQuoted;
    if (!isQuoted && line[i] == '$') return line.substr(0, i);
  }
  return line;
}

std::optional<std::vector<double>> readRow(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    double number = 0.0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    if (error != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

class Parser {
 public:
  Parser(const std::string& name, base::Diagnostics& diagnostics)
      : name_(std::make_shared<const std::string>(name)), diagnostics_(diagnostics) {}

  TirFile parse(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      place_ = {name_, place_.line + 1, 0};
      const std::string content = trim(withoutRemark(line));
      if (!content.empty() && content[0] != '!') addLine(content);
    }
    return std::move(file_);
  }

 private:
  void fail(const std::string& message, const std::string& hint) {
    diagnostics_.addError(place_, message, hint);
  }

  void addLine(const std::string& line) {
    if (line[0] == '[') return beginSection(line);
    const std::size_t sign = line.find('=');
    if (sign != std::string::npos) return addValue(line, sign);
    if (section_ == kLoadCurve) return addLoad(line);
    // Headers and shapes are tables of words and numbers that no formula uses.
    if (section_ == "SHAPE" || section_ == "MDI_HEADER" || section_.empty()) return;
    if (line[0] == '{') return;
    fail("'" + line.substr(0, 40) + "' is neither a section nor a value", kLineHint);
  }

  void beginSection(const std::string& line) {
    const std::size_t end = line.find(']');
    if (end == std::string::npos) return fail("a section without ']'", kLineHint);
    section_ = upper(trim(line.substr(1, end - 1)));
    file_.sections.try_emplace(section_, place_);
  }

  void addValue(const std::string& line, std::size_t sign) {
    const std::string key = upper(trim(line.substr(0, sign)));
    TirValue value{section_, trim(line.substr(sign + 1)), place_};
    if (!value.text.empty() && value.text.front() == '\'') {
      const std::size_t end = value.text.find('\'', 1);
      if (end == std::string::npos) return fail("'" + key + "' has a quote without end", kLineHint);
      value.text = trim(value.text.substr(1, end - 1));
      value.isText = true;
    }
    if (key.empty()) return fail("a value without a key", kLineHint);
    const auto [found, isNew] = file_.values.try_emplace(key, value);
    if (!isNew && section_ != "MDI_HEADER") {
      fail("'" + key + "' is there twice, the first time in line " +
               std::to_string(found->second.place.line),
           "remove one of both");
    }
  }

  void addLoad(const std::string& line) {
    if (line[0] == '{') return;  // names of the columns
    const auto row = readRow(line);
    if (!row || row->size() != 2) {
      return fail("a row of [" + std::string(kLoadCurve) + "] is not two numbers",
                  "give a deflection and a load");
    }
    file_.loadCurve.emplace_back((*row)[0], (*row)[1]);
  }

  std::shared_ptr<const std::string> name_;
  base::Diagnostics& diagnostics_;
  base::Place place_;
  std::string section_;
  TirFile file_;
};

}  // namespace

TirFile parseTir(const std::string& text, const std::string& name, base::Diagnostics& diagnostics) {
  return Parser(name, diagnostics).parse(text);
}

}  // namespace flexloop::mechanics
