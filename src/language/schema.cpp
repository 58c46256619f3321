#include "language/schema.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/json.hpp"
#include "language/item_reader.hpp"
#include "language/unit_name.hpp"
#include "language/yaml/yaml_tree.hpp"
#include "system/node.hpp"

namespace flexloop::language {
namespace {

using Json = nlohmann::ordered_json;
using system::Parameter;
using system::Registry;
using system::Shape;
using system::TypeEntry;

constexpr const char* kExpressionPattern = R"(^\s*=)";
constexpr const char* kQuantityPattern =
    R"(^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*[A-Za-z°%µμΩ1(][^\s=]*(\s+[^\s=]+)*\s*$)";
constexpr const char* kBlocks = "blocks";
constexpr const char* kNamePattern = R"(^(?!ground$)[^-\s@.][^\s@.]*$)";

Json refer(const std::string& definition) {
  return {{"$ref", "#/$defs/" + definition}};
}

Json scalarToJson(const std::string& text) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    const bool whole = number == std::round(number) && std::abs(number) < 1e15;
    return whole ? Json(static_cast<long long>(number)) : Json(number);
  }
  if (text == "true" || text == "false") return text == "true";
  return text;
}

Json toJson(const RawNode& node) {
  if (const RawScalar* scalar = node.scalar()) return scalarToJson(scalar->text);
  if (const RawList* list = node.list()) {
    Json array = Json::array();
    for (const RawNode& entry : *list) array.push_back(toJson(entry));
    return array;
  }
  Json object = Json::object();
  if (const RawMap* map = node.map()) {
    for (const RawEntry& entry : *map) object[entry.key] = toJson(entry.value);
  }
  return object;
}

// A number as such, with a unit, or as an expression.
Json makeNumber(const Parameter& parameter, const char* type = "number") {
  Json number{{"type", type}};
  if (std::isfinite(parameter.lower)) {
    number[parameter.lowerOpen ? "exclusiveMinimum" : "minimum"] = parameter.lower;
  }
  if (std::isfinite(parameter.upper)) number["maximum"] = parameter.upper;
  return {{"anyOf", {number, refer("quantity"), refer("expression")}}};
}

Json makeList(Json items, int count = 0) {
  Json list{{"type", "array"}, {"items", std::move(items)}};
  if (count > 0) list["minItems"] = list["maxItems"] = count;
  return list;
}

// Where a single value may replace a list of one.
Json makeListOrOne(const Json& items) {
  return {{"anyOf", {makeList(items), items}}};
}

Json makeNumbers(const Parameter& parameter) {
  const Json number = makeNumber(parameter);
  if (parameter.shape == Shape::kVector) {
    return {{"anyOf", {makeList(number, 3), refer("column_of_file")}}};
  }
  if (parameter.counts.empty() && parameter.count > 1) return makeList(number, parameter.count);
  if (parameter.counts.empty()) return makeListOrOne(number);
  Json lists = Json::array();
  for (const int count : parameter.counts) lists.push_back(makeList(number, count));
  lists.push_back(refer("column_of_file"));
  return {{"anyOf", lists}};
}

Json makeNamedSignals() {
  const Json map{{"type", "object"}, {"additionalProperties", refer("signal")}};
  return {{"anyOf", {map, makeList(refer("signal")), refer("signal")}}};
}

Json makeFields(const std::vector<Parameter>& parameters);
Json makeParameter(const Parameter& parameter);

Json makeChoice(const Parameter& parameter) {
  Json words{{"enum", parameter.choices}};
  if (parameter.fields.empty()) return words;
  return {{"anyOf", {words, makeFields(parameter.fields)}}};
}

