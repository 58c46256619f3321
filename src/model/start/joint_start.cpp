#include "model/start/joint_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "control/blocks/block_set.hpp"
#include "mechanics/springs/connection.hpp"
#include "model/build.hpp"
#include "model/start/drive_signals.hpp"
#include "model/start/joint_ties.hpp"
#include "model/start/start_coordinate.hpp"
#include "model/start/start_mechanism.hpp"
#include "model/start/velocity_check.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/machine_size.hpp"
#include "solve/prepared_machine.hpp"

namespace flexloop::model {
namespace {

using math::Frame;
using math::Vec3;
using math::Vec6;
using system::Item;
using system::State;

constexpr double kLargestStage = 0.5;  // [rad], so that turns are counted
constexpr double kFarthestTurn = 1e4;  // [rad], that springs and sensors count where a drive begins
constexpr int kFewStages = 4;
constexpr double kFarMove = 0.1;  // of the machine's size, away from a dead point
constexpr double kReached = 1e-6, kRounding = 1e-10;  // of a coordinate, and of angles and places
// Drives may follow from each other: passes until they agree.
constexpr int kMaxPasses = 20;

class JointStart {
 public:
  JointStart(const Description& description, const system::Registry& registry,
             const system::Builder& builder, solve::MachinePool& machines,
             base::Diagnostics& diagnostics)
      : description_(description),
        registry_(registry),
        builder_(builder),
        machines_(machines),
        system_(machines.system()),
        diagnostics_(diagnostics),
        ties_(description, builder, system_),
        state_(system_.start()),
        hasGears_(std::any_of(description.items.begin(), description.items.end(),
                              [&](const Item& item) { return connectsJoints(item); })) {}

  State find() {
    for (const Item& item : description_.items) {
      if (item.section() == "joints") readJoint(item);
    }
    if (coordinates_.empty() || diagnostics_.hasErrors()) return std::move(state_);
    machine_ = machines_.borrow();
    if (reach()) {
      takeGuides();
      checkNodeVelocities(description_, coordinates_, system_, state_, diagnostics_);
    } else {
      giveUp();
    }
    return std::move(state_);
  }

 private:
  // Gears, racks and belts are joints between joints.
  bool connectsJoints(const Item& item) const {
    const system::TypeEntry* type =
        item.section() == "joints" ? registry_.find("joints", item.type()) : nullptr;
    return type != nullptr && std::any_of(type->parameters.begin(), type->parameters.end(),
                                          [](const auto& p) { return p.refersTo == "joints"; });
  }

  void readJoint(const Item& item) {
    readCoordinate(item, item, "", item.facts().hasRotation);
    if (item.has("rotation")) readCoordinate(item, item.child("rotation"), "rotation", true);
    if (item.has("translation")) {
      readCoordinate(item, item.child("translation"), "translation", false);
    }
    readDrive(item, true);
    readDrive(item, false);
  }

  void readCoordinate(const Item& joint, const Item& options, const std::string& group,
                      bool turns) {
    if (!options.has("start") && !options.has("start_rate")) return;
    StartCoordinate c;
    c.joint = &joint;
    c.group = group;
    c.turns = turns;
    c.start = options.number("start", 0.0);
    c.rate = options.number("start_rate", 0.0);
    c.hasStart = options.has("start");
    c.hasRate = options.has("start_rate");
    c.place = options.placeOf(options.has("start") ? "start" : "start_rate");
    if (c.hasRate && c.rate != 0.0 && options.boolean("locked", false)) {
      diagnostics_.addError(c.place, nameOf(c) + ": 'locked' cannot be combined with 'start_rate'",
                            "remove one of them");
      return;
    }
    add(std::move(c));
  }

