// Short forms to write the parameters of a registry entry: a shape, then what is special about it,
//
//     required(positive(number("length", base::kLength, "distance of the two points")))
#pragma once

#include <string>
#include <vector>

#include "system/registry.hpp"

namespace flexloop::system {

Parameter number(std::string name, base::Dimension dimension, std::string doc);
Parameter numbers(std::string name, base::Dimension dimension, std::string doc);
Parameter vector(std::string name, base::Dimension dimension, std::string doc);
Parameter matrix(std::string name, std::string doc);
Parameter boolean(std::string name, std::string doc);  // false unless stated
Parameter text(std::string name, std::string doc);
Parameter choice(std::string name, std::vector<std::string> choices, std::string doc);
Parameter node(std::string name, std::string doc);
Parameter nodePair(std::string name, std::string doc);
Parameter thing(std::string name, std::string section, std::string doc);  // of another section
Parameter signal(std::string name, base::Dimension dimension, std::string doc);
Parameter signals(std::string name, std::string doc);       // a list, each with an optional sign
Parameter namedSignals(std::string name, std::string doc);  // {name: signal}, or a list
Parameter byName(std::string name, Parameter each, std::string doc);  // {name: what `each` says}
Parameter map(std::string name, std::vector<Parameter> fields, std::string doc);

Parameter required(Parameter parameter);
Parameter positive(Parameter parameter);
Parameter notNegative(Parameter parameter);
Parameter nonZero(Parameter parameter);
Parameter anyUnit(Parameter parameter);
Parameter counted(Parameter parameter, int count);
Parameter changingEnergy(Parameter parameter);                 // see Parameter::changesEnergy
Parameter withDefault(Parameter parameter, std::string text);  // in the model language
Parameter withNote(Parameter parameter, std::string note);     // what happens without it

// Of vectors: a point or a direction in ground axes, or in axes that a turned machine takes along; see Placing.
Parameter groundPoint(Parameter parameter);
Parameter groundDirection(Parameter parameter);
Parameter ownAxes(Parameter parameter);
// A map {axis, angle}: how axes are turned from those of ground.
Parameter groundRotation(std::string name, std::string doc);
// In other axes than those of ground where one of these keys says so.
Parameter inAxesOf(Parameter parameter, std::vector<std::string> keys);

// The lists one after the other.
std::vector<Parameter> joined(std::vector<Parameter> first, const std::vector<Parameter>& second);

}  // namespace flexloop::system