Json makeShape(const Parameter& parameter) {
  switch (parameter.shape) {
    case Shape::kNumber:
      if (parameter.fields.empty()) return makeNumber(parameter);
      return {{"anyOf", {makeNumber(parameter), makeFields(parameter.fields)}}};
    case Shape::kInteger:
      return makeNumber(parameter, "integer");
    case Shape::kBoolean:
      return {{"anyOf", {{{"type", "boolean"}}, refer("expression")}}};
    case Shape::kText:
      if (!parameter.anyDimension) return refer("text");
      return {{"anyOf", {refer("text"), {{"type", "array"}}}}};
    case Shape::kChoice:
      return makeChoice(parameter);
    case Shape::kVector:
    case Shape::kNumbers:
      return makeNumbers(parameter);
    case Shape::kMatrix:
      return {{"anyOf",
               {makeList(makeList(makeNumber(parameter))), makeNumber(parameter),
                refer("matrix_of_file")}}};
    case Shape::kNode:
      return refer("node");
    case Shape::kNodePair:
      return makeList(refer("node"), 2);
    case Shape::kName:
      return refer("name");
    case Shape::kSignal:
      return refer("signal");
    case Shape::kNamedSignals:
      return makeNamedSignals();
    case Shape::kExpression:
      return refer("formula");
    case Shape::kMap:
      return makeFields(parameter.fields);
    case Shape::kByName:
      return {{"type", "object"},
              {"additionalProperties", makeParameter(parameter.fields.front())}};
    case Shape::kSignals:
      return makeListOrOne(refer("signal"));
    case Shape::kTexts:
      return makeListOrOne(refer("text"));
    case Shape::kChoices:
      return makeListOrOne(makeChoice(parameter));
    case Shape::kNames:
      return makeListOrOne(refer("name"));
    case Shape::kNodes:
      return makeListOrOne(refer("node"));
  }
  return Json::object();
}

Json makeParameter(const Parameter& parameter) {
  Json schema = makeShape(parameter);
  std::string text = parameter.doc;
  const std::string unit = unitNameOf(parameter);
  if (!unit.empty()) text += " [" + unit + "]";
  if (!parameter.defaultNote.empty()) text += ". Default: " + parameter.defaultNote;
  schema["description"] = text;
  if (!parameter.defaultText.empty()) {
    ErrorList errors;
    schema["default"] = toJson(parseYaml(parameter.defaultText, nullptr, errors, false));
  }
  return schema;
}

