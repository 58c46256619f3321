#include "mechanics/contacts/limit.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "base/text_format.hpp"
#include "mechanics/guides/guide_place.hpp"
#include "mechanics/joints/joint_coordinate.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/parameter_makers.hpp"
#include "system/stated_unit.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;

namespace {

class LimitReader {
 public:
  LimitReader(const Item& item, Builder& builder) : item_(item), builder_(builder) {}

  void make() {
    joint_ = findMade("joints", item_.text("joint"), builder_);
    choice_.joint = item_.text("joint");
    if (joint_ == nullptr || !findCoordinate() || !haveUnitsOfCoordinate()) return;
    if (!readRange() || !readLaw() || !isInside()) return;
    if (const auto guide = findGuidePlace(*joint_, builder_)) {
      return addLimit<AlongGuide>(item_.name(), *guide, choice_, builder_);
    }
    const auto c = findJointConnection(*joint_, builder_);
    if (!c) return;
    if (turns_) {
      addOn<RotationCoordinate>(*c);
    } else {
      addOn<TranslationCoordinate>(*c);
    }
  }

 private:
  template <class Coordinate>
  void addOn(const Connection& c) {
    using Place = OnJoint<Coordinate>;
    addLimit<Place>(item_.name(), PlaceInMachine<Place>{c.nodes, {}, {c.frames, {}}}, choice_,
                    builder_);
  }

  bool findCoordinate() {
    if (joint_->has("beam")) return isFree("position");
    const bool rotation = joint_->facts().hasRotation, translation = joint_->facts().hasTranslation;
    if (joint_->facts().freedoms == 0 || (!rotation && !translation)) {
      return fail(
          "joint", "a " + joint_->type() + " has no coordinate that could be limited",
          builder_.listTypes("joints", &system::TypeFacts::hasRotation) + " have a rotation, " +
              builder_.listTypes("joints", &system::TypeFacts::hasTranslation) + " a translation");
    }
    turns_ = rotation;
    if (item_.has("coordinate")) {
      turns_ = item_.text("coordinate") == "rotation";
      if (!(turns_ ? rotation : translation)) {
        return fail("coordinate", "a " + joint_->type() + " has no " + item_.text("coordinate"));
      }
    }
    return isFree(turns_ ? "rotation" : "translation");
  }

  bool isFree(const std::string& coordinate) {
    const std::string held = joint_->name() + "/" + coordinate + " constraint";
    if (builder_.findAttachment("joints", held) == nullptr) return true;
    return fail("joint", "the coordinate of '" + joint_->name() + "' is locked or driven",
                "a limit acts on a coordinate that is free to move");
  }

  // A bare number is SI, whatever the coordinate is.
  bool haveUnitsOfCoordinate() {
    const base::Dimension coordinate = turns_ ? base::kAngle : base::kLength;
    const base::Dimension damping = base::kTime * base::power(coordinate, -1);
    for (const auto& [key, needed] :
         {std::pair("lower", coordinate), {"upper", coordinate}, {"damping", damping}}) {
      const auto wrong = system::describeWrongUnit(item_, key, needed);
      if (!wrong) continue;
      return fail(key, *wrong, describeCoordinate());
    }
    return isStiffnessInItsUnit();
  }

  std::string describeCoordinate() const {
    return "the limit is on the " + std::string(turns_ ? "rotation" : "translation") + " of '" +
           joint_->name() + "', a " + joint_->type();
  }

  // N/m^n or N·m/rad^n with the exponent n of the law; of an n that is no whole number, no unit can be written.
  bool isStiffnessInItsUnit() {
    const double exponent = item_.number("exponent", 1.0);
    const int whole = static_cast<int>(std::lround(exponent));
    const base::Dimension needed =
        turns_ ? base::kTorque : base::kForce * base::power(base::kLength, -whole);
    const bool isStated = item_.has("stiffness") && item_.has(system::unitKeyOf("stiffness"));
    if (isStated && whole != exponent && !turns_) {
      return fail("stiffness", "a stiffness for an exponent that is no whole number has no unit",
                  "give the force in N at a penetration of 1 m, as a number without unit");
    }
    const auto wrong = system::describeWrongUnit(item_, "stiffness", needed);
    return !wrong || fail("stiffness", *wrong,
                          describeCoordinate() + "; the exponent of the penetration is " +
                              std::to_string(whole));
  }

  bool readRange() {
    if (item_.has("lower")) choice_.lower = item_.number("lower");
    if (item_.has("upper")) choice_.upper = item_.number("upper");
    if (!choice_.lower && !choice_.upper) {
      return fail("type", "a limit needs 'lower', 'upper' or both", "give the end of the range");
    }
    if (choice_.lower && choice_.upper && !(*choice_.lower < *choice_.upper)) {
      return fail("upper", "'upper' is not above 'lower'",
                  "the range between them must not be empty");
    }
    return true;
  }

