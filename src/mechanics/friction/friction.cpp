#include "mechanics/friction/friction.hpp"

#include <algorithm>
#include <variant>

#include "mechanics/friction/coordinate_friction.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;
using system::number;
using system::Parameter;

namespace {

constexpr base::Dimension kTorsionalStiffness{.length = 2, .mass = 1, .time = -2, .angle = -1};
constexpr base::Dimension kTorsionalDamping{.length = 2, .mass = 1, .time = -1, .angle = -1};

// Reports mistakes in the friction of one coordinate.
class FrictionReader {
 public:
  FrictionReader(const Item& joint, const Item& options, bool turns, Builder& builder)
      : joint_(joint),
        options_(options),
        friction_(options.child("friction")),
        turns_(turns),
        level_(turns ? "torque" : "force"),
        builder_(builder) {}

  std::optional<FrictionChoice> read() {
    if (!isFree()) return std::nullopt;
    FrictionChoice choice;
    if (!readLevel(choice) || !readArm(choice) || !readStribeck(choice)) return std::nullopt;
    choice.viscous = friction_.number("viscous", 0.0);
    if (!readBristles(choice)) return std::nullopt;
    return choice;
  }

 private:
  bool isFree() {
    for (const char* key : {"locked", "drive"}) {
      const bool isHeld =
          options_.has(key) && (std::string(key) == "drive" || options_.boolean(key, false));
      if (!isHeld) continue;
      return fail(options_.placeOf("friction"),
                  "'friction' cannot be combined with '" + std::string(key) + "'",
                  "friction acts on a coordinate that is free to move: remove one of them");
    }
    return true;
  }

  bool readLevel(FrictionChoice& choice) {
    const bool hasLevel = friction_.has(level_), hasCoefficient = friction_.has("coefficient");
    if (hasLevel == hasCoefficient) {
      return fail(options_.placeOf("friction"),
                  hasLevel ? "'" + level_ + "' and 'coefficient' exclude each other"
                           : "the friction needs '" + level_ + "' or 'coefficient'",
                  "give the " + level_ +
                      " itself, or the coefficient that makes it from the reaction of the joint");
    }
    choice.isFromReaction = hasCoefficient;
    const std::string key = hasLevel ? level_ : "coefficient";
    const std::string held = "static_" + key,
                      other = hasLevel ? "static_coefficient" : "static_" + level_;
    if (friction_.has(other)) {
      return fail(friction_.placeOf(other), "'" + other + "' does not go with '" + key + "'",
                  "write '" + held + "'");
    }
    choice.kinetic = friction_.number(key);
    choice.held = friction_.number(held, choice.kinetic);
    if (choice.held < choice.kinetic) {
      return fail(friction_.placeOf(held), "'" + held + "' is below '" + key + "'",
                  "friction at rest is at least that of sliding");
    }
    if (!readLoad(choice)) return false;
    if (!choice.isFromReaction || friction_.has("load") || pitchOf(joint_) == 0.0) return true;
    return fail(friction_.placeOf("coefficient"),
                "a screw has no friction from a coefficient: its thread carries several forces",
                "give the torque, or the 'efficiency' of the screw");
  }

  // The signal that presses in place of the reaction.
  bool readLoad(FrictionChoice& choice) {
    if (!friction_.has("load")) return true;
    if (!choice.isFromReaction) {
      return fail(friction_.placeOf("load"), "'load' has no meaning beside '" + level_ + "'",
                  "the " + level_ + " is given; remove 'load', or give a 'coefficient'");
    }
    if (!std::holds_alternative<double>(friction_.at("load").data)) {
      choice.load = builder_.signal(friction_, "load");
      return true;
    }
    const double load = std::max(friction_.number("load"), 0.0);
    choice.kinetic *= load;
    choice.held *= load;
    choice.hasGivenLoad = true;
    return true;
  }

  bool readArm(FrictionChoice& choice) {
    if (!turns_) return true;
    if (choice.isFromReaction && !friction_.has("radius")) {
      return fail(friction_.placeOf("coefficient"),
                  "the friction of a bearing from its coefficient needs a 'radius'",
                  "the torque is coefficient × radius × force");
    }
    if (!choice.isFromReaction && friction_.has("radius")) {
      return fail(friction_.placeOf("radius"), "'radius' has no meaning beside 'torque'",
                  "remove it, or give a 'coefficient' in place of the torque");
    }
    if (choice.isFromReaction) choice.arm = friction_.number("radius");
    return true;
  }