  // By the joint's own `drive` or by an actuator.
  void readDrive(const Item& joint, bool turns) {
    const std::string word = turns ? "rotation" : "translation";
    const auto* drive =
        builder_.findAttachment("joints", joint.name() + "/" + word + " constraint");
    if (drive == nullptr || drive->set == nullptr) return;
    const Item options = joint.has(word) ? joint.child(word) : joint;
    StartCoordinate c;
    c.joint = &joint;
    c.group = joint.has(word) ? word : "";
    c.isDriven = c.hasStart = c.hasRate = true;
    c.place = options.has("drive") ? options.placeOf("drive") : joint.place();
    c.turns = turns;
    if (drive->set->scalars(drive->element) > 1) {  // beside its force, the signal that it follows
      c.signal = drive->set->scalar(drive->element, 1);
    } else if (options.has("drive")) {
      c.start = options.number("drive");
    } else {
      return;  // it is locked
    }
    if (const double pitch = mechanics::pitchOf(joint); pitch != 0.0 && !turns) {
      c.turns = true;
      c.perSignal = 1.0 / pitch;
    }
    for (const StartCoordinate& other : coordinates_) {
      if (other.joint != c.joint || other.turns != c.turns) continue;
      diagnostics_.addError(
          other.place, nameOf(other) + ": 'drive' cannot be combined with 'start' or 'start_rate'",
          "the drive determines the start; remove 'start' and 'start_rate'");
      return;
    }
    add(std::move(c));
  }