  bool readLaw() {
    const bool isRigid = item_.has("restitution");
    choice_.isCompliant = item_.has("stiffness");
    if (isRigid == choice_.isCompliant) {
      return fail(isRigid ? "stiffness" : "type",
                  isRigid ? "'restitution' and 'stiffness' exclude each other"
                          : "a limit needs 'restitution' or 'stiffness'",
                  "'restitution' makes a rigid stop with impacts, 'stiffness' a compliant one");
    }
    for (const char* key : {"exponent", "damping"}) {
      if (!isRigid || !item_.has(key)) continue;
      return fail(key, "'" + std::string(key) + "' has no meaning beside 'restitution'",
                  "remove it, or give a 'stiffness' in place of 'restitution'");
    }
    choice_.restitution = item_.number("restitution", 0.0);
    choice_.stiffness = item_.number("stiffness", 0.0);
    choice_.exponent = item_.number("exponent", 1.0);
    choice_.damping = item_.number("damping", 0.0);
    return true;
  }

  std::string describeStart(double start) const {
    if (!turns_) return base::numberText(start) + " m";
    return base::formatText("%.4g rad (%.4g deg)", start, start * 180.0 / std::numbers::pi);
  }

  bool isInside() {
    const std::string word = turns_ ? "rotation" : "translation";
    const Item options = joint_->has(word) ? joint_->child(word) : *joint_;
    const double start = options.number("start", 0.0);
    const bool isBelow = choice_.lower && start < *choice_.lower;
    if (!isBelow && !(choice_.upper && start > *choice_.upper)) return true;
    return fail(isBelow ? "lower" : "upper",
                "'" + joint_->name() + "' starts beyond its limit, at " + describeStart(start),
                "change the 'start' of the joint or the limit");
  }

  bool fail(const char* key, const std::string& message, const std::string& hint = {}) {
    builder_.error(item_.has(key) ? item_.placeOf(key) : item_.place(),
                   "contacts." + item_.name() + ": " + message, hint);
    return false;
  }

  const Item& item_;
  Builder& builder_;
  const Item* joint_ = nullptr;
  bool turns_ = false;
  LimitChoice choice_;
};

void makeLimit(const Item& item, Builder& builder) {
  LimitReader(item, builder).make();
}

system::Parameter restitution() {
  system::Parameter parameter = notNegative(system::number(
      "restitution", base::kDimensionless, "rate after an impact by the rate before it"));
  parameter.upper = 1.0;
  return parameter;
}

constexpr const char* kSample = R"(
joints:
  h: {type: hinge, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2]}
  s: {type: slider, between: [ground, A], axis: [1, 0.5, 2]}
contacts:
)";

}  // namespace

void registerLimits(system::Registry& registry) {
  using namespace system;
  registry.add(
      {.section = "contacts",
       .type = "limit",
       .doc =
           "The range of the coordinate of a joint: with `restitution` a rigid stop, which is hit "
           "with an impact and may be leant on, with `stiffness` a compliant one of force "
           "stiffness·d^exponent·(1 + damping·d') at the penetration d.",
       .parameters =
           {required(thing("joint", "joints", "the joint")),
            withNote(choice("coordinate", {"rotation", "translation"},
                            "the coordinate, for a joint that has both"),
                     "the rotation, if there is one"),
            numberOf("lower", {base::kLength, base::kAngle}, "lowest value of the coordinate"),
            numberOf("upper", {base::kLength, base::kAngle}, "highest value of the coordinate"),
            restitution(),
            positive(numberOf("stiffness",
                              {base::kStiffness,
                               base::kPressure,
                               {.length = -2, .mass = 1, .time = -2},
                               base::kTorque},
                              "stiffness of a compliant stop [N/m^exponent or N m/rad^exponent]")),
            withNote(positive(number("exponent", base::kDimensionless,
                                     "exponent of the penetration of a compliant stop")),
                     "1"),
            withNote(notNegative(numberOf("damping",
                                          {{.length = -1, .time = 1}, {.time = 1, .angle = -1}},
                                          "damping of a compliant stop [s/m or s/rad]")),
                     "0")},
       .make = makeLimit,
       .samples = {twoBodies() + kSample + R"(
  stop: {type: limit, joint: h, lower: -0.2, upper: 30 deg, restitution: 0.5}
  end: {type: limit, joint: s, lower: -10 mm, upper: 10 mm, restitution: 0}
)",
                   twoBodies() + kSample + R"(
  stop: {type: limit, joint: h, lower: -0.3, upper: 0.1, stiffness: 1e3, exponent: 1.5, damping: 0.3}
  end: {type: limit, joint: s, upper: 10 mm, stiffness: 1e4}
)"},
       .changesEnergy = true});
}

}  // namespace flexloop::mechanics
