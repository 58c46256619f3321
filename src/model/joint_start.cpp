#include "model/joint_start.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <set>
#include <utility>

#include <Eigen/QR>

#include "control/block_set.hpp"
#include "math/se3.hpp"
#include "model/build.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/redundancy.hpp"

namespace flexloop::model {
namespace {

using math::Frame;
using math::Vec3;
using math::Vec6;
using system::Item;
using system::NodeIndex;
using system::State;
using system::Value;
using system::ValueMap;

constexpr double kLargestStage = 0.5;  // [rad], so that turns are counted
constexpr int kFewStages = 4;
constexpr double kHeld = 1e-9;  // share of a velocity that a node has not the freedom for

// The coordinate of a joint that has a `start` or `start_rate`.
struct Coordinate {
  const Item* joint = nullptr;
  std::string group;  // the map of the options; empty: the joint itself
  bool turns = false;
  double start = 0.0, rate = 0.0;
  bool hasRate = false;
  base::Place place;
  NodeIndex first, second;
  Vec3<double> axis, at;    // in the axes of the first node
  double pitch = 0.0;       // displacement per radian
  std::vector<bool> moved;  // nodes that hang on the second; empty: in a loop
  double sign = 1.0;        // -1: on the first, where the second is tied to what cannot move
};

std::string nameOf(const Coordinate& c) {
  return "joints." + c.joint->name() + (c.group.empty() ? "" : "." + c.group);
}

class JointStart {
 public:
  JointStart(const Description& description, const system::Registry& registry,
             const system::Builder& builder, const system::System& system,
             base::Diagnostics& diagnostics)
      : description_(description),
        registry_(registry),
        builder_(builder),
        system_(system),
        diagnostics_(diagnostics),
        state_(system.start()) {}

  State find() {
    for (const Item& item : description_.items) {
      if (item.section() == "joints") readJoint(item);
    }
    if (!coordinates_.empty() && !diagnostics_.hasErrors()) move();
    return std::move(state_);
  }

 private:
  void readJoint(const Item& item) {
    const bool slides = item.type() == "slider";
    readCoordinate(item, item, "", !slides);
    if (item.has("rotation")) readCoordinate(item, item.child("rotation"), "rotation", true);
    if (item.has("translation")) {
      readCoordinate(item, item.child("translation"), "translation", false);
    }
  }

  void readCoordinate(const Item& joint, const Item& options, const std::string& group,
                      bool turns) {
    if (!options.has("start") && !options.has("start_rate")) return;
    const auto* attachment = builder_.findAttachment("joints", joint.name());
    if (attachment == nullptr || attachment->set == nullptr) return;
    Coordinate c;
    c.joint = &joint;
    c.group = group;
    c.turns = turns;
    c.start = options.number("start", 0.0);
    c.rate = options.number("start_rate", 0.0);
    c.hasRate = options.has("start_rate");
    c.place = options.placeOf(options.has("start") ? "start" : "start_rate");
    if (options.has("drive")) {
      diagnostics_.addError(c.place, nameOf(c) + ": driven and given a start at once",
                            "the drive says where it starts; remove 'start' and 'start_rate'");
      return;
    }
    if (c.hasRate && c.rate != 0.0 && options.boolean("locked", false)) {
      diagnostics_.addError(c.place, nameOf(c) + ": locked and given a rate at once",
                            "remove 'locked' or 'start_rate'");
      return;
    }
    c.first = attachment->set->node(attachment->element, 0);
    c.second = attachment->set->node(attachment->element, 1);
    const Frame<double>& A = system_.node(c.first).start;
    const bool isGround = c.second.value == system::kGround.value;
    const Vec3<double> at = joint.has("at") ? Vec3<double>(joint.vector("at"))
                            : isGround      ? system_.node(c.first).start.x
                                            : system_.node(c.second).start.x;
    c.axis = A.R.transpose() * joint.vector("axis").normalized();
    c.at = A.R.transpose() * (at - A.x);
    c.pitch = joint.type() == "screw" ? joint.number("pitch") / (2.0 * std::numbers::pi) : 0.0;
    c.moved = findMoved(c, c.second.value, c.first.value);
    if (c.moved.empty()) {
      c.moved = findMoved(c, c.first.value, c.second.value);
      if (!c.moved.empty()) c.sign = -1.0;
    }
    coordinates_.push_back(std::move(c));
  }

