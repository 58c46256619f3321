// Rigid bodies, couplings, equations and multi-point constraints of an .inp file.
#include "fem/mesh/abaqus/abaqus_parser.hpp"
#include "fem/mesh/number_text.hpp"

namespace flexloop::fem {

bool AbaqusParser::beginRigidBody() {
  if (!require("REF NODE")) return false;
  if (!refuse({"ANALYTICAL SURFACE", "PIN NSET", "TIE NSET"})) return false;
  if (has("NSET") == has("ELSET")) return fail("*RIGID BODY needs either NSET= or ELSET=");
  deck_.rigidBodies.push_back({scoped(valueOf("NSET")), scoped(valueOf("ELSET")),
                               valueOf("REF NODE"), valueOf("ROT NODE"), place_});
  return true;
}

bool AbaqusParser::beginCoupling() {
  if (!require("REF NODE") || !require("SURFACE")) return false;
  if (!refuse({"ORIENTATION", "INFLUENCE RADIUS"})) return false;
  AbaqusCoupling coupling;
  coupling.surface = valueOf("SURFACE");
  coupling.reference = valueOf("REF NODE");
  coupling.place = place_;
  deck_.couplings.push_back(coupling);
  return true;
}

bool AbaqusParser::beginKinematic() {
  if (deck_.couplings.empty() || deck_.couplings.back().hasKind) {
    return fail(std::string("*") + keyword_->name + " must follow *COUPLING");
  }
  deck_.couplings.back().hasKind = true;
  return true;
}

bool AbaqusParser::beginDistributing() {
  if (!beginKinematic()) return false;
  deck_.couplings.back().isDistributing = true;
  const std::string weights = toUpper(valueOf("WEIGHTING METHOD"));
  if (weights.empty() || weights == "UNIFORM") return true;
  return fail("the weighting method " + weights + " is not supported", "UNIFORM is");
}

// First and last component.
bool AbaqusParser::addKinematic() {
  if (fields_.empty()) return true;
  const auto first = integer(0, "first component");
  const auto last = !first ? first : fields_.size() > 1 ? integer(1, "last component") : first;
  if (!first || !last) return false;
  if (*first < 1 || *last > 6 || *last < *first)
    return fail("components are 1 to 6, the first before the last");
  for (std::int64_t i = *first; i <= *last; ++i) deck_.couplings.back().components |= 1U << (i - 1);
  return true;
}

bool AbaqusParser::beginEquation() {
  if (has("INPUT")) return fail("INPUT of *EQUATION is not supported");
  return true;
}

// The number of terms, then node, component and factor of each.
bool AbaqusParser::addEquation() {
  const bool isNew = deck_.equations.empty() ||
                     deck_.equations.back().terms.size() == deck_.equations.back().count;
  if (isNew) {
    const auto count = integer(0, "number of terms");
    if (!count) return false;
    if (*count < 1 || *count > 1'000'000) return fail("an equation has one term at least");
    deck_.equations.push_back({{}, static_cast<std::size_t>(*count), place_});
    return true;
  }
  AbaqusEquation& equation = deck_.equations.back();
  for (std::size_t i = 0; i < fields_.size(); i += 3) {
    if (equation.terms.size() == equation.count)
      return fail("the equation has more terms than it says");
    const auto component = integer(i + 1, "component");
    const auto factor = component ? real(i + 2, "factor") : std::nullopt;
    if (!component || !factor) return false;
    if (*component < 1 || *component > 6) return fail("components are 1 to 6");
    std::string node = field(i);
    if (const auto id = nodeNumber(node)) node = std::to_string(*id);
    equation.terms.push_back({node, static_cast<int>(*component), *factor});
  }
  return true;
}

bool AbaqusParser::endEquation() {
  if (deck_.equations.empty()) return true;
  const AbaqusEquation& equation = deck_.equations.back();
  if (equation.terms.size() == equation.count) return true;
  return builder_.fail(equation.place, "the equation has " + std::to_string(equation.terms.size()) +
                                           " terms and says " + std::to_string(equation.count));
}

bool AbaqusParser::addPair() {
  const std::string type = toUpper(field(0));
  if (type != "BEAM" && type != "TIE" && type != "PIN") {
    return fail("the constraint '" + type + "' of *MPC is not supported", "BEAM, TIE and PIN are");
  }
  if (fields_.size() != 3)
    return fail("*MPC of type " + type + " takes two nodes or sets: type, follower, leader");
  deck_.pairs.push_back({type, field(1), field(2), place_});
  return true;
}

bool AbaqusParser::beginTransform() {
  if (!require("NSET")) return false;
  deck_.transformed.push_back(scoped(valueOf("NSET")));
  warnOnce("*TRANSFORM is not used: components are along the axes of the part");
  return true;
}

}  // namespace flexloop::fem
