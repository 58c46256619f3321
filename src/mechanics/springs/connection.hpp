// What joints and springs have in common: two nodes, and frames or points on them that follow from
// positions and directions in ground axes at the start.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechanics/joints/joint.hpp"
#include "mechanics/springs/line.hpp"
#include "system/builder.hpp"
#include "system/item.hpp"

namespace flexloop::mechanics {

struct Connection {
  std::array<system::NodeIndex, 2> nodes;
  JointFrames<double> frames;  // frames 1 and 2, which are the same at the start
};

// The nodes of `between`. Reports and gives nothing if they cannot be connected: they are one and
// the same, or neither can move.
std::optional<std::array<system::NodeIndex, 2>> findEnds(const system::Item& item,
                                                         system::Builder& builder);

// `at` of the item; without it the second node, or the first where the second is ground.
math::Vec3<double> findPlace(const system::Item& item, const system::Builder& builder,
                             const std::array<system::NodeIndex, 2>& nodes);

// The unit vector along `key`. Reports and gives nothing if it has no length.
std::optional<math::Vec3<double>> findDirection(const system::Item& item, std::string_view key,
                                                system::Builder& builder);

// A rotation whose third column is the unit vector z; the identity for the third axis of ground.
math::Mat3<double> makeAxesAlong(const math::Vec3<double>& z);

// The frames of a joint at R_J and place x_J, both in ground axes.
Connection connect(const std::array<system::NodeIndex, 2>& nodes, const math::Frame<double>& J,
                   const system::Builder& builder);

// The frames of a joint of section `joints`: z along its axis; for a universal joint x along the
// first axis and y along the second. Reports what is wrong.
std::optional<Connection> findJointConnection(const system::Item& item, system::Builder& builder);

// The item of a joint or spring that has been made; nothing after a mistake in it, which has been
// reported.
const system::Item* findMade(const std::string& section, const std::string& name,
                             const system::Builder& builder);

// How far the joint moves along its axis [m/rad] where that goes with its rotation; else zero.
double pitchOf(const system::Item& joint);

// The points `at` on the first node and `to` on the second; without them the nodes themselves.
// Reports and gives nothing if they coincide.
struct LineConnection {
  std::array<system::NodeIndex, 2> nodes;
  LinePoints<double> points;
  double length = 0.0;  // at the start
};
std::optional<LineConnection> findLine(const system::Item& item, system::Builder& builder);

// The elements that an item of section `joints` or `springs` consists of. The makers attach them
// under the item's name followed by one of these parts.
inline constexpr std::array<std::string_view, 6> kParts{"",
                                                        "/rotation spring",
                                                        "/rotation constraint",
                                                        "/translation spring",
                                                        "/translation constraint",
                                                        "/thread"};
inline constexpr std::string_view kTurnsPart = "/turns";  // who counts the turns
std::vector<system::Builder::Attachment> findParts(const system::Builder& builder,
                                                   const std::string& section,
                                                   const std::string& name);
// Of the stops that contacts put on a joint: 0, 1, …
std::string stopPart(int k);

}  // namespace flexloop::mechanics