  bool isHeld(int node) const { return system_.nodes()[node].count == 0; }

  // The nodes that joints and beams tie to one of the ends, without the joint itself; of springs, what
  // nothing else ties. Empty if the other end or what cannot move is among them.
  std::vector<bool> findMoved(const Coordinate& c, int end, int other) const {
    std::vector<bool> moved = flood(c, end);
    for (std::size_t n = 0; n < moved.size(); ++n) {
      if (moved[n] && (isHeld(static_cast<int>(n)) || static_cast<int>(n) == other)) return {};
    }
    addSprung(c, other, moved);
    return moved;
  }

  std::vector<bool> flood(const Coordinate& c, int from) const {
    std::vector<bool> reached(system_.nodes().size(), false);
    std::vector<int> open{from};
    reached[from] = true;
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      // Through what cannot move, nothing is tied to anything.
      if (isHeld(at) && at != from) continue;
      for (const auto& [a, b, name, isJoint] : ties()) {
        if (isJoint && name == c.joint->name()) continue;
        const int next = a == at ? b : b == at ? a : -1;
        if (next < 0 || reached[next]) continue;
        reached[next] = true;
        open.push_back(next);
      }
    }
    return reached;
  }

  void addSprung(const Coordinate& c, int other, std::vector<bool>& moved) const {
    for (bool grows = true; grows;) {
      grows = false;
      for (const auto& [a, b] : springs()) {
        if (moved[a] == moved[b]) continue;
        const int outside = moved[a] ? b : a;
        const std::vector<bool> tied = flood(c, outside);
        bool isFree = !isHeld(outside) && !tied[other];
        for (std::size_t n = 0; n < tied.size(); ++n) {
          isFree = isFree && !(tied[n] && (isHeld(static_cast<int>(n)) || moved[n]));
        }
        if (!isFree) continue;
        for (std::size_t n = 0; n < tied.size(); ++n) moved[n] = moved[n] || tied[n];
        grows = true;
      }
    }
  }

  struct Tie {
    int a, b;
    std::string name;
    bool isJoint;
  };

  // Of joints and beams, by their elements.
  const std::vector<Tie>& ties() const {
    if (!ties_.empty()) return ties_;
    for (const Item& item : description_.items) {
      const bool isJoint = item.section() == "joints", isBeam = item.section() == "beams";
      if (isJoint || isBeam) addTies(item.section(), item.name(), isJoint);
    }
    return ties_;
  }

  void addTies(const std::string& section, const std::string& name, bool isJoint) const {
    const auto* attachment = builder_.findAttachment(section, name);
    if (attachment == nullptr || attachment->set == nullptr) return;
    for (int e = attachment->element; e < attachment->element + attachment->count; ++e) {
      for (int k = 1; k < attachment->set->nodesPerElement(); ++k) {
        ties_.push_back(
            {attachment->set->node(e, 0).value, attachment->set->node(e, k).value, name, isJoint});
      }
    }
  }

  std::vector<std::pair<int, int>> springs() const {
    std::vector<std::pair<int, int>> pairs;
    for (const Item& item : description_.items) {
      if (item.section() != "springs") continue;
      const auto* attachment = builder_.findAttachment("springs", item.name());
      if (attachment == nullptr || attachment->set->nodesPerElement() != 2) continue;
      pairs.emplace_back(attachment->set->node(attachment->element, 0).value,
                         attachment->set->node(attachment->element, 1).value);
    }
    return pairs;
  }

