#include "reports/scheme_options.hpp"

#include <utility>
#include <variant>

#include "language/error_list.hpp"
#include "language/parameter_table.hpp"
#include "language/values/value_reader.hpp"
#include "language/yaml/yaml_tree.hpp"
#include "solve/time/scheme_choice.hpp"
#include "system/item.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::reports {
namespace {

using system::choice;
using system::Item;
using system::Parameter;
using system::positive;
using system::withDefault;

constexpr double kSmallest = 1e-12, kLargest = 1e12;  // of the range
constexpr double kMostPoints = 1e6;

Parameter pureNumber(const char* name, const char* doc) {
  return system::number(name, base::kDimensionless, doc);
}

Parameter within(Parameter parameter, double lower, double upper) {
  parameter.lower = lower;
  parameter.upper = upper;
  return parameter;
}

Parameter above(Parameter parameter, double lower) {
  parameter.lower = lower;
  parameter.lowerOpen = true;
  return parameter;
}

Parameter makeCount() {
  Parameter count = within(pureNumber("count", "number of frequencies"), 2.0, kMostPoints);
  count.shape = system::Shape::kInteger;
  return withDefault(std::move(count), "241");
}

std::vector<Parameter> motionNumbers() {
  return {pureNumber("alpha_m", "weight of the old acceleration, below 1"),
          pureNumber("alpha_f", "weight of the old forces, below 1"),
          positive(pureNumber("beta", "Newmark's beta")),
          positive(pureNumber("gamma", "Newmark's gamma"))};
}

std::vector<Parameter> stateNumbers() {
  return {pureNumber("delta_m", "weight of the old algorithmic rate, below 1"),
          pureNumber("delta_f", "weight of the old rate, below 1"),
          positive(pureNumber("theta", "weight of the new algorithmic rate in the new value"))};
}

std::vector<Parameter> allRequired(std::vector<Parameter> parameters) {
  for (Parameter& parameter : parameters) parameter.required = true;
  return parameters;
}

Parameter makeChoice(const char* name, const std::vector<std::string>& words, const char* doc,
                     const std::vector<Parameter>& numbers) {
  Parameter parameter = choice(name, words, doc);
  parameter.fields = allRequired(numbers);
  return withDefault(std::move(parameter), words.front());
}

std::vector<Parameter> makeParameters() {
  std::vector<Parameter> parameters{
      withDefault(within(pureNumber("rho",
                                    "spectral radius at infinite frequency: 1 for no numerical "
                                    "damping, 0 to damp high frequencies within one step"),
                         0.0, 1.0),
                  "0.8"),
      makeChoice("motion", solve::motionSchemeNames(),
                 "method for motion: ch (Chung & Hulbert), hht (Hilber, Hughes & Taylor) or "
                 "newmark",
                 motionNumbers()),
      makeChoice("state", solve::stateSchemeNames(),
                 "method for states: jwh (Jansen, Whiting & Hulbert) or ch", stateNumbers())};
  parameters = system::joined(std::move(parameters), motionNumbers());
  parameters = system::joined(std::move(parameters), stateNumbers());
  return system::joined(
      std::move(parameters),
      {withDefault(within(pureNumber("from", "smallest frequency times step"), kSmallest, kLargest),
                   "1e-2"),
       withDefault(within(pureNumber("to", "largest frequency times step"), kSmallest, kLargest),
                   "1e4"),
       makeCount(),
       withDefault(system::notNegative(pureNumber("zeta", "damping ratio of the oscillator")), "0"),
       withDefault(
           positive(pureNumber("bandwidth",
                               "bandwidth of the controller's lag, relative to the oscillator")),
           "1"),
       withDefault(
           above(pureNumber("position_gain",
                            "stiffness added by the controller, relative to the oscillator"),
                 -1.0),
           "0"),
       withDefault(
           system::notNegative(pureNumber(
               "velocity_gain", "damping ratio that the controller would add without its lag")),
           "0.2")});
}

const std::vector<Parameter>& parametersOf() {
  static const std::vector<Parameter> parameters = makeParameters();
  return parameters;
}

// `{motion: ch, state: jwh}` means --motion ch --state jwh.
void addScheme(language::RawNode value, language::RawMap& map, language::ErrorList& errors) {
  language::RawMap* entries = std::get_if<language::RawMap>(&value.data);
  if (entries == nullptr) {
    errors.add(value.place, "scheme: expected entries 'name: value' in { }",
               "for example --scheme \"{motion: hht, state: jwh}\"");
    return;
  }
  for (language::RawEntry& entry : *entries) {
    if (entry.key == "motion" || entry.key == "state") {
      language::addOption(std::move(entry), map, errors);
    } else if (entry.key.find(':') != std::string::npos) {
      errors.add(entry.place, "scheme: unknown key " + language::quote(entry.key),
                 "write a space after the colon: 'key: value'");
    } else {
      errors.addUnknown(entry.place, "scheme: unknown key " + language::quote(entry.key), entry.key,
                        {"motion", "state"});
    }
  }
}

language::RawMap collect(const std::vector<language::OptionText>& options,
                         language::ErrorList& errors) {
  language::RawMap map;
  for (const language::OptionText& option : options) {
    language::RawEntry entry = language::parseOption(option, errors);
    if (option.name == "scheme") {
      addScheme(std::move(entry.value), map, errors);
    } else {
      language::addOption(std::move(entry), map, errors);
    }
  }
  return map;
}

// Takes what is given instead of what follows from the name.
class NumberReader {
 public:
  NumberReader(const Item& item, language::ErrorList& errors) : item_(item), errors_(errors) {}

