#include "view/scene/collada_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>
#include <optional>
#include <pugixml.hpp>
#include <vector>

#include <Eigen/Core>

#include "math/so3.hpp"
#include "view/scene/mesh_maker.hpp"
#include "view/scene/mesh_text.hpp"

namespace flexloop::view {
namespace {

using Eigen::Matrix4d;
using Eigen::Vector3d;
using pugi::xml_node;

constexpr int kDeepest = 1000;  // nodes in nodes, where some are shown by others

[[noreturn]] void refuse(const std::string& why) {
  throw std::runtime_error(why);
}

std::vector<double> takeNumbers(const xml_node& node, std::size_t count) {
  std::vector<double> numbers = readMeshNumbers<double>(node.child_value());
  if (numbers.size() != count) {
    refuse("'" + std::string(node.name()) + "' does not have " + std::to_string(count) +
           " numbers");
  }
  return numbers;
}

// Of one element of a node.
Matrix4d readTransform(const xml_node& node) {
  Matrix4d T = Matrix4d::Identity();
  const std::string name = node.name();
  if (name == "matrix") {
    const std::vector<double> n = takeNumbers(node, 16);
    for (int i = 0; i < 16; ++i) T(i / 4, i % 4) = n[static_cast<std::size_t>(i)];
  } else if (name == "translate") {
    const std::vector<double> n = takeNumbers(node, 3);
    T.topRightCorner<3, 1>() = Vector3d(n[0], n[1], n[2]);
  } else if (name == "scale") {
    const std::vector<double> n = takeNumbers(node, 3);
    T.topLeftCorner<3, 3>() = Vector3d(n[0], n[1], n[2]).asDiagonal();
  } else if (name == "rotate") {
    const std::vector<double> n = takeNumbers(node, 4);
    const Vector3d axis(n[0], n[1], n[2]);
    if (axis.isZero(0.0)) refuse("the axis of a rotation is zero");
    T.topLeftCorner<3, 3>() =
        math::expSO3<double>(axis.normalized() * (n[3] * std::numbers::pi / 180.0));
  } else if (name == "lookat" || name == "skew") {
    refuse("a node has '" + name + "', which is not supported");
  }
  return T;
}

class ColladaReader {
 public:
  explicit ColladaReader(const std::string& text) {
    const pugi::xml_parse_result result = document_.load_buffer(text.data(), text.size());
    if (!result) refuse(std::string("it is not XML: ") + result.description());
    root_ = document_.child("COLLADA");
    if (!root_) refuse("its outermost element is not 'COLLADA'");
    list(root_);
  }

  Mesh read() {
    const double metre = root_.child("asset").child("unit").attribute("meter").as_double(1.0);
    if (!(metre > 0.0) || !std::isfinite(metre)) refuse("its unit of length is not positive");
    Matrix4d T = Matrix4d::Identity();
    T.topLeftCorner<3, 3>() *= metre;
    const xml_node shown = root_.child("scene").child("instance_visual_scene");
    xml_node scene = shown ? find(shown) : xml_node();
    if (!scene) scene = root_.child("library_visual_scenes").child("visual_scene");
    for (const xml_node& node : scene.children("node")) addNode(node, T, 0);
    if (maker_.triangles() == 0) refuse("its scene has no triangles");
    return maker_.take();
  }

 private:
  void list(const xml_node& start) {
    for (xml_node node = start; node;) {
      if (const pugi::xml_attribute id = node.attribute("id")) byId_.try_emplace(id.value(), node);
      xml_node next = node.first_child();
      while (!next && node && node != start) {
        next = node.next_sibling();
        if (!next) node = node.parent();
      }
      node = next;
    }
  }

  // What "#NAME" stands for.
  xml_node find(const xml_node& by, const char* attribute = "url") const {
    const std::string address = by.attribute(attribute).value();
    const auto found = address.starts_with('#') ? byId_.find(address.substr(1)) : byId_.end();
    if (found == byId_.end()) refuse("'" + address + "' does not exist in it");
    return found->second;
  }

  void addNode(const xml_node& node, const Matrix4d& above, int depth) {
    if (depth > kDeepest) refuse("its nodes contain themselves, or are too deep");
    // A node that is shown twice may be shown 2^40 times within a few lines.
    if (++shown_ > kMostShown) refuse("its scene has more than 100000 nodes");
    Matrix4d T = above;
    for (const xml_node& part : node.children()) {
      const std::string name = part.name();
      if (name == "node") {
        addNode(part, T, depth + 1);
      } else if (name == "instance_node") {
        addNode(find(part), T, depth + 1);
      } else if (name == "instance_geometry") {
        addGeometry(find(part), T);
      } else if (name == "instance_controller") {
        refuse("it has a skin or a morph, which is not supported");
      } else {
        T = T * readTransform(part);
      }
    }
  }

