// Parts and instances, nodes, elements, sets and surfaces of an .inp file.
#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "base/nearest_word.hpp"
#include "fem/mesh/abaqus/abaqus_parser.hpp"
#include "fem/mesh/abaqus/abaqus_types.hpp"
#include "fem/mesh/number_text.hpp"

namespace flexloop::fem {
namespace {

// Of all sets within sets: a chain in which each contains all before it would fill the memory.
constexpr std::size_t kMostCopied = 50'000'000;

}  // namespace

bool AbaqusParser::beginInclude() {
  return require("INPUT") && include(valueOf("INPUT"));
}

bool AbaqusParser::beginPart() {
  if (!require("NAME")) return false;
  if (instances_ > 1) {
    return fail(
        "the assembly has " + std::to_string(instances_) + " instances; a mesh file is one part",
        "write a file of each part, or merge the instances into one");
  }
  const std::string name = toUpper(valueOf("NAME"));
  if (instances_ == 1 && name != instancedPart_) {
    builder_.warn(place_, "the part '" + valueOf("NAME") + "' is not used: it has no instance");
    scope_ = Scope::kOtherPart;
  } else {
    scope_ = Scope::kPart;
  }
  return true;
}

bool AbaqusParser::endPart() {
  scope_ = Scope::kNone;
  return true;
}

bool AbaqusParser::beginAssembly() {
  if (instances_ > 1) return beginPart();
  scope_ = Scope::kAssembly;
  return true;
}

bool AbaqusParser::endAssembly() {
  scope_ = Scope::kNone;
  return true;
}

bool AbaqusParser::beginInstance() {
  scope_ = Scope::kInstance;
  instanceLines_ = 0;
  translation_.setZero();
  return true;
}

// First a translation, then an axis by two points and an angle in degrees about which the moved part turns.
bool AbaqusParser::addInstance() {
  ++instanceLines_;
  Eigen::Matrix<double, 7, 1> values = Eigen::Matrix<double, 7, 1>::Zero();
  for (int i = 0; i < (instanceLines_ == 1 ? 3 : 7); ++i) {
    const auto value = realOr(i, 0.0, "placement of the instance");
    if (!value) return false;
    values[i] = *value;
  }
  if (instanceLines_ == 1) {
    translation_ = values.head<3>();
    return true;
  }
  if (instanceLines_ > 2) return fail("an instance has at most two lines of placement");
  const Eigen::Vector3d axis = values.segment<3>(3) - values.head<3>();
  if (!(axis.norm() > 0.0)) return fail("the axis of the instance's rotation has no length");
  constexpr double kDegree = 3.14159265358979323846 / 180.0;
  axisFoot_ = values.head<3>();
  deck_.rotation = Eigen::AngleAxisd(values[6] * kDegree, axis.normalized()).toRotationMatrix();
  return true;
}

bool AbaqusParser::endInstance() {
  scope_ = Scope::kAssembly;
  const double unit = builder_.units().length;
  const Eigen::Vector3d foot = unit * axisFoot_, shift = unit * translation_;
  if (instanceLines_ == 0) return true;
  for (Eigen::Vector3d& point : builder_.mesh().points) {
    point += shift;
    if (instanceLines_ > 1) point = foot + deck_.rotation * (point - foot);
  }
  return true;
}

bool AbaqusParser::beginStep() {
  warnOnce("*STEP to *END STEP is not used: loads and steps do not belong to a part");
  isInStep_ = true;
  return true;
}

bool AbaqusParser::endStep() {
  if (!isInStep_) return fail("*END STEP without *STEP");
  isInStep_ = false;
  return true;
}

// Nodes of the assembly are numbered apart from those of the part.
std::optional<std::int64_t> AbaqusParser::nodeNumber(std::string_view text) {
  const std::string name = names_.withoutInstance(std::string(text));
  const std::optional<std::int64_t> id = parseInteger(name);
  if (!id || scope_ != Scope::kAssembly || has("INSTANCE") || name.size() != text.size()) return id;
  const auto found = assemblyIds_.find(*id);
  return found == assemblyIds_.end() ? *id : found->second;
}

bool AbaqusParser::beginNode() {
  if (!refuse({"SYSTEM"})) return false;
  set_ = has("NSET") ? &openSet(deck_.nodeSets, valueOf("NSET")) : nullptr;
  return !has("INPUT") || include(valueOf("INPUT"));
}

bool AbaqusParser::addNode() {
  auto id = integer(0, "number of the node");
  if (!id) return false;
  Eigen::Vector3d point;
  for (int i = 0; i < 3; ++i) {
    const auto value = realOr(i + 1, 0.0, "coordinate of the node");
    if (!value) return false;
    point[i] = *value;
  }
  if (scope_ == Scope::kAssembly && builder_.hasNode(*id)) {
    constexpr std::int64_t kFarAbove = 1'000'000'000;
    const std::int64_t free = kFarAbove + static_cast<std::int64_t>(assemblyIds_.size()) + 1;
    if (!assemblyIds_.emplace(*id, free).second)
      return fail("node " + field(0) + " is given twice");
    id = free;
  }
  if (set_ != nullptr) set_->ranges.push_back({*id, *id, 1, place_});
  return builder_.addNode(*id, point, place_);
}

bool AbaqusParser::beginElement() {
  if (!require("TYPE")) return false;
  const std::string name = toUpper(valueOf("TYPE"));
  type_ = findAbaqusType(name);
  if (type_ == nullptr) {
    const auto nearest = base::findNearestWord(name, listAbaqusTypes());
    return fail("the element type '" + name + "' is not supported",
                nearest ? "did you mean " + *nearest + "?"
                        : "solids C3D4 to C3D20, shells S3 to S8R, beams B31 and MASS are");
  }
  if (type_->isReduced) deck_.reducedTypes.insert(name);
  block_ = scoped(valueOf("ELSET"));
  blockSet_ = has("ELSET") ? &openSet(deck_.elementSets, valueOf("ELSET")) : nullptr;
  numbers_.clear();
  return !has("INPUT") || include(valueOf("INPUT"));
}

// An element of many nodes continues on the next line.
bool AbaqusParser::addElement() {
  if (numbers_.empty()) lastPlace_ = place_;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const auto number =
        numbers_.empty() ? integer(i, "number of the element") : nodeNumber(fields_[i]);
    if (!number)
      return builder_.hasFailed() ? false : fail("'" + field(i) + "' is no number of a node");
    numbers_.push_back(*number);
  }
  const int count = static_cast<int>(numbers_.size()) - 1;
  return count < type_->nodes || finishElement();
}

