#include "system/parameter_makers.hpp"

#include <utility>

namespace flexloop::system {
namespace {

Parameter make(std::string name, Shape shape, std::string doc, base::Dimension dimension = {}) {
  return Parameter{
      .name = std::move(name), .shape = shape, .doc = std::move(doc), .dimension = dimension};
}

}  // namespace

Parameter number(std::string name, base::Dimension dimension, std::string doc) {
  return make(std::move(name), Shape::kNumber, std::move(doc), dimension);
}

Parameter numbers(std::string name, base::Dimension dimension, std::string doc) {
  return make(std::move(name), Shape::kNumbers, std::move(doc), dimension);
}

Parameter vector(std::string name, base::Dimension dimension, std::string doc) {
  return make(std::move(name), Shape::kVector, std::move(doc), dimension);
}

Parameter matrix(std::string name, std::string doc) {
  return make(std::move(name), Shape::kMatrix, std::move(doc));
}

Parameter boolean(std::string name, std::string doc) {
  return withDefault(make(std::move(name), Shape::kBoolean, std::move(doc)), "false");
}

Parameter text(std::string name, std::string doc) {
  return make(std::move(name), Shape::kText, std::move(doc));
}

Parameter choice(std::string name, std::vector<std::string> choices, std::string doc) {
  Parameter parameter = make(std::move(name), Shape::kChoice, std::move(doc));
  parameter.choices = std::move(choices);
  return parameter;
}

Parameter node(std::string name, std::string doc) {
  return make(std::move(name), Shape::kNode, std::move(doc));
}

Parameter nodePair(std::string name, std::string doc) {
  return make(std::move(name), Shape::kNodePair, std::move(doc));
}

Parameter thing(std::string name, std::string section, std::string doc) {
  Parameter parameter = make(std::move(name), Shape::kName, std::move(doc));
  parameter.refersTo = std::move(section);
  return parameter;
}

Parameter signal(std::string name, base::Dimension dimension, std::string doc) {
  return make(std::move(name), Shape::kSignal, std::move(doc), dimension);
}

Parameter signals(std::string name, std::string doc) {
  return make(std::move(name), Shape::kSignals, std::move(doc), base::kDimensionless);
}

Parameter namedSignals(std::string name, std::string doc) {
  return make(std::move(name), Shape::kNamedSignals, std::move(doc), base::kDimensionless);
}

Parameter byName(std::string name, Parameter each, std::string doc) {
  Parameter parameter = make(std::move(name), Shape::kByName, std::move(doc));
  parameter.fields = {std::move(each)};
  return parameter;
}

Parameter map(std::string name, std::vector<Parameter> fields, std::string doc) {
  Parameter parameter = make(std::move(name), Shape::kMap, std::move(doc));
  parameter.fields = std::move(fields);
  return parameter;
}

Parameter required(Parameter parameter) {
  parameter.required = true;
  return parameter;
}

Parameter positive(Parameter parameter) {
  parameter.lower = 0.0;
  parameter.lowerOpen = true;
  return parameter;
}

Parameter notNegative(Parameter parameter) {
  parameter.lower = 0.0;
  return parameter;
}

Parameter nonZero(Parameter parameter) {
  parameter.nonZero = true;
  return parameter;
}

Parameter anyUnit(Parameter parameter) {
  parameter.anyDimension = true;
  return parameter;
}

Parameter counted(Parameter parameter, int count) {
  parameter.count = count;
  return parameter;
}

Parameter changingEnergy(Parameter parameter) {
  parameter.changesEnergy = true;
  return parameter;
}

Parameter withDefault(Parameter parameter, std::string text) {
  parameter.defaultText = std::move(text);
  return parameter;
}

Parameter withNote(Parameter parameter, std::string note) {
  parameter.defaultNote = std::move(note);
  return parameter;
}

Parameter groundPoint(Parameter parameter) {
  parameter.placing = Placing::kPoint;
  return parameter;
}

Parameter groundDirection(Parameter parameter) {
  parameter.placing = Placing::kDirection;
  return parameter;
}

Parameter ownAxes(Parameter parameter) {
  parameter.placing = Placing::kNone;
  return parameter;
}

Parameter groundRotation(std::string name, std::string doc) {
  Parameter parameter =
      map(std::move(name),
          {required(nonZero(ownAxes(vector("axis", {}, "axis of the rotation, ground axes")))),
           required(number("angle", base::kAngle, "right-handed angle about it"))},
          std::move(doc));
  parameter.placing = Placing::kRotation;
  return parameter;
}

Parameter inAxesOf(Parameter parameter, std::vector<std::string> keys) {
  parameter.axesKeys = std::move(keys);
  return parameter;
}

std::vector<Parameter> joined(std::vector<Parameter> first, const std::vector<Parameter>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace flexloop::system
