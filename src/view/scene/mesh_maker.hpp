// What all readers of meshes need: corners that are equal become one, and no file has more triangles than can be drawn.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <utility>

#include "view/scene/mesh_file.hpp"

namespace flexloop::view {

inline void checkTriangleCount(std::size_t triangles) {
  constexpr std::size_t kMostTriangles = 2'000'000;
  if (triangles > kMostTriangles) throw std::runtime_error("it has more than 2 million triangles");
}

class MeshMaker {
 public:
  void addCorner(const std::array<float, 3>& corner) {
    for (const float x : corner) {
      if (!std::isfinite(x)) throw std::runtime_error("a coordinate is not finite");
    }
    const auto next = static_cast<std::uint32_t>(known_.size());
    const auto [place, isNew] = known_.try_emplace(corner, next);
    if (isNew) mesh_.positions.insert(mesh_.positions.end(), corner.begin(), corner.end());
    mesh_.indices.push_back(place->second);
  }
  std::size_t triangles() const { return mesh_.indices.size() / 3; }
  Mesh take() { return std::move(mesh_); }

 private:
  std::map<std::array<float, 3>, std::uint32_t> known_;
  Mesh mesh_;
};

}  // namespace flexloop::view