bool AbaqusParser::finishElement() {
  const int count = static_cast<int>(numbers_.size()) - 1;
  const std::int64_t id = numbers_[0];
  if (count != type_->nodes) {
    return builder_.fail(lastPlace_, "element " + std::to_string(id) + " has " +
                                         std::to_string(count) + " nodes; " + type_->name +
                                         " has " + std::to_string(type_->nodes));
  }
  if (blockSet_ != nullptr) blockSet_->ranges.push_back({id, id, 1, lastPlace_});
  if (type_->kind == AbaqusType::Kind::kNodes) {
    const AbaqusNodes element{type_, {numbers_.begin() + 1, numbers_.end()}, lastPlace_};
    if (!deck_.nodeElements.emplace(id, element).second) {
      return builder_.fail(lastPlace_, "element " + std::to_string(id) + " is given twice");
    }
  } else {
    const std::span<const std::int64_t> nodes(numbers_.data() + 1, nodeCount(type_->shape));
    if (builder_.addElement(type_->shape, id, nodes, lastPlace_) < 0) return false;
    deck_.typeOf.push_back(type_);
    deck_.blockOf.push_back(block_);
  }
  numbers_.clear();
  return true;
}

bool AbaqusParser::endElement() {
  return numbers_.empty() || finishElement();
}