  bool readStribeck(FrictionChoice& choice) {
    if (!friction_.has("stribeck")) return true;
    if (choice.held == choice.kinetic) {
      return fail(friction_.placeOf("stribeck"),
                  "'stribeck' needs a static friction that is higher",
                  "give 'static_" + (choice.isFromReaction ? "coefficient" : level_) + "'");
    }
    const Item stribeck = friction_.child("stribeck");
    choice.stribeckSpeed = stribeck.number("speed");
    choice.exponent = stribeck.number("exponent");
    return true;
  }

  bool readBristles(FrictionChoice& choice) {
    if (!friction_.has("lugre")) return true;
    const Item lugre = friction_.child("lugre");
    if (choice.isFromReaction) {
      return fail(friction_.placeOf("lugre"), "'lugre' does not go with 'coefficient'",
                  "give the " + level_);
    }
    if (!(choice.kinetic > 0.0)) {
      return fail(friction_.placeOf(level_), "'lugre' needs a " + level_ + " above zero",
                  "bristles without friction do not bend");
    }
    choice.bristleStiffness = lugre.number("stiffness");
    choice.bristleDamping = lugre.number("damping", 0.0);
    return true;
  }

  bool fail(const base::Place& place, const std::string& message, const std::string& hint) {
    builder_.error(place, "joints." + joint_.name() + ": " + message, hint);
    return false;
  }

  const Item &joint_, &options_;
  const Item friction_;
  bool turns_;
  std::string level_;
  Builder& builder_;
};

}  // namespace

std::optional<FrictionChoice> readFriction(const Item& joint, const Item& options, bool turns,
                                           Builder& builder) {
  return FrictionReader(joint, options, turns, builder).read();
}

Parameter frictionParameter(bool turns) {
  using namespace system;
  const std::string level = turns ? "torque" : "force";
  const base::Dimension dimension = turns ? base::kTorque : base::kForce;
  const auto plain = base::kDimensionless;
  std::vector<Parameter> fields{
      changingEnergy(notNegative(number(level, dimension, level + " of sliding friction"))),
      withNote(notNegative(number("static_" + level, dimension,
                                  "largest " + level + " while the joint sticks")),
               "that of sliding"),
      changingEnergy(notNegative(
          number("coefficient", plain,
                 turns ? "coefficient of friction; the torque is coefficient × `radius` × "
                         "resultant bearing force"
                       : "coefficient of friction; the force is coefficient × resultant "
                         "force across the axis"))),
      withNote(notNegative(
                   number("static_coefficient", plain, "the coefficient while the joint sticks")),
               "that of sliding")};
  fields.push_back(withNote(
      signal("load", base::kForce,
             "the force that presses the surfaces together, such as that of a brake; a negative "
             "one presses nothing"),
      "the reaction of the joint"));
  if (turns) {
    fields.push_back(positive(number("radius", base::kLength, "radius of the bearing")));
  }
  fields.push_back(map(
      "stribeck",
      {required(positive(number("speed", turns ? base::kAngularVelocity : base::kVelocity,
                                "rate at which the excess over sliding has dropped to 37 %"))),
       required(positive(number("exponent", plain, "n in exp(−(rate/speed)^n); often 1 or 2")))},
      "how static friction passes into sliding friction as the rate grows; without it, at once"));
  fields.push_back(withDefault(
      changingEnergy(notNegative(number("viscous", turns ? kTorsionalDamping : base::kDamping,
                                        "viscous part, per rate, while it slips"))),
      "0"));
  fields.push_back(
      map("lugre",
          {required(positive(number("stiffness", turns ? kTorsionalStiffness : base::kStiffness,
                                    "σ0 of the bristles"))),
           withDefault(notNegative(number("damping", turns ? kTorsionalDamping : base::kDamping,
                                          "σ1 of the bristles")),
                       "0")},
          "the smooth LuGre law in place of true sticking"));
  return map("friction", std::move(fields), "dry friction on the coordinate, with true sticking");
}

}  // namespace flexloop::mechanics
