// RBE2, RBE3, RBAR and MPC of Nastran bulk data.
#include "fem/mesh/nastran/nastran_parser.hpp"
#include "fem/mesh/number_text.hpp"

namespace flexloop::fem {

bool NastranParser::readRigid() {
  RawSpider raw;
  const auto id = integer(0, "number of the element"),
             reference = id ? integer(1, "independent node") : id;
  if (!reference) return false;
  const auto bits = components(2);
  if (!bits) return false;
  // The last number may be the thermal expansion of the rigid links.
  std::size_t last = card_.fields.size();
  while (last > 3 && isGiven(last - 1) && !isInteger(last - 1) &&
         parseReal(card_.fields[last - 1])) {
    warnOnce("RBE2: thermal expansion of rigid elements is not used");
    --last;
  }
  raw.name = "RBE2 " + text(0);
  raw.nodes.name = raw.name;
  if (!addIds(raw.nodes, 3, last)) return false;
  if (raw.nodes.ranges.empty()) return fail("element " + text(0) + " has no dependent node");
  raw.reference = *reference;
  raw.spider.components = *bits;
  raw.place = card_.place;
  spiders_.push_back(std::move(raw));
  return true;
}

// A weight, components, nodes; again from the next weight on. UM and ALPHA may follow.
bool NastranParser::readAveraging() {
  RawSpider raw;
  const auto id = integer(0, "number of the element"),
             reference = id ? integer(2, "reference node") : id;
  if (!reference) return false;
  const auto own = components(3);
  if (!own) return false;
  double weight = 0.0;
  unsigned common = 0;
  for (std::size_t i = 4; i < card_.fields.size(); ++i) {
    if (!isGiven(i)) continue;
    const std::string word = toUpper(text(i));
    if (word == "ALPHA") {
      warnOnce("RBE3: thermal expansion of spiders is not used");
      break;
    }
    if (word == "UM") return fail("element " + text(0) + ": UM is not supported");
    if (isInteger(i) && weight != 0.0) {
      raw.pairs.emplace_back(weight, *parseInteger(card_.fields[i]));
      continue;
    }
    const auto value = real(i, "weight");
    if (!value) return false;
    if (!(*value > 0.0)) return fail("element " + text(0) + ": weights must be positive");
    weight = *value;
    const auto bits = components(++i);
    if (!bits) return false;
    if (common != 0 && common != *bits) {
      return fail("element " + text(0) + ": all nodes must have the same components");
    }
    common = *bits;
  }
  if (raw.pairs.empty())
    return fail("element " + text(0) + " has no node beside its reference node");
  raw.spider.kind = Spider::Kind::kAveraging;
  raw.spider.components = common;
  raw.spider.referenceComponents = *own;
  raw.reference = *reference;
  raw.name = "RBE3 " + text(0);
  raw.place = card_.place;
  spiders_.push_back(std::move(raw));
  return true;
}

bool NastranParser::readRigidBar() {
  const auto id = integer(0, "number of the element"), first = id ? integer(1, "first node") : id,
             second = first ? integer(2, "second node") : first;
  if (!second) return false;
  const bool firstLeads = text(3) == "123456" && text(4).empty();
  const bool secondLeads = text(4) == "123456" && text(3).empty();
  const std::string dependent = firstLeads ? text(6) : text(5);
  if (!firstLeads && !secondLeads) {
    return fail("element " + text(0) + ": one node must have the independent components 123456");
  }
  RawSpider raw;
  raw.name = "RBAR " + text(0);
  raw.nodes.name = raw.name;
  raw.reference = firstLeads ? *first : *second;
  const std::int64_t follower = firstLeads ? *second : *first;
  raw.nodes.ranges.push_back({follower, follower, 1, card_.place});
  raw.place = card_.place;
  if (!dependent.empty() && dependent != "0") {
    const auto bits = components(firstLeads ? 6 : 5);
    if (!bits) return false;
    raw.spider.components = *bits;
  }
  spiders_.push_back(std::move(raw));
  return true;
}

// SID G1 C1 A1 G2 C2 A2, then on each further line a blank field, G3 C3 A3 G4 C4 A4.
bool NastranParser::readEquation() {
  RawEquation equation;
  const auto set = integer(0, "number of the set");
  if (!set) return false;
  equation.set = *set;
  equation.place = card_.place;
  for (std::size_t line = 0; line < card_.fields.size(); line += 8) {
    for (const std::size_t i : {line + 1, line + 4}) {
      if (!isGiven(i)) continue;
      const auto node = integer(i, "node"), component = node ? integer(i + 1, "component") : node;
      const auto factor = component ? real(i + 2, "factor") : std::nullopt;
      if (!factor) return false;
      if (*component < 1 || *component > 6) return fail("a component is a digit from 1 to 6");
      equation.terms.push_back({*node, static_cast<int>(*component) - 1, *factor});
    }
  }
  if (equation.terms.empty()) return fail("the equation has no terms");
  if (equation.terms.front().factor == 0.0) return fail("the first factor of the equation is zero");
  equations_.push_back(std::move(equation));
  return true;
}

bool NastranParser::readEquationSum() {
  const auto set = integer(0, "number of the set");
  if (!set) return false;
  for (std::size_t i = 1; i < card_.fields.size(); ++i) {
    if (!isGiven(i)) continue;
    const auto member = integer(i, "number of a set");
    if (!member) return false;
    equationSums_[*set].push_back(*member);
  }
  return true;
}

}  // namespace flexloop::fem
