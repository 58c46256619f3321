#include "analysis/modes/mode_description.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using system::Item;
using system::Kind;

constexpr double kTold = 1e-3;         // shares below are not listed
constexpr double kNamed = 0.2;         // share of the energy that a part needs to give its name
constexpr double kQuasiStatic = 0.02;  // kinetic share below which a real root is of a controller
constexpr double kMoving = 1e-6;       // motion of a shape whose largest entry is one
constexpr double kNoDamping = 1e-14;   // parts of the damping ratio that are round-off
constexpr double kRoundOff = 1e-6;     // of the sum of the parts of the damping ratio
constexpr int kFreedoms = 3;           // that are listed

void sortShares(std::vector<Share>& shares) {
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
}

std::string listOf(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " + ") + word;
  return text;
}

// What round-off in the forms of stiff elements has left over, by the sizes of the shares.
void closeBalance(double sum, std::vector<Share>& shares) {
  double size = 0.0;
  for (const Share& share : shares) {
    sum -= share.value;
    size += std::abs(share.value);
  }
  if (!(std::abs(sum) < kRoundOff * size)) return;
  for (Share& share : shares) share.value += sum * std::abs(share.value) / size;
}

// The joint between two nodes whose sides move most against each other.
struct JointMotion {
  const Item* joint = nullptr;
  double size = 0.0;
};

// Whether a rotation is all that the joint leaves free.
bool onlyTurns(const Item& joint) {
  return joint.facts().freedoms == 1 && !joint.facts().hasTranslation;
}
bool onlySlides(const Item& joint) {
  return joint.facts().freedoms == 1 && !joint.facts().hasRotation;
}

class Describer {
 public:
  Describer(const model::Model& model, const system::State& state) : model_(model), state_(state) {
    for (const Item& item : model.description().items) items_[item.section()][item.name()] = &item;
  }

  ModeDescription describe(const Mode& mode, const ModeForms& forms, bool damped) const {
    ModeDescription text;
    const ItemForms total = forms.total();
    addEnergies(forms, total, text);
    if (damped) addDamping(forms, total, text);
    text.name = nameOf(mode, forms, text);
    return text;
  }

 private:
  const Item* find(const std::string& section, const std::string& name) const {
    const auto part = items_.find(section);
    if (part == items_.end()) return nullptr;
    const auto found = part->second.find(name);
    return found != part->second.end() ? found->second : nullptr;
  }
  bool isActuator(const std::string& name) const { return find("actuators", name) != nullptr; }

  void addEnergies(const ModeForms& forms, const ItemForms& total, ModeDescription& text) const {
    const double factor = std::norm(forms.s);
    double control = 0.0, work = 0.0;
    for (const auto& [name, item] : forms.items) {
      if (!isActuator(name)) continue;
      control += calcControlStiffness(forms.s, item.control);
      work += std::abs(item.control);
    }
    const double kinetic = factor * total.mass.real(), strain = total.stiffness.real();
    const double size = std::abs(kinetic) + std::abs(strain) + std::abs(control);
    // What does not move has no energies but round-off.
    const bool rests = size == 0.0 || forms.s == 0.0;
    text.kinetic = rests ? 0.0 : kinetic / size;
    text.strain = rests ? 0.0 : strain / size;
    text.control = rests ? 0.0 : control / size;
    double stored = 0.0;
    for (const auto& [name, item] : forms.items) {
      stored += std::abs(item.stiffness.real());
      if (isActuator(name)) stored += std::abs(calcControlStiffness(forms.s, item.control));
    }
    for (const auto& [name, item] : forms.items) {
      const double m = total.mass.real() != 0.0 ? item.mass.real() / total.mass.real() : 0.0;
      if (std::abs(m) > kTold) text.bodies.push_back({name, m});
      if (rests) continue;
      const double k = stored > 0.0 ? item.stiffness.real() / stored : 0.0;
      if (std::abs(k) > kTold) text.springs.push_back({name, k});
      const double all = std::abs(kinetic) + std::abs(strain) + work;
      const double q = isActuator(name) && all > 0.0 ? std::abs(item.control) / all : 0.0;
      if (q > kTold) text.loops.push_back({name, q});
    }
    const double moved = forms.freedoms.sum();
    for (int u = 0; u < forms.freedoms.size() && moved != 0.0; ++u) {
      const double share = forms.freedoms[u] / moved;
      if (share > kTold) text.freedoms.push_back({model_.system().unknownName({u}), share});
    }
    for (auto* shares : {&text.bodies, &text.springs, &text.loops, &text.freedoms}) {
      sortShares(*shares);
    }
    if (static_cast<int>(text.freedoms.size()) > kFreedoms) text.freedoms.resize(kFreedoms);
  }

  void addDamping(const ModeForms& forms, const ItemForms& total, ModeDescription& text) const {
    for (const auto& [name, item] : forms.items) {
      const double share = calcDampingShare(forms, total, item);
      if (std::isfinite(share) && std::abs(share) > kNoDamping)
        text.damping.push_back({name, share});
    }
    closeBalance(-forms.s.real() / std::abs(forms.s), text.damping);
    sortShares(text.damping);
  }