  // The machine of nodes, bodies, beams and joints alone, with the coordinates driven from where the nodes
  // are placed, at t = 0, to their start, at t = 1, where they have their rate.
  Description makeDriven() const {
    static const std::set<std::string> kKept{"materials", "sections", "nodes",
                                             "bodies",    "beams",    "joints"};
    Description driven;
    driven.file = description_.file;
    driven.formulation = description_.formulation;
    driven.outputsGiven = true;
    for (const Item& item : description_.items) {
      if (!kKept.contains(item.section())) continue;
      driven.items.push_back(item);
      if (item.section() == "joints") release(driven.items.back().values());
    }
    for (const Coordinate& c : coordinates_) addDrive(c, driven);
    if (hasLoops()) weldBeams(driven);
    return driven;
  }

  // Takes out what this page is about; drives of the model hold their joints meanwhile.
  static void release(ValueMap& values) {
    const auto has = [](const std::string& name) {
      return [name](const system::NamedValue& entry) { return entry.name == name; };
    };
    for (system::NamedValue& entry : values) {
      const bool isOptions = entry.name == "rotation" || entry.name == "translation";
      if (auto* map = std::get_if<ValueMap>(&entry.value.data); map != nullptr && isOptions) {
        release(*map);
      }
    }
    std::erase_if(values, has("start"));
    std::erase_if(values, has("start_rate"));
    const auto drive = std::find_if(values.begin(), values.end(), has("drive"));
    if (drive == values.end()) return;
    if (!std::holds_alternative<std::string>(drive->value.data)) return;
    const base::Place place = drive->value.place;
    values.erase(drive);
    std::erase_if(values, has("locked"));
    values.push_back({"locked", {place, true}});
  }

  void addDrive(const Coordinate& c, Description& driven) const {
    const std::string signal = "start of " + c.joint->name() + c.group;
    char text[200];
    std::snprintf(text, sizeof text, "t < 1 ? (%.17g)*t : (%.17g) + (%.17g)*(t - 1)", c.start,
                  c.start, c.rate);
    driven.items.emplace_back("blocks", signal, "expression", c.place,
                              ValueMap{{"value", {c.place, std::string(text)}}});
    const auto joint = std::find_if(driven.items.begin(), driven.items.end(), [&](const Item& i) {
      return i.section() == "joints" && i.name() == c.joint->name();
    });
    ValueMap* values = &joint->values();
    for (system::NamedValue& entry : *values) {
      if (!c.group.empty() && entry.name == c.group) {
        values = &std::get<ValueMap>(entry.value.data);
        break;
      }
    }
    std::erase_if(*values, [](const system::NamedValue& entry) { return entry.name == "locked"; });
    values->push_back({"drive", {c.place, signal}});
  }

  bool hasLoops() const {
    return std::any_of(coordinates_.begin(), coordinates_.end(),
                       [](const Coordinate& c) { return c.moved.empty(); });
  }

  // Beams do not bend while a loop is closed.
  void weldBeams(Description& driven) const {
    int count = 0;
    for (const Tie& tie : ties()) {
      if (tie.isJoint) continue;
      const auto node = [&](int n) { return Value{{}, system_.nodes()[n].name}; };
      driven.items.emplace_back(
          "joints", tie.name + " stiff " + std::to_string(++count), "weld", base::Place{},
          ValueMap{{"between", {{}, system::ValueList{node(tie.a), node(tie.b)}}}});
    }
  }

  void move() {
    const Model driven = buildModel(makeDriven(), registry_);
    system::Assembler assembler(driven.system());
    State at = driven.system().start();
    const Eigen::VectorXd rates = at.rate;
    const solve::RedundancyReport redundancy = solve::analyzeRedundancy(assembler, at);
    solve::MassSystem massSystem(assembler);
    massSystem.setRedundancy(redundancy);
    const int stages = countStages();
    for (int k = 1; k <= stages; ++k) {
      for (const Coordinate& c : coordinates_) moveTree(c, c.start / stages, at);
      at.time = static_cast<double>(k) / stages;
      at.rate = rates;
      if (k == stages) {
        for (const Coordinate& c : coordinates_) addRates(driven.system(), c, at);
      }
      const solve::StartReport report = solve::makeConsistent(assembler, massSystem, at);
      if (!report.ok) return fail(report.trouble);
      assembler.updateHistory(at);
      state_.frames = at.frames;
      countTurns();
    }
    takeRates(driven.system(), at);
  }

