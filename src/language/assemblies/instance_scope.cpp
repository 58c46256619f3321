#include "language/assemblies/instance_scope.hpp"

#include <algorithm>
#include <variant>

#include "language/signal_formula.hpp"
#include "math/so3.hpp"
#include "system/node_names.hpp"

namespace flexloop::language {

using math::Vec3;
using system::Placing;
using system::Shape;
using system::Value;
using system::ValueList;
using system::ValueMap;

namespace {

const Value* findValue(const ValueMap& values, const std::string& name) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& entry) { return entry.name == name; });
  return found == values.end() ? nullptr : &found->value;
}

// Of a rotation that could be read.
bool isRotation(const Value& value) {
  const ValueMap* map = std::get_if<ValueMap>(&value.data);
  return map != nullptr && findValue(*map, "axis") != nullptr &&
         findValue(*map, "angle") != nullptr;
}

math::Mat3<double> rotationOf(const Value& value) {
  const ValueMap& map = std::get<ValueMap>(value.data);
  const std::vector<double> axis = system::numbersOf(*findValue(map, "axis"));
  const double angle = std::get<double>(findValue(map, "angle")->data);
  return math::expSO3<double>(
      Vec3<double>(Vec3<double>(axis[0], axis[1], axis[2]).normalized() * angle));
}

ValueMap mapOf(const math::Mat3<double>& R, const base::Place& place) {
  const Vec3<double> rotation = math::logSO3<double>(R);
  const double angle = rotation.norm();
  const Vec3<double> axis = angle > 0.0 ? Vec3<double>(rotation / angle) : Vec3<double>::UnitZ();
  ValueList entries;
  for (int i = 0; i < 3; ++i) entries.push_back({place, axis[i]});
  return {{"axis", {place, std::move(entries)}}, {"angle", {place, angle}}};
}

// Whether a key beside a vector puts it into other axes than those of ground.
bool isInOtherAxes(const system::Parameter& parameter, const ValueMap& beside) {
  return std::any_of(parameter.axesKeys.begin(), parameter.axesKeys.end(),
                     [&](const std::string& key) {
                       const Value* value = findValue(beside, key);
                       if (value == nullptr) return false;
                       if (const bool* yes = std::get_if<bool>(&value->data)) return *yes;
                       return std::get<std::string>(value->data) != system::kGroundName;
                     });
}

}  // namespace

std::string InstanceScope::context() const {
  const std::string outer = outside_ != nullptr ? outside_->context() : "";
  const std::string own = outside_ != nullptr ? path_.substr(outside_->path_.size() + 1) : path_;
  return outer + "instances." + own + " (assembly " + assembly_.name + "): ";
}

void InstanceScope::setFrame(const system::Item& instance) {
  // What is missing was wrong and has been reported.
  if (instance.has("position")) frame_.x = instance.vector("position");
  isTurned_ = instance.has("rotation") && isRotation(instance.at("rotation"));
  if (!isTurned_) return;
  rotation_ = instance.at("rotation");
  frame_.R = rotationOf(rotation_);
}

std::string InstanceScope::nodeName(const std::string& name) const {
  const std::size_t sign = name.find_first_of(".@");
  const std::string first = name.substr(0, sign);
  for (const InstanceScope* scope = this; scope != nullptr; scope = scope->outside_) {
    const bool isOwn = sign == std::string::npos ? scope->assembly_.has("nodes", first)
                                                 : scope->assembly_.ownsNodes(first);
    if (isOwn) return scope->fullName(name);
  }
  return name;
}

std::string InstanceScope::signalName(const std::string& name) const {
  const bool hasSign = name.starts_with('-');
  const std::string whole = name.substr(hasSign ? 1 : 0);
  const std::string first = whole.substr(0, whole.find('.'));
  for (const InstanceScope* scope = this; scope != nullptr; scope = scope->outside_) {
    if (scope->assembly_.ownsSignal(first)) return (hasSign ? "-" : "") + scope->fullName(whole);
  }
  return name;
}