  std::string nameOf(const Mode& mode, const ModeForms& forms, const ModeDescription& text) const {
    const std::string state = largestState(mode);
    const bool follows = forms.s.imag() == 0.0 && std::abs(text.kinetic) < kQuasiStatic &&
                         std::abs(text.control) > kTold;
    if (!state.empty() && (!moves(mode) || follows)) return "controller state of " + state;
    if (!moves(mode)) return "no motion";
    const std::string first = text.bodies.empty() ? "the machine" : text.bodies.front().name;
    if (mode.eigenvalue == 0.0) return "free motion of " + first;
    std::vector<std::string> words;
    for (const Share& share : text.springs) {
      if (share.value < kNamed || find("beams", share.name) == nullptr) continue;
      words.push_back(share.name + " " + deformationOf(forms.items.at(share.name)));
    }
    if (words.empty()) words.push_back(rigidMotionOf(mode, first));
    for (const Share& share : text.springs) {
      if (share.value < kNamed) continue;
      if (find("springs", share.name) != nullptr) words.push_back("spring " + share.name);
      if (find("joints", share.name) != nullptr) words.push_back("joint " + share.name);
    }
    for (const Share& share : text.loops) {
      if (share.value >= kNamed / 2.0) words.push_back(servoOf(share.name));
    }
    return listOf(words);
  }

  bool moves(const Mode& mode) const {
    for (int u = 0; u < mode.shape.size(); ++u) {
      const bool isMotion = model_.system().kinds()[u] == Kind::kMotion;
      if (isMotion && std::abs(mode.shape[u]) > kMoving) return true;
    }
    return false;
  }

  // The block with the largest state.
  std::string largestState(const Mode& mode) const {
    int largest = -1;
    for (int u = 0; u < mode.shape.size(); ++u) {
      if (model_.system().kinds()[u] != Kind::kState || mode.shape[u] == 0.0) continue;
      if (largest < 0 || std::abs(mode.shape[u]) > std::abs(mode.shape[largest])) largest = u;
    }
    if (largest < 0) return "";
    const std::string name = model_.system().unknownName({largest});
    return name.substr(0, name.rfind(" state"));
  }

  static std::string deformationOf(const ItemForms& beam) {
    const double all = beam.stiffness.real();
    if (beam.torsion > 0.5 * all) return "torsion";
    if (beam.stretch > 0.5 * all) return "stretching";
    return "bending";
  }

  std::string servoOf(const std::string& actuator) const {
    const Item* item = find("actuators", actuator);
    return (item->has("joint") ? item->text("joint") : actuator) + " servo";
  }

  // Displacement and turn of a node in ground axes.
  Eigen::VectorXcd twistOf(const Mode& mode, int node) const {
    const system::Node& n = model_.system().nodes()[node];
    Eigen::VectorXcd twist = Eigen::VectorXcd::Zero(6);
    if (n.count == 0) return twist;
    const Eigen::MatrixXd A = system::calcMap(n, state_.frames[node]).leftCols(n.count);
    const Eigen::VectorXcd local = A.cast<Complex>() * mode.shape.segment(n.firstUnknown, n.count);
    const Eigen::Matrix3cd R = state_.frames[node].R.cast<Complex>();
    twist.head(3) = R * local.head(3);
    twist.tail(3) = R * local.tail(3);
    return twist;
  }

  std::string rigidMotionOf(const Mode& mode, const std::string& body) const {
    std::set<int> nodes;
    for (const auto& set : model_.system().sets()) {
      for (int e = 0; e < set->size(); ++e) {
        if (set->name(e) != body || find("joints", body) != nullptr) continue;
        for (int k = 0; k < set->nodes(e); ++k) nodes.insert(set->node(e, k).value);
      }
    }
    JointMotion best;
    for (const auto& set : model_.system().sets()) {
      for (int e = 0; e < set->size(); ++e) {
        if (set->nodes(e) == 2) considerJoint(*set, e, nodes, mode, best);
      }
    }
    if (best.joint == nullptr) return "motion of " + body;
    const std::string& name = best.joint->name();
    if (onlyTurns(*best.joint)) return "rigid swing of " + body + " about " + name;
    if (onlySlides(*best.joint)) return "rigid slide of " + body + " along " + name;
    return "rigid motion of " + body + " in " + name;
  }

  void considerJoint(const system::ElementSet& set, int e, const std::set<int>& nodes,
                     const Mode& mode, JointMotion& best) const {
    const Item* joint = find("joints", set.name(e));
    const int a = set.node(e, 0).value, b = set.node(e, 1).value;
    if (joint == nullptr || (!nodes.contains(a) && !nodes.contains(b))) return;
    const Eigen::VectorXcd between = twistOf(mode, b) - twistOf(mode, a);
    const double size = onlyTurns(*joint) ? between.tail(3).norm() : between.head(3).norm();
    if (size > std::max(best.size, kTold)) best = {joint, size};
  }

  const model::Model& model_;
  const system::State& state_;
  std::map<std::string, std::map<std::string, const Item*>> items_;  // by section and name
};

}  // namespace

std::vector<ModeDescription> describeModes(const model::Model& model, const system::State& state,
                                           const std::vector<Mode>& modes, bool damped) {
  const std::vector<ModeForms> forms = calcModeForms(model, state, modes);
  const Describer describer(model, state);
  std::vector<ModeDescription> texts;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    texts.push_back(describer.describe(modes[i], forms[i], damped));
  }
  return texts;
}

}  // namespace flexloop::analysis