  void addGeometry(const xml_node& geometry, const Matrix4d& T) {
    const xml_node mesh = geometry.child("mesh");
    for (const xml_node& part : mesh.children()) {
      const std::string kind = part.name();
      if (kind == "tristrips" || kind == "trifans") refuse("'" + kind + "' are not supported");
      if (kind != "triangles" && kind != "polylist" && kind != "polygons") continue;
      addFaces(part, kind, T);
    }
  }

  // Where the numbers of a corner name a position, and of how many they are one.
  struct Layout {
    std::size_t offset = 0, stride = 1;
    std::vector<double> numbers;
    std::size_t step = 3;  // from one position to the next
  };

  Layout readLayout(const xml_node& faces) {
    Layout layout;
    std::optional<xml_node> vertices;
    for (const xml_node& input : faces.children("input")) {
      const std::size_t offset = input.attribute("offset").as_uint(0);
      if (offset > 64) refuse("the inputs of its faces are damaged");
      layout.stride = std::max(layout.stride, offset + 1);
      if (std::string(input.attribute("semantic").value()) != "VERTEX") continue;
      layout.offset = offset;
      vertices = find(input, "source");
    }
    if (!vertices) refuse("its faces have no vertices");
    for (const xml_node& input : vertices->children("input")) {
      if (std::string(input.attribute("semantic").value()) != "POSITION") continue;
      const xml_node source = find(input, "source");
      layout.numbers = readMeshNumbers<double>(source.child("float_array").child_value());
      numbers_ += layout.numbers.size();
      if (numbers_ > kMostNumbers) refuse("it shows its geometries too often");
      const xml_node accessor = source.child("technique_common").child("accessor");
      layout.step = accessor.attribute("stride").as_uint(3);
      if (layout.step < 3) refuse("its positions do not have three numbers");
    }
    return layout;
  }

  void addFaces(const xml_node& faces, const std::string& kind, const Matrix4d& T) {
    const Layout layout = readLayout(faces);
    std::vector<std::size_t> counts;
    if (kind == "polylist") {
      counts = readMeshNumbers<std::size_t>(faces.child("vcount").child_value());
    }
    if (faces.child("ph")) refuse("a polygon has holes, which is not supported");
    std::size_t face = 0;
    for (const xml_node& list : faces.children("p")) {
      const auto indices = readMeshNumbers<std::size_t>(list.child_value());
      const std::size_t corners = indices.size() / layout.stride;
      for (std::size_t first = 0; first < corners; ++face) {
        const std::size_t count = kind == "triangles"    ? 3
                                  : kind == "polygons"   ? corners
                                  : face < counts.size() ? counts[face]
                                                         : 0;
        if (count < 3 || count > corners - first) refuse("its faces are incomplete");
        addFace(layout, indices, first, count, T);
        first += count;
      }
    }
  }

  void addFace(const Layout& layout, const std::vector<std::size_t>& indices, std::size_t first,
               std::size_t count, const Matrix4d& T) {
    const auto add = [&](std::size_t corner) {
      const std::size_t at = indices[(first + corner) * layout.stride + layout.offset];
      if (at >= layout.numbers.size() / layout.step) {
        refuse("a face refers to a vertex that does not exist");
      }
      const double* x = layout.numbers.data() + at * layout.step;
      const Eigen::Vector4d moved = T * Eigen::Vector4d(x[0], x[1], x[2], 1.0);
      maker_.addCorner({static_cast<float>(moved[0]), static_cast<float>(moved[1]),
                        static_cast<float>(moved[2])});
    };
    for (std::size_t k = 2; k < count; ++k) {
      checkTriangleCount(maker_.triangles() + 1);
      add(0);
      add(k - 1);
      add(k);
    }
  }

  static constexpr int kMostShown = 100'000;
  static constexpr std::size_t kMostNumbers = 100'000'000;  // read, with repetitions

  pugi::xml_document document_;
  xml_node root_;
  std::map<std::string, xml_node> byId_;
  MeshMaker maker_;
  int shown_ = 0;
  std::size_t numbers_ = 0;
};

}  // namespace

Mesh readColladaMesh(const std::string& text) {
  return ColladaReader(text).read();
}

}  // namespace flexloop::view
