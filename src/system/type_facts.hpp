// What others need to know of a type that a model names. It is stated once, where the type is registered, and asked of the
// items of a model: nobody else compares names of types.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace flexloop::system {

class Item;

// The same for all items of a type, or what a function finds in the parameters of each.
template <class T>
class Fact {
 public:
  Fact() = default;
  template <std::convertible_to<T> V>
  requires(!std::invocable<V, const Item&>) Fact(V value) : value_(value) {}
  template <std::invocable<const Item&> F>
  Fact(F function) : of_(function) {}

  T of(const Item& item) const { return of_ != nullptr ? of_(item) : value_; }

 private:
  T value_{};
  T (*of_)(const Item&) = nullptr;
};

struct TypeFacts {
  // How a sensor or an actuator is drawn: with a straight arrow, with a round one, or as its joint moves.
  enum class Arrow : std::uint8_t { kAsJoint, kStraight, kRound };

  // Of signals.
  Fact<std::string_view> unit{};  // SI; empty: none, or not known from the item alone
  Fact<bool> hasRate{};  // NAME.rate is exact: of sensors, and of blocks that are functions of time

  // Of joints: how many relative motions they leave free, and whether one of them is a rotation about the axis or a
  // translation along it, which sensors and actuators can refer to.
  int freedoms = 0;
  bool hasRotation = false, hasTranslation = false;

  // Of joints and springs: acts along the line between two points, and not at one place.
  Fact<bool> isAlongLine{};
  // Of sections: gives stiffnesses and needs no material.
  bool needsNoMaterial = false;

  // Of blocks.
  bool isBox = false;             // runs code of somebody else
  bool isController = false;      // has no purpose but to act on the machine
  Fact<bool> jumps{};             // its output jumps by its nature
  bool passesJumps = false;       // its output jumps where an input does
  Fact<bool> limits{};            // keeps its output between two limits, actuators too
  Fact<bool> integratesFreely{};  // has an integral that nothing limits
  bool passesIntegral =
      false;               // a limit behind it still holds back what an integral before it does
  Fact<bool> staysAway{};  // a function of time that does not return to zero
  bool keepsAway = false;  // its output does not return to zero where its only input does not

  // How it is drawn.
  std::string_view
      symbol{};  // of joints, springs and blocks, as the viewer names it; empty: that of its section
  Arrow arrow = Arrow::kAsJoint;
};

}  // namespace flexloop::system
