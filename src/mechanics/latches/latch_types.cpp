// Latches on coordinates, and the joint `latch`.
#include <algorithm>
#include <optional>
#include <variant>

#include "mechanics/joints/joint_makers.hpp"
#include "mechanics/joints/joint_rows_maker.hpp"
#include "mechanics/latches/latch_maker.hpp"
#include "mechanics/latches/latch_set.hpp"
#include "mechanics/sample_models.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;
using system::UnknownIndex;

system::Parameter latchParameter() {
  return system::changingEnergy(
      system::signal("latch", base::kDimensionless,
                     "locks the coordinate where it is, with an impact if it moves, while the "
                     "signal is above 0.5"));
}

namespace {

// The signal under `key`; reports a number, which commands nothing.
std::optional<UnknownIndex> findCommand(const Item& joint, const Item& options, const char* key,
                                        Builder& builder) {
  if (!std::holds_alternative<double>(options.at(key).data)) return builder.signal(options, key);
  builder.error(options.placeOf(key), "joints." + joint.name() + ": a latch needs a signal",
                "for a joint that never moves write 'locked: true', or use a weld");
  return std::nullopt;
}

}  // namespace

template <class Place>
void addLatch(const Item& joint, const Item& options, const PlaceInMachine<Place>& at,
              Builder& builder) {
  for (const char* key : {"locked", "drive"}) {
    const bool isHeld =
        options.has(key) && (std::string(key) == "drive" || options.boolean(key, false));
    if (!isHeld) continue;
    return builder.error(
        options.placeOf("latch"),
        "joints." + joint.name() + ": 'latch' cannot be combined with '" + key + "'",
        "a latch closes and opens what is free to move: remove one of them");
  }
  const auto command = findCommand(joint, options, "latch", builder);
  if (!command) return;
  using Latch = CoordinateLatch<Place>;
  const UnknownIndex lambda =
      addMultiplier(builder, joint.name(), Place::kTurns ? "latch torque" : "latch force",
                    std::string("latched ") + Place::kWord);
  const std::array first{lambda, *command};
  auto& set = builder.elementSet<LatchSet<Latch>>();
  const int history = builder.addHistory(Latch::kHistory);
  const int element =
      set.add(joint.name(), at.nodes, joinScalars(first, at), {at.place, kLatchLevel}, history);
  builder.attach("joints", joint.name() + "/" + Place::kWord + " latch", {&set, element});
}

template void addLatch<OnJoint<RotationCoordinate>>(
    const Item&, const Item&, const PlaceInMachine<OnJoint<RotationCoordinate>>&, Builder&);
template void addLatch<OnJoint<TranslationCoordinate>>(
    const Item&, const Item&, const PlaceInMachine<OnJoint<TranslationCoordinate>>&, Builder&);
template void addLatch<AlongGuide>(const Item&, const Item&, const PlaceInMachine<AlongGuide>&,
                                   Builder&);

namespace {

void makeLatch(const Item& item, Builder& builder) {
  const auto nodes = findEnds(item, builder);
  const auto command = findCommand(item, item, "when", builder);
  if (!nodes || !command) return;
  const auto rows = addMultipliers<PoseLatch::Rows>(builder, item.name());
  std::array<UnknownIndex, PoseLatch::kScalars> scalars;
  std::copy(rows.begin(), rows.end(), scalars.begin());
  scalars[PoseLatch::kRows] = *command;
  auto& set = builder.elementSet<LatchSet<PoseLatch>>();
  const int history = builder.addHistory(PoseLatch::kHistory);
  const math::Frame<double> relative =
      math::relative(builder.frame((*nodes)[0]), builder.frame((*nodes)[1]));
  for (int i = 0; i < 9; ++i) {
    builder.setHistory(history + kLatchPlaceSlot + i, relative.R(i / 3, i % 3));
  }
  for (int i = 0; i < 3; ++i) builder.setHistory(history + kLatchPlaceSlot + 9 + i, relative.x[i]);
  builder.attach("joints", item.name(),
                 {&set, set.add(item.name(), *nodes, scalars, {kLatchLevel}, history)});
}

}  // namespace

void registerLatches(system::Registry& registry) {
  using namespace system;
  registry.add({.section = "joints",
                .type = "latch",
                .doc = "A grip or lock between two nodes. While the signal `when` is above 0.5, it "
                       "holds the nodes to each other as they are when it closes; what moves then "
                       "is stopped by an impact. Otherwise both are free.",
                .parameters = {required(nodePair("between", "the two nodes")),
                               required(signal("when", base::kDimensionless,
                                               "the latch is closed while this is above 0.5"))},
                .make = makeLatch,
                .samples = {twoBodies() + R"(
blocks: {closed: {type: constant, value: 1}, open: {type: constant, value: 0}}
joints:
  a: {type: latch, between: [A, B], when: closed}
  b: {type: latch, between: [ground, A], when: open}
  h: {type: hinge, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2], latch: closed}
  s: {type: slider, between: [ground, A], axis: [1, 0.5, 2], latch: open}
)"},
                .facts = {.freedoms = 6, .symbol = "weld"},
                .changesEnergy = true});
}

}  // namespace flexloop::mechanics
