#include "language/wrap/wrap_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>

#include "base/units.hpp"
#include "language/yaml/yaml_tree.hpp"

namespace flexloop::language {
namespace {

using control::WrapDescription;
using control::WrappedPlace;
using control::WrappedStep;

constexpr long kLargestHeap = 16L << 20;  // bytes

bool isName(const std::string& text) {
  const auto isLetter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !text.empty() && isLetter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
}

class Reader {
 public:
  WrapDescription read(const std::string& text, const std::string& file) {
    const auto name = std::make_shared<const std::string>(file);
    const RawNode root = parseYaml(text, name, errors_);
    result_.file = file;
    const RawMap* map = root.map();
    if (map == nullptr) {
      errors_.add(root.place, "a description of C code starts with keys such as 'step:'",
                  "see the manual: flexloop help black_boxes");
      errors_.raise();
    }
    for (const RawEntry& entry : *map) readEntry(entry);
    if (result_.steps.empty() && errors_.empty()) {
      errors_.add({name, 0, 0}, "'step' is missing",
                  "it names the function that is called at every sample");
    }
    if (result_.outputs.empty() && errors_.empty()) {
      errors_.add({name, 0, 0}, "the code has no outputs", "name at least one under 'outputs:'");
    }
    errors_.raiseIfAny();
    return std::move(result_);
  }

 private:
  void readEntry(const RawEntry& entry) {
    static const std::vector<std::string> known{"headers",    "declare", "initialize", "step",
                                                "terminate",  "error",   "inputs",     "outputs",
                                                "parameters", "sample",  "heap"};
    if (entry.key == "headers") return readHeaders(entry);
    if (entry.key == "declare") return readText(entry, result_.declarations);
    if (entry.key == "initialize") return readCode(entry.value, entry.key, result_.initialize);
    if (entry.key == "terminate") return readCode(entry.value, entry.key, result_.terminate);
    if (entry.key == "error") return readCode(entry.value, entry.key, result_.error);
    if (entry.key == "step") return readSteps(entry);
    if (entry.key == "inputs") return readPlaces(entry, result_.inputs);
    if (entry.key == "outputs") return readPlaces(entry, result_.outputs);
    if (entry.key == "parameters") return readPlaces(entry, result_.parameters);
    if (entry.key == "sample") return readSample(entry);
    if (entry.key == "heap") return readHeap(entry);
    errors_.addUnknown(entry.place, "unknown key " + quote(entry.key), entry.key, known);
  }

  void readText(const RawEntry& entry, std::string& text) {
    if (const RawScalar* scalar = entry.value.scalar()) {
      text = scalar->text;
    } else {
      errors_.add(entry.value.place, quote(entry.key) + " must be a text in C");
    }
  }

  // A statement or an expression: one line of C, whose semicolon is ours.
  void readCode(const RawNode& node, const std::string& key, std::string& text) {
    const RawScalar* scalar = node.scalar();
    std::string code = scalar != nullptr ? scalar->text : std::string();
    while (!code.empty() && (code.back() == ';' || code.back() == ' ' || code.back() == '\n')) {
      code.pop_back();
    }
    if (code.empty()) {
      errors_.add(node.place, quote(key) + " must be the name of a function or a call in C");
    } else if (code.find("/*") != std::string::npos || code.find("//") != std::string::npos) {
      errors_.add(node.place, quote(key) + " contains a comment of C", "remove it");
    } else {
      text = code;
    }
  }

  void readHeaders(const RawEntry& entry) {
    const auto add = [&](const RawNode& node) {
      const RawScalar* scalar = node.scalar();
      if (scalar != nullptr && !scalar->text.empty() &&
          scalar->text.find_first_of("\"\n\\") == std::string::npos) {
        result_.headers.push_back(scalar->text);
      } else {
        errors_.add(node.place, "a header is the name of a file, such as controller.h");
      }
    };
    if (const RawList* list = entry.value.list()) {
      std::for_each(list->begin(), list->end(), add);
    } else {
      add(entry.value);
    }
  }

  void readSteps(const RawEntry& entry) {
    if (const RawList* list = entry.value.list()) {
      for (const RawNode& node : *list) readStep(node);
    } else {
      readStep(entry.value);
    }
  }

