#include "analysis/check/massless_findings.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/check/massless_motion.hpp"

namespace flexloop::analysis {
namespace {

using system::Item;

constexpr std::size_t kMostFreedoms = 6;  // that are listed
constexpr std::size_t kMostFindings = 10;

class Explanation {
 public:
  Explanation(const model::Model& model, const MasslessMotion& motion)
      : model_(model), motion_(motion) {
    for (const int n : motion.nodes) names_.push_back(model.system().nodes()[n].name);
  }

  void add(base::Diagnostics& diagnostics) const {
    if (const Item* beam = findMasslessBeam()) return addBeam(*beam, diagnostics);
    if (const Item* body = findBody()) return addBody(*body, diagnostics);
    addNodes(diagnostics);
  }

 private:
  bool contains(const std::string& node) const {
    return std::find(names_.begin(), names_.end(), node) != names_.end();
  }

  // One whose both ends and inner nodes all take part: it moves without mass.
  const Item* findMasslessBeam() const {
    for (const Item& item : model_.description().items) {
      if (item.section() != "beams") continue;
      const std::string prefix = item.name() + ".";
      const bool hasInner = std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
        return name.starts_with(prefix);
      });
      if (hasInner ||
          (names_.size() > 1 && contains(item.text("from")) && contains(item.text("to"))))
        return &item;
    }
    return nullptr;
  }

  const Item* findBody() const {
    for (const Item& item : model_.description().items) {
      if (item.section() == "bodies" && contains(item.text("node"))) return &item;
    }
    return nullptr;
  }

  // Whether nothing but translations takes part.
  bool moves() const {
    return std::none_of(motion_.freedoms.begin(), motion_.freedoms.end(),
                        [&](int u) { return model_.system().isRotation(system::UnknownIndex{u}); });
  }

  // The joint at one of the nodes, if there is exactly one.
  const Item* findJoint() const {
    const Item* found = nullptr;
    for (const Item& item : model_.description().items) {
      if (item.section() != "joints" || !item.has("between")) continue;
      const std::vector<std::string> nodes = item.names("between");
      if (std::none_of(nodes.begin(), nodes.end(), [&](const auto& n) { return contains(n); })) {
        continue;
      }
      if (found != nullptr) return nullptr;
      found = &item;
    }
    return found;
  }

  // `A rz`, `B x, B y and others`.
  std::string listFreedoms() const {
    constexpr std::string_view kPrefix = "motion of ";
    std::string text;
    for (std::size_t i = 0; i < motion_.freedoms.size() && i < kMostFreedoms; ++i) {
      const std::string name =
          model_.system().unknownName(system::UnknownIndex{motion_.freedoms[i]});
      text += (i > 0 ? ", " : "") + name.substr(name.starts_with(kPrefix) ? kPrefix.size() : 0);
    }
    return text + (motion_.freedoms.size() > kMostFreedoms ? " and others" : "");
  }

  void addBeam(const Item& beam, base::Diagnostics& diagnostics) const {
    std::string hint = "give its section 'rhoA' and 'rhoJ'";
    if (beam.has("material"))
      hint = "give material '" + beam.text("material") + "' a density 'rho'";
    diagnostics.addError(beam.place(),
                         "beams." + beam.name() +
                             ": the beam has no mass, and nothing else determines its motion (" +
                             listFreedoms() + ")",
                         hint + ", or hold the beam by joints or springs");
  }

  void addBody(const Item& body, base::Diagnostics& diagnostics) const {
    const bool hasMass = body.number("mass") > 0.0;
    const bool turns = hasMass || motion_.isRotation;
    const Item* joint = findJoint();
    std::string message = "bodies." + body.name() + ": ";
    message +=
        joint != nullptr ? "joint '" + joint->name() + "' allows the body to " : "the body can ";
    message += turns ? "rotate, but it has no inertia about that axis"
                     : "move, but it has neither mass nor inertia there";
    message += "; nothing else determines this motion (" + listFreedoms() + ")";
    diagnostics.addError(
        body.place(), message,
        std::string(turns ? "give it an 'inertia: [xx, yy, zz]'"
                          : "give it a 'mass' and an 'inertia'") +
            ", or remove the freedom from its node with 'free'" +
            (turns && motion_.count == 3 ? ": a point mass needs 'free: [x, y, z]'" : ""));
  }

  void addNodes(base::Diagnostics& diagnostics) const {
    const Item* node = nullptr;
    for (const Item& item : model_.description().items) {
      if (item.section() == "nodes" && contains(item.name()) && node == nullptr) node = &item;
    }
    const std::string& name = node != nullptr ? node->name() : names_.front();
    std::string who = "nodes." + name + ": the node";
    if (names_.size() > 1) {
      who += " and " + std::to_string(names_.size() - 1) + " more that move with it have no mass";
    } else {
      who += motion_.isRotation ? " has no inertia"
             : moves()          ? " has no mass"
                                : " has no mass or inertia";
    }
    diagnostics.addError(
        node != nullptr ? node->place() : base::Place{},
        who + ", and nothing else determines its motion (" + listFreedoms() + ")",
        "attach a body to it, connect it to one, or remove the freedoms with 'free'");
  }

  const model::Model& model_;
  const MasslessMotion& motion_;
  std::vector<std::string> names_;
};

}  // namespace

base::Diagnostics explainMasslessMotions(const model::Model& model) {
  base::Diagnostics diagnostics;
  const auto motions = findMasslessMotions(*model.borrowMachine(), model.start());
  for (std::size_t i = 0; i < motions.size() && i < kMostFindings; ++i) {
    Explanation(model, motions[i]).add(diagnostics);
  }
  if (motions.size() > kMostFindings) {
    diagnostics.addError({std::make_shared<const std::string>(model.description().file), 0, 0},
                         std::to_string(motions.size() - kMostFindings) +
                             " more parts have no inertia in directions in which they can move");
  }
  return diagnostics;
}

}  // namespace flexloop::analysis