  void read(const char* key, double& value) {
    if (!item_.has(key)) return;
    value = item_.number(key);
    any_ = true;
  }

  void readBelowOne(const char* key, double& value) {
    read(key, value);
    if (!item_.has(key) || value < 1.0) return;
    errors_.add(item_.placeOf(key), std::string(key) + ": must be below 1",
                "at 1 the new value drops out of the scheme");
  }

  bool any() const { return any_; }

 private:
  const Item& item_;
  language::ErrorList& errors_;
  bool any_ = false;
};

bool readNumbers(const Item& item, solve::MotionScheme& scheme, language::ErrorList& errors) {
  NumberReader reader(item, errors);
  reader.readBelowOne("alpha_m", scheme.alphaM);
  reader.readBelowOne("alpha_f", scheme.alphaF);
  reader.read("beta", scheme.beta);
  reader.read("gamma", scheme.gamma);
  return reader.any();
}

bool readNumbers(const Item& item, solve::StateScheme& scheme, language::ErrorList& errors) {
  NumberReader reader(item, errors);
  reader.readBelowOne("delta_m", scheme.deltaM);
  reader.readBelowOne("delta_f", scheme.deltaF);
  reader.read("theta", scheme.theta);
  return reader.any();
}

// By name, or by a map of numbers; numbers of their own options win over both. Gives the name.
template <class Scheme, class Make>
std::string readScheme(const Item& item, const char* key, const Make& make, Scheme& scheme,
                       language::ErrorList& errors) {
  std::string name = kGivenScheme;
  if (const auto* word = std::get_if<std::string>(&item.at(key).data)) {
    const base::Result<Scheme> made = make(*word, item.number("rho"));
    if (made) {
      scheme = made.value();
    } else {
      errors.add(item.placeOf(key), key, made.failure());
    }
    name = *word;
  } else {
    readNumbers(item.child(key), scheme, errors);
  }
  return readNumbers(item, scheme, errors) ? kGivenScheme : name;
}

SchemeRequest makeRequest(const Item& item, language::ErrorList& errors) {
  SchemeRequest request;
  request.rho = item.number("rho");
  request.motionName =
      readScheme(item, "motion", solve::makeMotionScheme, request.scheme.motion, errors);
  request.stateName =
      readScheme(item, "state", solve::makeStateScheme, request.scheme.state, errors);
  request.system = {.zeta = item.number("zeta"),
                    .bandwidth = item.number("bandwidth"),
                    .positionGain = item.number("position_gain"),
                    .velocityGain = item.number("velocity_gain")};
  request.range = {item.number("from"), item.number("to"), item.integer("count")};
  if (request.range.from >= request.range.to) {
    const bool fromGiven = item.placeOf("from").file != nullptr;
    errors.add(item.placeOf(fromGiven ? "from" : "to"), "from: must be less than 'to'",
               "they are the ends of the frequency range, 1e-2 and 1e4 by default");
  }
  return request;
}

}  // namespace

const std::vector<language::OptionHelp>& schemeOptions() {
  static const std::vector<language::OptionHelp> options = [] {
    std::vector<language::OptionHelp> all = language::describeOptions(parametersOf());
    all.push_back(
        {"scheme", "methods for motion and states, as in a model: \"{motion: ch, state: jwh}\""});
    return all;
  }();
  return options;
}

SchemeRequest readSchemeRequest(const std::vector<language::OptionText>& options) {
  language::ErrorList errors;
  const language::RawMap map = collect(options, errors);
  const language::ParameterTable none;
  system::ValueMap values =
      language::ValueReader(none, errors).readMap(map, parametersOf(), "", {});
  errors.raiseIfAny();
  SchemeRequest request = makeRequest(Item("", "scheme", "", {}, std::move(values)), errors);
  errors.raiseIfAny();
  return request;
}

}  // namespace flexloop::reports