  int countStages() const {
    double stages = hasLoops() ? kFewStages : 1.0;
    for (const Coordinate& c : coordinates_) {
      if (c.turns) stages = std::max(stages, std::ceil(std::abs(c.start) / kLargestStage));
    }
    return static_cast<int>(stages);
  }

  void fail(const std::string& trouble) {
    const Coordinate& c = coordinates_.front();
    diagnostics_.addError(c.place, nameOf(c) + ": the start cannot be reached: " + trouble,
                          "try a start that the mechanism can be moved to");
  }

  // The velocity field of what hangs on the second node, for a rate of one, in ground axes.
  Vec6<double> calcField(const Coordinate& c, const State& at) const {
    const Frame<double>& A = at.frames[c.first.value];
    const Vec3<double> axis = A.R * c.axis;
    const Vec3<double> place = A.x + A.R * c.at;
    if (!c.turns) return c.sign * math::joined<double>(axis, Vec3<double>::Zero());
    return c.sign * math::joined<double>(math::cross<double>(place, axis) + c.pitch * axis, axis);
  }

  void moveTree(const Coordinate& c, double by, State& at) const {
    if (c.moved.empty() || by == 0.0) return;
    const Frame<double> G = math::expSE3<double>(Vec6<double>(by * calcField(c, at)));
    for (std::size_t n = 0; n < c.moved.size(); ++n) {
      if (c.moved[n]) at.frames[n] = math::compose<double>(G, at.frames[n]);
    }
  }

  void addRates(const system::System& system, const Coordinate& c, State& at) {
    if (c.moved.empty()) return;
    const Vec6<double> field = calcField(c, at);
    for (std::size_t n = 0; n < c.moved.size(); ++n) {
      const system::Node& node = system.nodes()[n];
      if (!c.moved[n] || node.count == 0) continue;
      const Vec6<double> twist = math::applyAdjointInverse<double>(at.frames[n], field);
      const Eigen::MatrixXd A = system::calcMap(node, at.frames[n]).leftCols(node.count);
      const Eigen::VectorXd u = A.colPivHouseholderQr().solve(Eigen::VectorXd(twist));
      if ((A * u - twist).norm() > kHeld * std::max(twist.norm(), 1e-300) &&
          !diagnostics_.hasErrors()) {
        diagnostics_.addError(c.place,
                              nameOf(c) + ": the node '" + node.name +
                                  "' has not the freedoms to move along with the joint",
                              "give it more freedoms by 'free'");
      }
      at.rate.segment(node.firstUnknown, node.count) += c.rate * u;
    }
  }

  // Hinges count their turns from stage to stage.
  void countTurns() {
    system::Assembler assembler(system_);
    const system::Motion& motion = assembler.calcMotion(state_);
    const control::BlockSet* blocks = control::findBlocks(system_);
    for (const auto& set : system_.sets()) {
      if (set.get() != blocks) set->updateHistory(motion, state_);
    }
  }

  void takeRates(const system::System& driven, const State& at) {
    const bool hasRate = std::any_of(coordinates_.begin(), coordinates_.end(),
                                     [](const Coordinate& c) { return c.hasRate; });
    if (!hasRate) return;
    for (std::size_t n = 0; n < system_.nodes().size(); ++n) {
      const system::Node& to = system_.nodes()[n];
      const system::Node& from = driven.nodes()[n];
      state_.rate.segment(to.firstUnknown, to.count) =
          at.rate.segment(from.firstUnknown, from.count);
    }
  }

  const Description& description_;
  const system::Registry& registry_;
  const system::Builder& builder_;
  const system::System& system_;
  base::Diagnostics& diagnostics_;
  State state_;
  std::vector<Coordinate> coordinates_;
  mutable std::vector<Tie> ties_;
};

}  // namespace

State moveToJointStarts(const Description& description, const system::Registry& registry,
                        const system::Builder& builder, const system::System& system,
                        base::Diagnostics& diagnostics) {
  return JointStart(description, registry, builder, system, diagnostics).find();
}

}  // namespace flexloop::model
