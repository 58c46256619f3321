// The parts from which the makers of joints and springs are put together. Each is compiled once, in
// a file of its own: element sets are expensive to compile.
#pragma once

#include <string>

#include "mechanics/joints/joint_coordinate.hpp"
#include "mechanics/joints/turn_counters.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/builder.hpp"
#include "system/item.hpp"

namespace flexloop::mechanics {

// A multiplier named `joint reaction force`, with the equation `joint: equation`.
system::UnknownIndex addMultiplier(system::Builder& builder, const std::string& joint,
                                   const std::string& force, const std::string& equation);

// The thread of a screw, of its rotation.
template <class Coordinate>
Thread<double> threadOf(const system::Item& joint) {
  const double pitch = pitchOf(joint);
  return Coordinate::kTurns && pitch != 0.0 ? Thread<double>{1.0, 1.0 / pitch} : Thread<double>{};
}

// The rows (6.2), (6.3) of a joint with their multipliers.
template <class Rows>
system::Builder::Attachment addRows(const std::string& name, const Connection& c,
                                    system::Builder& builder);
// The same for an item of section `joints`. Gives nothing after a mistake, which has been reported.
template <class Rows>
std::optional<Connection> makeRows(const system::Item& item, system::Builder& builder);

// What `options` say about one coordinate of the joint: the item itself for a joint with one
// coordinate, a map inside it for a joint with several.
template <class Coordinate>
void addOptions(const system::Item& joint, const system::Item& options, const Connection& c,
                system::Builder& builder);

// Prescribes a coordinate of the joint by a signal.
template <class Coordinate>
void addDrive(const system::Item& joint, const Connection& c, system::UnknownIndex signal,
              system::Builder& builder);

// What counts the turns of an angle about the axis of c, made at the first call; `name` is that of an
// item of `section`.
AngleCounters::Counter& findTurns(const std::string& section, const std::string& name,
                                  const Connection& c, system::Builder& builder);

struct SpringLaw {
  double stiffness = 0.0, damping = 0.0, rest = 0.0;
};

template <class Coordinate>
system::Builder::Attachment addCoordinateSpring(const std::string& section, const std::string& name,
                                                const Connection& c, const SpringLaw& law,
                                                system::Builder& builder);

}  // namespace flexloop::mechanics
