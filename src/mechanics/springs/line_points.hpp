// The line between two points on two nodes, as sensors and springs of distance are given it.
#pragma once

#include <array>

#include "mechanics/springs/line.hpp"
#include "system/builder.hpp"
#include "system/item.hpp"

namespace flexloop::mechanics {

// The points `at` on the first node and `to` on the second, which are in ground axes at the start; without them the nodes
// themselves.
inline LinePoints<double> findLinePoints(const system::Item& item,
                                         const std::array<system::NodeIndex, 2>& nodes,
                                         const system::Builder& builder) {
  const auto onNode = [&](int k, const char* key) -> math::Vec3<double> {
    if (!item.has(key)) return math::Vec3<double>::Zero();
    const math::Frame<double>& H = builder.frame(nodes[k]);
    return H.R.transpose() * (item.vector(key) - H.x);
  };
  return {onNode(0, "at"), onNode(1, "to")};
}

}  // namespace flexloop::mechanics