Json makeFields(const std::vector<Parameter>& parameters) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Parameter& parameter : parameters) {
    properties[parameter.name] = makeParameter(parameter);
    if (parameter.required) required.push_back(parameter.name);
  }
  Json schema{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

std::string definitionOf(const TypeEntry& entry) {
  return entry.type.empty() ? entry.section : entry.section + "." + entry.type;
}

// The lists of the type are there, or a file that has them as columns.
void addFileColumns(const TypeEntry& entry, Json& schema) {
  Json& properties = schema["properties"];
  properties["file"] = {
      {"type", "string"},
      {"description", "file of numbers, relative to this one, instead of the lists"}};
  properties["columns"] = makeListOrOne(refer("name"));
  properties["columns"]["description"] = "its columns for the lists, by name or number from 1 on";
  properties["variable"] = refer("name");
  properties["variable"]["description"] = "of a .mat or .h5 file";
  Json always = Json::array();
  for (const Json& name : schema["required"]) {
    const bool isList = std::find(entry.fileColumns.begin(), entry.fileColumns.end(),
                                  name.get<std::string>()) != entry.fileColumns.end();
    if (!isList) always.push_back(name);
  }
  schema["required"] = always;
  schema["anyOf"] = {{{"required", entry.fileColumns}}, {{"required", {"file"}}}};
}

Json makeType(const TypeEntry& entry) {
  Json schema = makeFields(entry.parameters);
  if (!entry.type.empty() && entry.section != "analysis") {
    schema["properties"][std::string(typeKeyOf(entry.section))] = {{"const", entry.type}};
  }
  schema["description"] = entry.doc;
  if (!entry.fileColumns.empty()) addFileColumns(entry, schema);
  return schema;
}

// Every word that is no type of the registry may be the name of a diagram.
void addDiagramUse(const Json& words, const std::string& key, Json& item) {
  item["properties"][key] = {
      {"anyOf", {{{"enum", words}}, {{"type", "string"}, {"pattern", kNamePattern}}}}};
  const Json isDiagram{{"properties", {{key, {{"not", {{"enum", words}}}}}}}, {"required", {key}}};
  item["allOf"].push_back({{"if", isDiagram}, {"then", refer("diagram_use")}});
}

// The type decides which keys are possible; editors follow `if` better than a long `oneOf`.
Json makeItem(const std::string& section, const Registry& registry) {
  const std::string key(typeKeyOf(section));
  if (registry.find(section, "") != nullptr && registry.typesOf(section).size() == 1) {
    Json item = refer(section);
    if (section != "nodes") return item;
    return {{"anyOf", {refer("vector"), item}}};
  }
  Json branches = Json::array();
  Json words = Json::array();
  for (const TypeEntry& entry : registry.entries()) {
    if (entry.section != section || entry.type.empty()) continue;
    words.push_back(entry.type);
    const Json isType{{"properties", {{key, {{"const", entry.type}}}}}, {"required", {key}}};
    branches.push_back({{"if", isType}, {"then", refer(definitionOf(entry))}});
  }
  Json item{{"type", "object"}, {"properties", {{key, {{"enum", words}}}}}, {"allOf", branches}};
  if (registry.find(section, "") == nullptr) item["required"] = {key};
  if (section == kBlocks) addDiagramUse(words, key, item);
  return item;
}

Json makeNamed(Json item) {
  return {{"type", {"object", "null"}},
          {"propertyNames", {{"pattern", kNamePattern}}},
          {"additionalProperties", std::move(item)}};
}

Json makeSection(const std::string& section, const Registry& registry);

void addDiagramDefinitions(Json& definitions, const Registry& registry) {
  const auto describe = [](Json schema, const char* text) {
    schema["description"] = text;
    return schema;
  };
  const Json numbers = makeNamed(refer("number"));
  const Json defaults = makeNamed({{"anyOf", {refer("number"), {{"type", "null"}}}}});
  const Json ports{{"anyOf", {makeNamed(refer("signal")), makeListOrOne(refer("name"))}}};
  definitions["block"] = makeItem(kBlocks, registry);
  definitions["diagram"] = {
      {"type", "object"},
      {"description", "A group of blocks with ports, used like a type of block."},
      {"properties",
       {{"inputs", describe(makeListOrOne(refer("name")), "names of the input ports")},
        {"outputs",
         describe(ports, "output ports and the signals of the diagram that they expose")},
        {"parameters", describe(defaults, "parameters with their defaults")},
        {"blocks", describe(makeNamed(refer("block")), "the blocks of the diagram")}}},
      {"required", {"outputs", "blocks"}},
      {"additionalProperties", false}};
  definitions["diagram_use"] = {
      {"type", "object"},
      {"description", "A use of a diagram of this model."},
      {"properties",
       {{"type", refer("name")},
        {"inputs", describe(makeNamed(refer("signal")), "what is connected to each input port")},
        {"parameters", describe(numbers, "values instead of the defaults")}}},
      {"additionalProperties", false}};
}

// Every section but those that a model has once may be inside an assembly.
void addAssemblyDefinition(Json& definitions, const Registry& registry) {
  Json parameters = makeNamed({{"anyOf", {refer("number"), {{"type", "null"}}}}});
  parameters["description"] = "parameters with their defaults";
  Json properties{{"parameters", parameters}};
  for (const std::string& section : registry.sections()) {
    if (section != "analysis") properties[section] = makeSection(section, registry);
  }
  definitions["assembly"] = {
      {"type", {"object", "null"}},
      {"description", "A group of things that is defined once and placed by instances."},
      {"properties", properties},
      {"additionalProperties", false}};
}

Json makeFileDefinition(const char* columnKey, Json column, const char* text) {
  return {{"type", "object"},
          {"description", text},
          {"properties",
           {{"file", {{"type", "string"}}},
            {"variable", refer("name")},
            {columnKey, std::move(column)}}},
          {"required", {"file"}},
          {"additionalProperties", false}};
}

Json makeSection(const std::string& section, const Registry& registry) {
  if (section == kBlocks) return makeNamed(refer("block"));
  if (section != "analysis") return makeNamed(makeItem(section, registry));
  Json properties = Json::object();
  for (const TypeEntry& entry : registry.entries()) {
    if (entry.section == section) properties[entry.type] = refer(definitionOf(entry));
  }
  return {
      {"type", {"object", "null"}}, {"properties", properties}, {"additionalProperties", false}};
}

Json makeDefinitions(const Registry& registry) {
  const Json number = {{"anyOf", {{{"type", "number"}}, refer("quantity"), refer("expression")}}};
  Json definitions{
      {"expression",
       {{"type", "string"},
        {"pattern", kExpressionPattern},
        {"description", "= expression of parameters"}}},
      {"quantity",
       {{"type", "string"},
        {"pattern", kQuantityPattern},
        {"description", "a number with a unit, such as 150 mm"}}},
      {"number", number},
      {"vector", makeList(refer("number"), 3)},
      {"text", {{"type", {"string", "number", "boolean"}}}},
      {"name", {{"type", {"string", "number"}}}},
      {"node",
       {{"type", {"string", "number"}},
        {"description", "ground, a node, an inner node beam.3 or a point beam@0.5"}}},
      {"signal",
       {{"type", {"string", "number"}},
        {"description", "a sensor, a block or an actuator, NAME.PORT, NAME.rate, or a number"}}},
      {"formula", {{"type", {"string", "number"}}, {"description", "an expression"}}}};
  for (const TypeEntry& entry : registry.entries())
    definitions[definitionOf(entry)] = makeType(entry);
  addDiagramDefinitions(definitions, registry);
  addAssemblyDefinition(definitions, registry);
  definitions["column_of_file"] =
      makeFileDefinition("column", refer("name"), "numbers from a column of a file");
  definitions["matrix_of_file"] =
      makeFileDefinition("columns", makeListOrOne(refer("name")), "a matrix from a file");
  return definitions;
}

Json makeOutputs(const Registry& registry) {
  Json output = Json::array({refer("signal")});
  for (const TypeEntry& entry : registry.entries()) {
    if (entry.section != "sensors") continue;
    Json sensor = makeType(entry);
    sensor["properties"]["name"] = refer("name");
    sensor["required"].push_back("name");
    sensor["required"].push_back("measure");
    output.push_back(std::move(sensor));
  }
  return makeListOrOne({{"anyOf", output}});
}

}  // namespace

std::string makeSchema(const Registry& registry) {
  Json properties{
      {"flexloop", {{"const", 1}, {"description", "version of the model language"}}},
      {"title", refer("text")},
      {"include", makeListOrOne({{"type", "string"}})},
      {"parameters", {{"type", {"object", "null"}}, {"additionalProperties", refer("number")}}},
      {"gravity", refer("vector")},
      {"formulation",
       {{"enum", system::formulationWords()},
        {"description", "formulation of nodes that do not set their own; default: local"}}}};
  for (const std::string& section : registry.sections()) {
    properties[section] = makeSection(section, registry);
  }
  properties["diagrams"] = makeNamed(refer("diagram"));
  properties["assemblies"] = makeNamed(refer("assembly"));
  properties["outputs"] = makeOutputs(registry);
  const Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                    {"$id", "urn:flexloop:model:1"},
                    {"title", "Flexloop model"},
                    {"type", "object"},
                    {"required", {"flexloop"}},
                    {"properties", properties},
                    {"additionalProperties", false},
                    {"$defs", makeDefinitions(registry)}};
  return schema.dump(2) + "\n";
}

}  // namespace flexloop::language
