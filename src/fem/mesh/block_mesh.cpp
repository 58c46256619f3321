#include "fem/mesh/block_mesh.hpp"

#include <vector>

namespace flexloop::fem {
namespace {

// The nodes of a hex20 on the grid of half elements, in the canonical order; a hex8 has the first eight.
constexpr std::array<std::array<int, 3>, 20> kPlaces{
    {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2},
     {0, 2, 2}, {1, 0, 0}, {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2},
     {1, 2, 2}, {0, 1, 2}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}}};

class BlockMaker {
 public:
  BlockMaker(const Eigen::Vector3d& size, const std::array<int, 3>& elements, ElementShape shape)
      : size_(size),
        elements_(elements),
        shape_(shape),
        isQuadratic_(shape == ElementShape::kHex20) {
    for (int a = 0; a < 3; ++a) grid_[a] = 2 * elements[a] + 1;
    numbers_.assign(static_cast<std::size_t>(grid_[0]) * grid_[1] * grid_[2], -1);
  }

  Mesh make() {
    mesh_.file = "block";
    addNodes();
    addElements();
    return std::move(mesh_);
  }

 private:
  int& number(int i, int j, int k) {
    return numbers_[(static_cast<std::size_t>(k) * grid_[1] + j) * grid_[0] + i];
  }

  // Corners have three even places, middles of edges two.
  bool isNode(int i, int j, int k) const {
    const int odd = i % 2 + j % 2 + k % 2;
    return odd == 0 || (isQuadratic_ && odd == 1);
  }

  void addNodes() {
    for (int k = 0; k < grid_[2]; ++k) {
      for (int j = 0; j < grid_[1]; ++j) {
        for (int i = 0; i < grid_[0]; ++i) {
          if (isNode(i, j, k)) addNode({i, j, k});
        }
      }
    }
  }

  void addNode(const std::array<int, 3>& place) {
    const int node = static_cast<int>(mesh_.points.size());
    number(place[0], place[1], place[2]) = node;
    Eigen::Vector3d point;
    for (int a = 0; a < 3; ++a) {
      point[a] = size_[a] * place[a] / (2.0 * elements_[a]);
      const std::string axis(1, static_cast<char>('x' + a));
      if (place[a] == 0) mesh_.nodeSets[axis + "0"].push_back(node);
      if (place[a] == 2 * elements_[a]) mesh_.nodeSets[axis + "1"].push_back(node);
    }
    mesh_.points.push_back(point);
    mesh_.nodeIds.push_back(node + 1);
  }

  void addElements() {
    Property property;
    property.name = "block";
    mesh_.properties.push_back(property);
    for (int k = 0; k < elements_[2]; ++k) {
      for (int j = 0; j < elements_[1]; ++j) {
        for (int i = 0; i < elements_[0]; ++i) addElement({2 * i, 2 * j, 2 * k});
      }
    }
  }

  void addElement(const std::array<int, 3>& first) {
    MeshElement element;
    element.shape = shape_;
    element.firstNode = static_cast<int>(mesh_.elementNodes.size());
    element.property = 0;
    element.id = static_cast<std::int64_t>(mesh_.elements.size()) + 1;
    for (int n = 0; n < (isQuadratic_ ? 20 : 8); ++n) {
      const auto& place = kPlaces[n];
      mesh_.elementNodes.push_back(
          number(first[0] + place[0], first[1] + place[1], first[2] + place[2]));
    }
    mesh_.elementSets["block"].push_back(static_cast<int>(mesh_.elements.size()));
    mesh_.elements.push_back(element);
  }

  Eigen::Vector3d size_;
  std::array<int, 3> elements_, grid_{};
  ElementShape shape_;
  bool isQuadratic_;
  std::vector<int> numbers_;  // of the nodes, by place on the grid of half elements
  Mesh mesh_;
};

}  // namespace

Mesh makeBlock(const Eigen::Vector3d& size, const std::array<int, 3>& elements,
               ElementShape shape) {
  return BlockMaker(size, elements, shape).make();
}

}  // namespace flexloop::fem