// Part and assembly may use one name for different sets.
std::string AbaqusParser::scoped(const std::string& name) const {
  const bool isInPart = scope_ == Scope::kPart || scope_ == Scope::kInstance;
  if (deck_.instance.empty() || !isInPart || name.empty()) return toUpper(name);
  return deck_.instance + "." + toUpper(name);
}

IdSet& AbaqusParser::openSet(std::map<std::string, IdSet>& sets, const std::string& name) {
  IdSet& set = sets[scoped(name)];
  if (set.name.empty()) set.name = name;
  return set;
}

bool AbaqusParser::beginNodeSet() {
  if (!require("NSET")) return false;
  isOfNodes_ = true;
  isGenerated_ = has("GENERATE");
  set_ = &openSet(deck_.nodeSets, valueOf("NSET"));
  if (!has("ELSET")) return true;
  return fail("ELSET of *NSET is not supported",
              "an element set can be used in place of its nodes");
}

bool AbaqusParser::beginElementSet() {
  if (!require("ELSET")) return false;
  isOfNodes_ = false;
  isGenerated_ = has("GENERATE");
  set_ = &openSet(deck_.elementSets, valueOf("ELSET"));
  return true;
}

bool AbaqusParser::addRange() {
  IdRange range;
  const auto first = integer(0, "first number"), last = first ? integer(1, "last number") : first;
  if (!first || !last) return false;
  range = {*first, *last, 1, place_};
  if (fields_.size() > 2) {
    const auto step = integer(2, "step");
    if (!step) return false;
    range.step = *step;
  }
  if (range.step < 1 || range.last < range.first) {
    return fail("a generated set is given as first, last, step with first <= last and step >= 1");
  }
  set_->ranges.push_back(range);
  return true;
}

bool AbaqusParser::addToSet() {
  if (isGenerated_) return addRange();
  for (const std::string_view text : fields_) {
    const auto id =
        isOfNodes_ ? nodeNumber(text) : parseInteger(names_.withoutInstance(std::string(text)));
    if (id) {
      set_->ranges.push_back({*id, *id, 1, place_});
      continue;
    }
    const std::string name(text);
    const IdSet* other =
        isOfNodes_ ? names_.findNodeSet(scoped(name)) : names_.findElementSet(scoped(name));
    if (other == nullptr) {
      std::vector<std::string> known;
      for (const auto& set : isOfNodes_ ? deck_.nodeSets : deck_.elementSets)
        known.push_back(set.second.name);
      const auto nearest = base::findNearestWord(name, known);
      return fail("'" + name + "' is neither a number nor a set that is given above",
                  nearest ? "did you mean '" + *nearest + "'?" : "");
    }
    copied_ += other->ranges.size();
    if (copied_ > kMostCopied) {
      return fail("the sets of sets have more than " + std::to_string(kMostCopied) + " numbers",
                  "does each of them contain all sets before it?");
    }
    set_->add(*other);
  }
  return true;
}

bool AbaqusParser::beginSurface() {
  if (!require("NAME")) return false;
  const std::string type = toUpper(valueOf("TYPE"));
  if (!type.empty() && type != "NODE" && type != "ELEMENT") {
    return fail("surfaces of type " + type + " are not supported", "NODE and ELEMENT are");
  }
  deck_.surfaces.push_back({valueOf("NAME"), type == "NODE", {}});
  return true;
}

bool AbaqusParser::addToSurface() {
  AbaqusSurface& surface = deck_.surfaces.back();
  if (fields_.empty()) return true;
  surface.items.push_back({parseInteger(field(0)) ? field(0) : scoped(field(0)),
                           surface.isOfNodes ? std::string() : toUpper(field(1)), place_});
  return true;
}

}  // namespace flexloop::fem
