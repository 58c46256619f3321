#include <variant>

#include "mechanics/friction/friction.hpp"
#include "mechanics/joints/coordinate_inertia.hpp"
#include "mechanics/joints/joint_makers.hpp"
#include "mechanics/latches/latch_maker.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;
using system::UnknownIndex;

namespace {

// The coordinate under the name that users know.
template <class Coordinate>
struct Words {
  static constexpr const char* kCoordinate = Coordinate::kTurns ? "rotation" : "translation";
  static constexpr const char* kForce = Coordinate::kTurns ? "torque" : "force";
};

// What is counted of the coordinate's turns; nothing of a translation.
struct Turns {
  int history = 0;
  Thread<double> thread;
};

template <class Coordinate, class Tell>
Turns findTurnsIfAny(const Item& joint, const Connection& c, Builder& builder, Tell tell) {
  if (!Coordinate::kTurns) return {};
  AngleCounters::Counter& counter = findTurns("joints", joint.name(), c, builder);
  tell(counter);
  return {counter.history, counter.thread};
}

template <class Coordinate>
void addSpring(const Item& joint, const Item& options, const Connection& c, Builder& builder) {
  const SpringLaw law{options.number("stiffness", 0.0), options.number("damping", 0.0),
                      options.number("rest", 0.0)};
  if (law.stiffness == 0.0 && law.damping == 0.0) return;
  const auto spring = addCoordinateSpring<Coordinate>("joints", joint.name(), c, law, builder);
  builder.attach("joints", joint.name() + "/" + Words<Coordinate>::kCoordinate + " spring", spring);
}

template <class Coordinate>
void addLock(const Item& joint, const Connection& c, double target, Builder& builder) {
  using W = Words<Coordinate>;
  auto& set = builder.elements<CoordinateLock<Coordinate>>();
  const UnknownIndex lambda =
      addMultiplier(builder, joint.name(), std::string("locking ") + W::kForce,
                    std::string("locked ") + W::kCoordinate);
  const Turns turns = findTurnsIfAny<Coordinate>(
      joint, c, builder, [&](AngleCounters::Counter& counter) { counter.lock = target; });
  const int element = set.add(joint.name(), c.nodes, {lambda}, {c.frames, target, turns.thread});
  builder.attach("joints", joint.name() + "/" + W::kCoordinate + " constraint", {&set, element});
}

}  // namespace

template <class Coordinate>
void addDrive(const Item& joint, const Connection& c, UnknownIndex signal, Builder& builder) {
  using W = Words<Coordinate>;
  for (const char* other : {"friction", "latch"}) {
    const std::string part = joint.name() + "/" + W::kCoordinate + " " + other;
    if (builder.findAttachment("joints", part) == nullptr) continue;
    return builder.error(
        joint.place(),
        "joints." + joint.name() + ": '" + other + "' acts on a coordinate that is driven",
        "a prescribed motion leaves nothing to it: remove one of them");
  }
  auto& set = builder.elements<CoordinateDrive<Coordinate>>();
  const UnknownIndex lambda =
      addMultiplier(builder, joint.name(), std::string("driving ") + W::kForce,
                    std::string("driven ") + W::kCoordinate);
  const Turns turns = findTurnsIfAny<Coordinate>(
      joint, c, builder, [&](AngleCounters::Counter& counter) { counter.drive = signal; });
  const int element =
      set.add(joint.name(), c.nodes, {lambda, signal}, {c.frames, turns.thread}, turns.history);
  builder.attach("joints", joint.name() + "/" + W::kCoordinate + " constraint", {&set, element});
}

template <class Coordinate>
void addOptions(const Item& joint, const Item& options, const Connection& c, Builder& builder) {
  const bool locked = options.boolean("locked", false), driven = options.has("drive");
  if (locked && driven) {
    builder.error(options.placeOf("drive"),
                  "joints." + joint.name() + ": 'locked' cannot be combined with 'drive'",
                  "remove one of them");
    return;
  }
  addSpring<Coordinate>(joint, options, c, builder);
  if (options.has("friction")) addFriction<Coordinate>(joint, options, c, builder);
  addInertia<Coordinate>(joint, options, c, builder);
  if (options.has("latch")) {
    using Place = OnJoint<Coordinate>;
    addLatch<Place>(joint, options, {c.nodes, {}, {c.frames, threadOf<Coordinate>(joint)}},
                    builder);
  }
  if (locked) return addLock<Coordinate>(joint, c, options.number("start", 0.0), builder);
  if (!driven) return;
  if (std::holds_alternative<double>(options.at("drive").data)) {
    return addLock<Coordinate>(joint, c, options.number("drive"), builder);
  }
  addDrive<Coordinate>(joint, c, builder.signal(options, "drive"), builder);
}

template void addDrive<RotationCoordinate>(const Item&, const Connection&, UnknownIndex, Builder&);
template void addDrive<TranslationCoordinate>(const Item&, const Connection&, UnknownIndex,
                                              Builder&);
template void addOptions<RotationCoordinate>(const Item&, const Item&, const Connection&, Builder&);
template void addOptions<TranslationCoordinate>(const Item&, const Item&, const Connection&,
                                                Builder&);

}  // namespace flexloop::mechanics
