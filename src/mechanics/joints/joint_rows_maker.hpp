// The maker of joints that consist of rows, instantiated for some of them in each of two files.
#pragma once

#include "mechanics/joints/joint_makers.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {

inline constexpr std::array<const char*, 3> kAxisNames{"x", "y", "z"};

// The axis about which a row e_i·R e_j prevents rotation: the third one.
constexpr int axisOf(const RotationRow& row) {
  return 3 - row.i - row.j;
}

template <class Rows>
std::array<system::UnknownIndex, Joint<Rows>::kScalars> addMultipliers(system::Builder& builder,
                                                                       const std::string& joint) {
  std::array<system::UnknownIndex, Joint<Rows>::kScalars> multipliers;
  int row = 0;
  for (int i = 0; i < 3; ++i) {
    if ((Rows::kPositions >> i & 1) == 0) continue;
    const std::string axis = kAxisNames[i];
    multipliers[row++] = addMultiplier(builder, joint, "force " + axis, "position " + axis);
  }
  for (const RotationRow& rotation : Rows::kRotations) {
    const std::string axis = kAxisNames[axisOf(rotation)];
    multipliers[row++] = addMultiplier(builder, joint, "torque " + axis, "rotation " + axis);
  }
  return multipliers;
}

template <class Rows>
system::Builder::Attachment addRows(const std::string& name, const Connection& c,
                                    system::Builder& builder) {
  auto& set = builder.elements<Joint<Rows>>();
  const int element = set.add(name, c.nodes, addMultipliers<Rows>(builder, name), {c.frames});
  return {&set, element};
}

template <class Rows>
std::optional<Connection> makeRows(const system::Item& item, system::Builder& builder) {
  auto c = findJointConnection(item, builder);
  if (!c) return std::nullopt;
  builder.attach("joints", item.name(), addRows<Rows>(item.name(), *c, builder));
  return c;
}

}  // namespace flexloop::mechanics