  void readStep(const RawNode& node) {
    WrappedStep step;
    if (const RawMap* map = node.map()) {
      for (const RawEntry& entry : *map) {
        if (entry.key == "call") {
          readCode(entry.value, "call", step.call);
        } else if (entry.key == "every") {
          step.every = static_cast<int>(readCount(entry.value, "every", 1, 1'000'000'000));
        } else {
          errors_.addUnknown(entry.place, "step: unknown key " + quote(entry.key), entry.key,
                             {"call", "every"});
        }
      }
      if (findEntry(*map, "call") == nullptr) errors_.add(node.place, "step: 'call' is missing");
    } else {
      readCode(node, "step", step.call);
    }
    result_.steps.push_back(step);
  }

  long readCount(const RawNode& node, const std::string& key, long least, long most) {
    const RawScalar* scalar = node.scalar();
    const std::string text = scalar != nullptr ? scalar->text : std::string();
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= least &&
        value <= most) {
      return value;
    }
    errors_.add(node.place, quote(key) + " must be a whole number from " + std::to_string(least) +
                                " to " + std::to_string(most));
    return least;
  }

  void readHeap(const RawEntry& entry) {
    result_.heap = static_cast<std::size_t>(readCount(entry.value, entry.key, 0, kLargestHeap));
  }

  void readSample(const RawEntry& entry) {
    const RawScalar* scalar = entry.value.scalar();
    const auto quantity = base::parseQuantity(scalar != nullptr ? scalar->text : std::string());
    if (!quantity) return errors_.add(entry.value.place, "sample", quantity.failure());
    const auto seconds = base::convertToSi(quantity.value(), base::kTime);
    if (!seconds) return errors_.add(entry.value.place, "sample", seconds.failure());
    if (!(seconds.value() > 0.0)) {
      return errors_.add(entry.value.place, "'sample' must be positive");
    }
    result_.sample = seconds.value();
  }

  void readPlaces(const RawEntry& entry, std::vector<WrappedPlace>& places) {
    const RawMap* map = entry.value.map();
    if (map == nullptr) {
      return errors_.add(entry.value.place,
                         quote(entry.key) + " must be names with their places in the code",
                         "as in '" + entry.key + ": {speed: rtU.speed}'");
    }
    for (const RawEntry& item : *map) {
      if (!isName(item.key)) {
        errors_.add(item.place, entry.key + ": " + quote(item.key) + " cannot be a name",
                    "a name consists of letters, digits and '_'");
        continue;
      }
      readPlace(entry.key + "." + item.key, item, places);
    }
  }

  void readPlace(const std::string& owner, const RawEntry& item,
                 std::vector<WrappedPlace>& places) {
    WrappedPlace place{item.key, {}, 1.0};
    if (const RawMap* map = item.value.map()) {
      for (const RawEntry& entry : *map) {
        if (entry.key == "at") {
          readCode(entry.value, owner, place.place);
        } else if (entry.key == "unit") {
          place.factor *= readUnit(owner, entry.value);
        } else if (entry.key == "scale") {
          place.factor *= readScale(owner, entry.value);
        } else {
          errors_.addUnknown(entry.place, owner + ": unknown key " + quote(entry.key), entry.key,
                             {"at", "unit", "scale"});
        }
      }
      if (findEntry(*map, "at") == nullptr) {
        errors_.add(item.value.place, owner + ": 'at' is missing",
                    "it is a place in the code, such as rtU.speed");
      }
    } else {
      readCode(item.value, owner, place.place);
    }
    places.push_back(std::move(place));
  }

  double readUnit(const std::string& owner, const RawNode& node) {
    const RawScalar* scalar = node.scalar();
    const auto unit = base::parseUnit(scalar != nullptr ? scalar->text : std::string("?"));
    if (unit) return unit.value().numerator / unit.value().denominator;
    errors_.add(node.place, owner, unit.failure());
    return 1.0;
  }

  // SI, or units, of one in the code: 2^-8 of a fixed-point number is 0.00390625.
  double readScale(const std::string& owner, const RawNode& node) {
    const RawScalar* scalar = node.scalar();
    const auto number = base::parseQuantity(scalar != nullptr ? scalar->text : std::string());
    if (number && !number.value().hasUnit && number.value().value != 0.0) {
      return number.value().value;
    }
    errors_.add(node.place, owner + ": 'scale' must be a number other than zero",
                "what one in the code stands for; units belong to 'unit'");
    return 1.0;
  }

  ErrorList errors_;
  WrapDescription result_;
};

}  // namespace

WrapDescription readWrapDescription(const std::string& text, const std::string& file) {
  return Reader().read(text, file);
}

}  // namespace flexloop::language
