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
#include "model/joint_ties.hpp"
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

constexpr double kReached = 1e-6, kRounding = 1e-10;  // of a coordinate, and of angles and places

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
  std::vector<bool> stuck;  // nodes without the freedoms to move along
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
        ties_(description, builder, system),
        state_(system.start()) {}

  State find() {
    for (const Item& item : description_.items) {
      if (item.section() == "joints") readJoint(item);
    }
    if (!coordinates_.empty() && !diagnostics_.hasErrors()) {
      while (areStuck(state_)) {
      }
      while (!move()) state_ = system_.start();
    }
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
    c.stuck.resize(system_.nodes().size(), false);
    findMoved(c);
    coordinates_.push_back(std::move(c));
  }

  void findMoved(Coordinate& c) const {
    c.moved = ties_.findMoved(c.joint->name(), c.second.value, c.first.value, c.stuck);
    c.sign = 1.0;
    if (!c.moved.empty()) return;
    c.moved = ties_.findMoved(c.joint->name(), c.first.value, c.second.value, c.stuck);
    if (!c.moved.empty()) c.sign = -1.0;
  }

  // Whether nodes have not the freedoms to move along from where they are. They are remembered, and what moves is found
  // anew.
  bool areStuck(const State& at) {
    bool areAny = false;
    for (Coordinate& c : coordinates_) {
      if (c.moved.empty()) continue;
      const Vec6<double> field = calcField(c, at);
      bool isAny = false;
      for (std::size_t n = 0; n < c.moved.size(); ++n) {
        if (!c.moved[n] || isFree(system_.nodes()[n], at.frames[n], field)) continue;
        c.stuck[n] = true;
        isAny = true;
      }
      if (isAny) findMoved(c);
      areAny = areAny || isAny;
    }
    return areAny;
  }

  static bool isFree(const system::Node& node, const Frame<double>& frame,
                     const Vec6<double>& field) {
    const Vec6<double> twist = math::applyAdjointInverse<double>(frame, field);
    const Eigen::MatrixXd A = system::calcMap(node, frame).leftCols(node.count);
    const Vec6<double> off = A * solveRates(A, twist) - twist;
    const double turn = field.tail<3>().norm();
    return off.head<3>().norm() <= kHeld * (field.head<3>().norm() + turn * frame.x.norm()) &&
           off.tail<3>().norm() <= kHeld * turn;
  }

  static Eigen::VectorXd solveRates(const Eigen::MatrixXd& A, const Vec6<double>& twist) {
    return A.colPivHouseholderQr().solve(Eigen::VectorXd(twist));
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
    for (const JointTies::Tie& tie : ties_.ties()) {
      if (tie.isJoint) continue;
      const auto node = [&](int n) { return Value{{}, system_.nodes()[n].name}; };
      driven.items.emplace_back(
          "joints", tie.name + " stiff " + std::to_string(++count), "weld", base::Place{},
          ValueMap{{"between", {{}, system::ValueList{node(tie.a), node(tie.b)}}}});
    }
  }

  // False if nodes could not move along as was thought.
  bool move() {
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
      if (areStuck(at)) return false;
      at.time = static_cast<double>(k) / stages;
      at.rate = rates;
      if (k == stages) {
        for (const Coordinate& c : coordinates_) addRates(driven.system(), c, at);
      }
      const solve::StartReport report = solve::makeConsistent(assembler, massSystem, at);
      if (!report.ok) {
        fail(report.trouble);
        return true;
      }
      assembler.updateHistory(at);
      state_.frames = at.frames;
      countTurns();
    }
    for (const Coordinate& c : coordinates_) {
      if (!isReached(c)) fail("nothing that is free to move changes it");
    }
    takeRates(driven.system(), at);
    return true;
  }

  int countStages() const {
    double stages = hasLoops() ? kFewStages : 1.0;
    for (const Coordinate& c : coordinates_) {
      if (c.turns) stages = std::max(stages, std::ceil(std::abs(c.start) / kLargestStage));
    }
    return static_cast<int>(stages);
  }

  void fail(const std::string& trouble) {
    const auto lacking = std::find_if(coordinates_.begin(), coordinates_.end(), [](const auto& c) {
      return c.moved.empty() && std::find(c.stuck.begin(), c.stuck.end(), true) != c.stuck.end();
    });
    if (diagnostics_.hasErrors()) return;
    const bool lacks = lacking != coordinates_.end();
    const Coordinate& c = lacks ? *lacking : coordinates_.front();
    std::string text = nameOf(c) + ": the start cannot be reached: " + trouble;
    if (lacks) {
      const auto stuck = std::find(c.stuck.begin(), c.stuck.end(), true) - c.stuck.begin();
      text += "; the node '" + system_.nodes()[stuck].name +
              "' has not the freedoms to move along with the joint";
    }
    diagnostics_.addError(c.place, text,
                          lacks ? "give it more freedoms by 'free'"
                                : "try a start that the mechanism can be moved to");
  }

  // The velocity field of what hangs on the second node, for a rate of one, in ground axes.
  static Vec6<double> calcField(const Coordinate& c, const State& at) {
    const Frame<double>& A = at.frames[c.first.value];
    const Vec3<double> axis = A.R * c.axis;
    const Vec3<double> place = A.x + A.R * c.at;
    if (!c.turns) return c.sign * math::joined<double>(axis, Vec3<double>::Zero());
    return c.sign * math::joined<double>(math::cross<double>(place, axis) + c.pitch * axis, axis);
  }

  static void moveTree(const Coordinate& c, double by, State& at) {
    if (c.moved.empty() || by == 0.0) return;
    const Frame<double> G = math::expSE3<double>(Vec6<double>(by * calcField(c, at)));
    for (std::size_t n = 0; n < c.moved.size(); ++n) {
      if (c.moved[n]) at.frames[n] = math::compose<double>(G, at.frames[n]);
    }
  }

  static void addRates(const system::System& system, const Coordinate& c, State& at) {
    if (c.moved.empty()) return;
    const Vec6<double> field = calcField(c, at);
    for (std::size_t n = 0; n < c.moved.size(); ++n) {
      const system::Node& node = system.nodes()[n];
      if (!c.moved[n] || node.count == 0) continue;
      const Vec6<double> twist = math::applyAdjointInverse<double>(at.frames[n], field);
      const Eigen::MatrixXd A = system::calcMap(node, at.frames[n]).leftCols(node.count);
      at.rate.segment(node.firstUnknown, node.count) += c.rate * solveRates(A, twist);
    }
  }

  // A coordinate that depends on no freedom at all leaves no constraint that can be closed.
  bool isReached(const Coordinate& c) const {
    const Frame<double>&A = state_.frames[c.first.value], &B = state_.frames[c.second.value];
    const Frame<double>&A0 = system_.node(c.first).start, &B0 = system_.node(c.second).start;
    if (c.turns) {
      const math::Mat3<double> Q = A.R.transpose() * B.R * B0.R.transpose() * A0.R;
      const Vec3<double> twice(Q(2, 1) - Q(1, 2), Q(0, 2) - Q(2, 0), Q(1, 0) - Q(0, 1));
      const double angle = std::atan2(twice.dot(c.axis), Q.trace() - 1.0);
      const double off = std::remainder(angle - c.start, 2.0 * std::numbers::pi);
      return std::abs(off) <= kReached * std::abs(c.start) + kRounding;
    }
    const Vec3<double> at = A0.x + A0.R * c.at;
    const Vec3<double> moved = B.x + B.R * B0.R.transpose() * (at - B0.x) - A.x;
    const double off = (A.R.transpose() * moved - c.at).dot(c.axis) - c.start;
    const double size = A.x.norm() + B.x.norm() + at.norm();
    return std::abs(off) <= kReached * std::abs(c.start) + kRounding * size;
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
  const JointTies ties_;
  State state_;
  std::vector<Coordinate> coordinates_;
};

}  // namespace

State moveToJointStarts(const Description& description, const system::Registry& registry,
                        const system::Builder& builder, const system::System& system,
                        base::Diagnostics& diagnostics) {
  return JointStart(description, registry, builder, system, diagnostics).find();
}

}  // namespace flexloop::model