  void add(StartCoordinate c) {
    const Item& joint = *c.joint;
    const auto* attachment = builder_.findAttachment("joints", joint.name());
    if (attachment == nullptr || attachment->set == nullptr) return;
    if (joint.has("beam")) {
      setGuide(c, *attachment);
      return keep(std::move(c));
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
    c.pitch = mechanics::pitchOf(joint);
    keep(std::move(c));
  }

  // The second node is the one that slides, the first that of the beam in whose axes forces are given.
  void setGuide(StartCoordinate& c, const system::Builder::Attachment& guide) const {
    const auto beams = mechanics::findBeams(system_);
    const auto beam = std::find_if(beams.begin(), beams.end(), [&](const auto& layout) {
      return layout.name == c.joint->text("beam");
    });
    c.second = guide.set->node(guide.element, 0);
    c.first = beam->nodes.front();
    const int last = guide.set->scalars(guide.element) - 1;
    c.guide = std::make_shared<GuideTrack>(*beam, c.second, c.joint->boolean("clamp", false),
                                           guide.set->scalar(guide.element, last),
                                           system_.start().frames);
  }

  void keep(StartCoordinate c) {
    if (!c.hasRate) c.rate = calcRate(c, system_, system_.start()).value;
    c.stuck.resize(system_.nodes().size(), false);
    findMoved(c);
    coordinates_.push_back(std::move(c));
  }

  // Springs carry nothing along with a drive: what hangs on them is where the file places it, and follows.
  void findMoved(StartCoordinate& c) const {
    const bool bySprings = !c.isDriven;
    const std::string& joint = c.joint->name();
    c.moved = ties_.findMoved(joint, c.second.value, c.first.value, c.stuck, bySprings);
    c.sign = 1.0;
    if (!c.moved.empty()) return;
    c.moved = ties_.findMoved(joint, c.first.value, c.second.value, c.stuck, bySprings);
    if (!c.moved.empty()) c.sign = -1.0;
  }

  // Whether nodes have not the freedoms to move along from where they are. They are remembered, and what moves is found
  // anew.
  bool areStuck(const State& at) {
    bool areAny = false;
    for (StartCoordinate& c : coordinates_) {
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

  // Whether drives take joints elsewhere than where they are drawn, or are to be moved by `start`.
  bool areElsewhere() const {
    return std::any_of(coordinates_.begin(), coordinates_.end(), [&](const StartCoordinate& c) {
      return !c.isDriven || c.start != 0.0 || c.rate != calcRate(c, system_, system_.start()).value;
    });
  }

  // False if the starts cannot be reached.
  bool reach() {
    const bool hasSignals =
        std::any_of(coordinates_.begin(), coordinates_.end(),
                    [](const StartCoordinate& c) { return c.signal.has_value(); });
    if (!hasSignals) return moveAll();
    DriveSignals signals(*machine_);
    const bool followMotion = !signals.areGivenByTime();
    // Drives that follow from the motion are read where joints are at their starts.
    if (followMotion && !moveAll()) return false;
    for (int pass = 0; pass < kMaxPasses; ++pass) {
      if (!signals.read(state_)) return false;
      if (!takeSignals(signals) && pass > 0) return true;
      if (!moveAll()) return false;
      if (!followMotion) return true;
    }
    return false;
  }

  // Whether the signals have changed where drives take their joints.
  bool takeSignals(const DriveSignals& signals) {
    bool hasChanged = false;
    for (StartCoordinate& c : coordinates_) {
      if (!c.signal) continue;
      double start = c.perSignal * signals.value(*c.signal);
      // Whole turns make no difference to where a joint is, except to a screw and to what is geared to a joint.
      const bool isFar = std::abs(start) > kFarthestTurn;
      if (c.turns && c.pitch == 0.0 && isFar && !hasGears_) {
        start = std::remainder(start, 2.0 * std::numbers::pi);
      }
      const double rate = c.perSignal * signals.rate(*c.signal);
      const double way = calcGap(c, system_, state_).size,
                   speed = calcRate(c, system_, state_).size;
      hasChanged = hasChanged || std::abs(start - c.start) > kRounding * (way + std::abs(start)) ||
                   std::abs(rate - c.rate) > kRounding * (speed + std::abs(rate));
      c.start = start;
      c.rate = rate;
    }
    return hasChanged;
  }

  // From where the nodes are placed. False if the starts cannot be reached.
  bool moveAll() {
    state_ = system_.start();
    if (!areElsewhere()) return true;
    while (areStuck(state_)) {
    }
    while (!move()) state_ = system_.start();
    return !failure_;
  }

  // What a drive cannot reach is left to the analysis, which reports it. What is given has to be kept.
  void giveUp() {
    const auto given = std::find_if(coordinates_.begin(), coordinates_.end(),
                                    [](const StartCoordinate& c) { return !c.isDriven; });
    if (given == coordinates_.end()) {
      state_ = system_.start();
    } else if (!failure_) {
      diagnostics_.addError(
          given->place,
          nameOf(*given) +
              ": the start cannot be maintained: drives that depend on the motion do not settle "
              "with it",
          "remove 'start' and 'start_rate', or make the drives functions of time");
    } else {
      report(*given);
    }
  }

  // False if nodes could not move along as was thought.
  bool move() {
    if (!moveWith(Prescribed::kAll)) return false;
    const bool isAllGiven =
        std::all_of(coordinates_.begin(), coordinates_.end(), [](const StartCoordinate& c) {
          return isPrescribed(c, Prescribed::kGivenPlaces) &&
                 isPrescribed(c, Prescribed::kGivenRates);
        });
    if (!failure_ || isAllGiven) return true;
    state_ = system_.start();
    return moveWith(Prescribed::kGivenPlaces);
  }

  // Rates that are not given are left open together with places. False as above.
  bool moveWith(Prescribed prescribed) {
    const Model driven = buildMechanism(prescribed);
    failure_.reset();
    if (!moveAlong(driven, prescribed, findWay())) return false;
    const std::vector<double> detour = failure_ ? findDetour() : std::vector<double>{};
    if (!detour.empty()) {
      const std::optional<base::Failure> failure = std::exchange(failure_, std::nullopt);
      state_ = system_.start();
      if (!moveAlong(driven, prescribed, detour)) return false;
      if (failure_) failure_ = failure;
    }
    if (prescribed != Prescribed::kAll && !failure_) giveRates();
    return true;
  }

  Model buildMechanism(Prescribed prescribed) const {
    return buildAsDrawn(makeStartMechanism(description_, coordinates_, ties_, system_, prescribed),
                        registry_);
  }

  // Those that are given, where the joints are. Where that is, the places of the mechanism have settled.
  void giveRates() {
    const Model mechanism = buildMechanism(Prescribed::kGivenRates);
    const system::System& driven = mechanism.system();
    const solve::MachineLoan machine = mechanism.borrowMachine();
    State at = driven.start();
    at.frames = state_.frames;
    at.time = 1.0;
    machine->begin(at);
    for (const StartCoordinate& c : coordinates_) moveAtRate(c, driven, at);
    failure_ = machine->massSystem().signals().solve(at);
    if (!failure_ && !solve::followDriveRates(*machine, at)) {
      failure_ = base::Failure{"the rates of the joints are not determined there"};
    }
    if (!failure_) failure_ = findContradiction(driven, at);
    takeRates(driven, at);
  }

  // Closes the mechanism at these times, the last of which is one. False as above.
  bool moveAlong(const Model& mechanism, Prescribed prescribed, const std::vector<double>& times) {
    const bool withRates = prescribed == Prescribed::kAll;
    const system::System& driven = mechanism.system();
    const solve::MachineLoan machine = mechanism.borrowMachine();
    State at = driven.start();
    const Eigen::VectorXd rates = at.rate;
    machine->begin(at);
    double part = 0.0;
    for (std::size_t k = 0; k < times.size(); ++k) {
      const bool isLast = k + 1 == times.size();
      const double next = times[k] >= kDetour ? times[k] - kDetour : times[k];
      for (const StartCoordinate& c : coordinates_) moveTree(c, (next - part) * c.start, at);
      part = next;
      placeOnGuides(driven, at);
      if (areStuck(at)) return false;
      at.time = times[k];
      at.rate = rates;
      if (isLast) {
        for (const StartCoordinate& c : coordinates_) moveAtRate(c, driven, at);
      }
      const solve::StartReport report = solve::makeConsistent(*machine, at);
      if (report.failure) {
        if (isLast && withRates) failure_ = findContradiction(driven, at);
        if (!failure_) failure_ = report.failure;
        return true;
      }
      machine->assembler().updateHistory(at);
      state_.frames = at.frames;
      countTurns();
    }
    for (const StartCoordinate& c : coordinates_) {
      if (isPrescribed(c, prescribed)) checkReached(c);
    }
    if (!withRates) return true;
    if (!failure_) failure_ = findContradiction(driven, at);
    takeRates(driven, at);
    return true;
  }

  // Positions along beams are unknowns of their own, which the mechanism has under the same names.
  void placeOnGuides(const system::System& driven, State& at) const {
    for (const StartCoordinate& c : coordinates_) {
      if (!c.guide) continue;
      const std::string name = system_.unknownName(c.guide->position());
      for (int u = 0; u < at.value.size(); ++u) {
        if (driven.unknownName(system::UnknownIndex{u}) != name) continue;
        at.value[u] = c.guide->calcPosition(at.frames);
      }
    }
  }

  std::vector<double> findWay() const {
    double stages = haveLoops(coordinates_) ? kFewStages : 1.0;
    for (const StartCoordinate& c : coordinates_) {
      if (c.turns) stages = std::max(stages, std::ceil(std::abs(c.start) / kLargestStage));
    }
    std::vector<double> times;
    for (int k = 1; k <= static_cast<int>(stages); ++k) times.push_back(k / stages);
    return times;
  }

  // Near the pose that is drawn, a loop may be at a dead point, where corrections to close it lead nowhere. It is moved well
  // beyond its start, and comes back by halves of the way. Empty if there is no such way.
  std::vector<double> findDetour() const {
    double parts = std::numeric_limits<double>::infinity();
    for (const StartCoordinate& c : coordinates_) {
      const double far = c.turns ? kLargestStage : kFarMove * solve::findFarthestNode(state_);
      if (c.start != 0.0) parts = std::min(parts, far / std::abs(c.start));
    }
    std::vector<double> times;
    if (!haveLoops(coordinates_) || !std::isfinite(parts) || parts <= 1.0) return times;
    for (int k = 1; k <= kFewStages; ++k) times.push_back(kDetour + parts * k / kFewStages);
    for (parts *= 0.5; parts > 1.0; parts *= 0.5) times.push_back(kDetour + parts);
    times.push_back(1.0);
    return times;
  }

  void report(const StartCoordinate& given) {
    const auto lacking = std::find_if(coordinates_.begin(), coordinates_.end(), [](const auto& c) {
      return c.moved.empty() && std::find(c.stuck.begin(), c.stuck.end(), true) != c.stuck.end();
    });
    const bool lacks = lacking != coordinates_.end();
    const StartCoordinate& c = lacks ? *lacking : given;
    std::string text = nameOf(c) + ": the start cannot be reached: " + failure_->message;
    if (lacks) {
      const auto stuck = std::find(c.stuck.begin(), c.stuck.end(), true) - c.stuck.begin();
      text += "; the node '" + system_.nodes()[stuck].name +
              "' does not have the freedoms needed to move with the joint";
    }
    const std::string hint = lacks ? "give it more freedoms with 'free'"
                             : !failure_->hint.empty()
                                 ? failure_->hint
                                 : "choose a start that the mechanism can reach from where its "
                                   "nodes are placed, and place them away from dead points";
    diagnostics_.addError(c.place, text, hint);
  }

  // A coordinate that depends on no freedom at all leaves no constraint that can be closed.
  void checkReached(const StartCoordinate& c) {
    if (failure_) return;
    const StartGap gap = calcGap(c, system_, state_);
    if (std::abs(gap.value) > kReached * std::abs(c.start) + kRounding * gap.size) {
      failure_ = base::Failure{"no free motion changes it"};
    }
  }

  // Of rates; they are met halfway.
  std::optional<base::Failure> findContradiction(const system::System& system,
                                                 const State& at) const {
    for (const StartCoordinate& c : coordinates_) {
      const StartRate rate = calcRate(c, system, at);
      if (!c.hasRate ||
          std::abs(rate.value - c.rate) <= kReached * (std::abs(c.rate) + rate.size)) {
        continue;
      }
      return base::Failure{"the rate of '" + c.joint->name() +
                           "' contradicts those of other joints"};
    }
    return std::nullopt;
  }

  // Hinges count their turns from stage to stage.
  void countTurns() {
    const system::Motion& motion = machine_->assembler().calcMotion(state_);
    const control::BlockSet* blocks = control::findBlocks(system_);
    for (const system::Remembering* set : system_.roles().remembering) {
      if (set != blocks) set->updateHistory(motion, state_);
    }
  }

  // Positions along beams are unknowns of their own.
  void takeGuides() {
    for (const StartCoordinate& c : coordinates_) {
      if (!c.guide) continue;
      const int q = c.guide->position().value;
      state_.value[q] = c.guide->calcPosition(state_.frames);
      state_.rate[q] = calcRate(c, system_, state_).value;
    }
  }

  void takeRates(const system::System& driven, const State& at) {
    const bool hasRate = std::any_of(coordinates_.begin(), coordinates_.end(),
                                     [](const StartCoordinate& c) { return c.hasRate; });
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
  solve::MachinePool& machines_;
  solve::MachineLoan machine_;
  const system::System& system_;
  base::Diagnostics& diagnostics_;
  const JointTies ties_;
  State state_;
  const bool hasGears_;
  std::vector<StartCoordinate> coordinates_;
  std::optional<base::Failure> failure_;  // why the starts cannot be reached
};

}  // namespace

State moveToJointStarts(const Description& description, const system::Registry& registry,
                        const system::Builder& builder, solve::MachinePool& machines,
                        base::Diagnostics& diagnostics) {
  return JointStart(description, registry, builder, machines, diagnostics).find();
}

}  // namespace flexloop::model