std::string InstanceScope::thingName(const std::string& section, const std::string& name) const {
  const std::size_t dot = name.find('.');
  const std::string first = name.substr(0, dot);
  const std::string owner = dot == std::string::npos ? section : "instances";
  for (const InstanceScope* scope = this; scope != nullptr; scope = scope->outside_) {
    if (scope->assembly_.has(owner, first)) return scope->fullName(name);
  }
  return name;
}

void InstanceScope::place(system::Item& item, const system::TypeEntry& type) const {
  placeValues(item.values(), type.parameters);
}

void InstanceScope::placeValues(ValueMap& values, const std::vector<Parameter>& fields) const {
  for (const Parameter& field : fields) {
    if (field.placing == Placing::kRotation) {
      if (isTurned_) turnRotation(values, field);
      continue;
    }
    const auto entry = std::find_if(values.begin(), values.end(),
                                    [&](const auto& value) { return value.name == field.name; });
    if (entry != values.end()) placeValue(entry->value, field, values);
  }
}

void InstanceScope::placeValue(Value& value, const Parameter& parameter,
                               const ValueMap& beside) const {
  const bool isPoint = parameter.placing == Placing::kPoint;
  if (isPoint || parameter.placing == Placing::kDirection) {
    if (!isInOtherAxes(parameter, beside)) move(value, isPoint);
  } else if (ValueMap* map = std::get_if<ValueMap>(&value.data)) {
    const bool isEachAlike = parameter.shape == Shape::kByName;
    if (!isEachAlike && parameter.shape != Shape::kNamedSignals) {
      return placeValues(*map, parameter.fields);
    }
    for (auto& [name, inner] : *map) {
      placeValue(inner, isEachAlike ? parameter.fields.front() : parameter, *map);
    }
  } else if (ValueList* list = std::get_if<ValueList>(&value.data)) {
    for (Value& entry : *list) {
      if (auto* text = std::get_if<std::string>(&entry.data)) placeText(*text, parameter);
    }
  } else if (auto* text = std::get_if<std::string>(&value.data)) {
    placeText(*text, parameter);
  }
}

void InstanceScope::placeText(std::string& text, const Parameter& parameter) const {
  switch (parameter.shape) {
    case Shape::kNode:
    case Shape::kNodePair:
    case Shape::kNodes:
      if (std::find(parameter.choices.begin(), parameter.choices.end(), text) ==
          parameter.choices.end()) {
        text = nodeName(text);
      }
      return;
    case Shape::kName:
    case Shape::kNames:
      text = thingName(parameter.refersTo, text);
      return;
    case Shape::kSignal:
    case Shape::kSignals:
    case Shape::kNamedSignals:
      text = signalName(text);
      return;
    case Shape::kExpression:
      if (parameter.namesSignals) {
        replaceSignalNames(text, parameter.choices,
                           [&](const std::string& name) { return signalName(name); });
      }
      return;
    default:
      return;
  }
}

void InstanceScope::move(Value& value, bool isPoint) const {
  ValueList& entries = std::get<ValueList>(value.data);
  Vec3<double> v;
  for (int i = 0; i < 3; ++i) v[i] = std::get<double>(entries[i].data);
  if (isTurned_) v = frame_.R * v;
  if (isPoint) v += frame_.x;
  for (int i = 0; i < 3; ++i) entries[i].data = v[i];
}

// Axes that are parallel to those of ground inside are parallel to those of the instance outside.
void InstanceScope::turnRotation(ValueMap& values, const Parameter& parameter) const {
  const auto entry = std::find_if(values.begin(), values.end(),
                                  [&](const auto& value) { return value.name == parameter.name; });
  if (entry == values.end()) {
    values.push_back({parameter.name, rotation_});
  } else if (isRotation(entry->value)) {
    entry->value.data = mapOf(frame_.R * rotationOf(entry->value), entry->value.place);
  }
}

}  // namespace flexloop::language
