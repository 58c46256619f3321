#include "view/scene/mesh_file.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/file_text.hpp"
#include "math/se3.hpp"
#include "view/scene/collada_mesh.hpp"
#include "view/scene/mesh_maker.hpp"
#include "view/scene/obj_mesh.hpp"

namespace flexloop::view {
namespace {

static_assert(std::endian::native == std::endian::little, "files hold little-endian numbers");

template <class Number>
Number take(std::string_view bytes, std::size_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(Number)) {
    throw std::runtime_error("the file is truncated");
  }
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof(Number));
  return number;
}

// 80 bytes, the number of triangles, then 50 bytes for each.
bool isBinaryStl(std::string_view bytes) {
  if (bytes.size() < 84) return false;
  return bytes.size() == 84 + std::size_t{50} * take<std::uint32_t>(bytes, 80);
}

Mesh readBinaryStl(std::string_view bytes) {
  const auto triangles = take<std::uint32_t>(bytes, 80);
  checkTriangleCount(triangles);
  MeshMaker maker;
  for (std::size_t t = 0; t < triangles; ++t) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::size_t at = 84 + 50 * t + 12 * (corner + 1);
      maker.addCorner(
          {take<float>(bytes, at), take<float>(bytes, at + 4), take<float>(bytes, at + 8)});
    }
  }
  return maker.take();
}

Mesh readTextStl(const std::string& text) {
  std::istringstream stream(text);
  std::string word;
  MeshMaker maker;
  std::size_t corners = 0;
  while (stream >> word) {
    if (word != "vertex") continue;
    std::array<float, 3> corner;
    if (!(stream >> corner[0] >> corner[1] >> corner[2])) {
      throw std::runtime_error("a vertex does not have three numbers");
    }
    maker.addCorner(corner);
    checkTriangleCount(++corners / 3);
  }
  if (corners == 0 || corners % 3 != 0) throw std::runtime_error("its triangles are incomplete");
  return maker.take();
}

// Positions and indices of all meshes, each as often as a node of the scene shows it.
class GlbReader {
 public:
  explicit GlbReader(std::string_view bytes) {
    constexpr std::size_t kHead = 20;
    const auto length = take<std::uint32_t>(bytes, 12);
    if (bytes.size() < kHead + length) throw std::runtime_error("the file is truncated");
    json_ = nlohmann::json::parse(bytes.substr(kHead, length), nullptr, false);
    if (json_.is_discarded()) throw std::runtime_error("its description is not JSON");
    if (bytes.size() > kHead + length + 8) binary_ = bytes.substr(kHead + length + 8);
  }

  Mesh read() {
    const auto& scenes = json_.value("scenes", nlohmann::json::array());
    const std::size_t scene = json_.value("scene", std::size_t{0});
    if (scene < scenes.size()) {
      addNodes(scenes.at(scene).value("nodes", nlohmann::json::array()));
    }
    if (mesh_.indices.empty()) throw std::runtime_error("it has no triangles");
    return std::move(mesh_);
  }

 private:
  static Eigen::Matrix4d transformOf(const nlohmann::json& node) {
    Eigen::Matrix4d T = Eigen::Matrix4d::Identity();
    if (node.contains("matrix")) {
      for (int i = 0; i < 16; ++i) T.data()[i] = node.at("matrix").at(i).get<double>();
      return T;
    }
    const auto t = node.value("translation", std::vector<double>{0, 0, 0});
    const auto r = node.value("rotation", std::vector<double>{0, 0, 0, 1});
    const auto s = node.value("scale", std::vector<double>{1, 1, 1});
    const Eigen::Vector3d v(r.at(0), r.at(1), r.at(2));
    const Eigen::Matrix3d hat = math::skew<double>(v);
    const Eigen::Matrix3d R = Eigen::Matrix3d::Identity() + 2.0 * r.at(3) * hat + 2.0 * hat * hat;
    for (int i = 0; i < 3; ++i) {
      T.block<3, 1>(0, i) = R.col(i) * s.at(i);
      T(i, 3) = t.at(i);
    }
    return T;
  }

  // The nodes of a file form trees, in which each has at most one parent (glTF 2.0, 3.5.2). A node that is shown twice
  // may be shown 2^40 times within a few lines, and one that is below itself without end.
  void addNodes(const nlohmann::json& roots) {
    std::vector<std::pair<std::size_t, Eigen::Matrix4d>> waiting;
    const auto wait = [&](const nlohmann::json& list, const Eigen::Matrix4d& parent) {
      for (const auto& node : list) waiting.emplace_back(node.get<std::size_t>(), parent);
    };
    const auto& nodes = json_.at("nodes");
    std::vector<bool> isShown(nodes.size(), false);
    wait(roots, Eigen::Matrix4d::Identity());
    while (!waiting.empty()) {
      const auto [index, parent] = waiting.back();
      waiting.pop_back();
      const auto& node = nodes.at(index);
      if (isShown[index]) {
        throw std::runtime_error(
            "node " + std::to_string(index) +
            " has two parents or is its own ancestor; glTF nodes must form a tree");
      }
      isShown[index] = true;
      const Eigen::Matrix4d T = parent * transformOf(node);
      if (node.contains("mesh")) addMesh(node.at("mesh").get<std::size_t>(), T);
      if (node.contains("children")) wait(node.at("children"), T);
    }
  }

  void addMesh(std::size_t index, const Eigen::Matrix4d& T) {
    for (const auto& part : json_.at("meshes").at(index).at("primitives")) {
      if (part.value("mode", 4) == 4) addPart(part, T);
    }
  }

  struct Accessor {
    std::size_t at, count, stride;
    int type;
  };
  Accessor findAccessor(std::size_t index, std::size_t size) const {
    const auto& accessor = json_.at("accessors").at(index);
    const auto& view = json_.at("bufferViews").at(accessor.at("bufferView").get<std::size_t>());
    if (view.value("buffer", 0) != 0) throw std::runtime_error("its numbers are in another file");
    return {accessor.value("byteOffset", std::size_t{0}) + view.value("byteOffset", std::size_t{0}),
            accessor.at("count").get<std::size_t>(), view.value("byteStride", size),
            accessor.at("componentType").get<int>()};
  }

  std::uint32_t takeIndex(const Accessor& a, std::size_t size, std::size_t i) const {
    const std::size_t at = a.at + i * size;
    if (size == 1) return take<std::uint8_t>(binary_, at);
    return size == 2 ? take<std::uint16_t>(binary_, at) : take<std::uint32_t>(binary_, at);
  }

  void addPart(const nlohmann::json& part, const Eigen::Matrix4d& T) {
    constexpr int kFloat = 5126, kByte = 5121, kShort = 5123;
    const Accessor points =
        findAccessor(part.at("attributes").at("POSITION").get<std::size_t>(), 3 * sizeof(float));
    if (points.type != kFloat)
      throw std::runtime_error("its positions are not floating-point numbers");
    checkTriangleCount(mesh_.positions.size() / 9 +
                       points.count / 3);  // also where no triangle uses them
    const auto first = static_cast<std::uint32_t>(mesh_.positions.size() / 3);
    for (std::size_t i = 0; i < points.count; ++i) {
      const std::size_t at = points.at + i * points.stride;
      const Eigen::Vector4d x(take<float>(binary_, at), take<float>(binary_, at + 4),
                              take<float>(binary_, at + 8), 1.0);
      const Eigen::Vector4d moved = T * x;
      for (int k = 0; k < 3; ++k) mesh_.positions.push_back(static_cast<float>(moved[k]));
    }
    if (!part.contains("indices")) {
      checkTriangleCount(mesh_.indices.size() / 3 + points.count / 3);
      for (std::uint32_t i = 0; i < points.count; ++i) mesh_.indices.push_back(first + i);
      return;
    }
    const Accessor list = findAccessor(part.at("indices").get<std::size_t>(), 0);
    const std::size_t size = list.type == kByte ? 1 : list.type == kShort ? 2 : 4;
    checkTriangleCount(mesh_.indices.size() / 3 + list.count / 3);
    for (std::size_t i = 0; i < list.count; ++i) {
      const std::uint32_t index = takeIndex(list, size, i);
      if (index >= points.count)
        throw std::runtime_error("a triangle refers to a vertex that does not exist");
      mesh_.indices.push_back(first + index);
    }
  }

  nlohmann::json json_;
  std::string_view binary_;
  Mesh mesh_;
};

Mesh readGlb(const std::string& bytes) {
  try {
    return GlbReader(bytes).read();
  } catch (const nlohmann::json::exception&) {
    throw std::runtime_error(
        "an entry of its description is missing or does not conform to glTF 2.0");
  }
}

void checkMesh(const Mesh& mesh) {
  if (mesh.indices.size() % 3 != 0) throw std::runtime_error("its triangles are incomplete");
  for (const float x : mesh.positions) {
    if (!std::isfinite(x)) throw std::runtime_error("a coordinate is not finite");
  }
}

bool isCollada(const std::string& bytes) {
  constexpr std::size_t kHead = 4096;  // a declaration and comments come before it
  return std::string_view(bytes).substr(0, kHead).find("<COLLADA") != std::string_view::npos;
}

bool endsWith(const std::string& path, std::string_view ending) {
  if (path.size() < ending.size()) return false;
  return std::equal(ending.begin(), ending.end(), path.end() - std::ssize(ending),
                    [](char a, char b) {
                      return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
                    });
}

Mesh readMesh(const std::string& bytes, const std::string& path) {
  if (bytes.starts_with("glTF")) return readGlb(bytes);
  if (isBinaryStl(bytes)) return readBinaryStl(bytes);
  if (bytes.starts_with("solid")) return readTextStl(bytes);
  if (isCollada(bytes)) return readColladaMesh(bytes);
  // An OBJ file begins with anything.
  if (endsWith(path, ".obj")) return readObjMesh(bytes);
  throw std::runtime_error("it is neither STL nor glTF (.glb), OBJ or COLLADA (.dae)");
}

}  // namespace

Mesh readMeshFile(const std::string& path, double scale) {
  const base::Result<std::string> bytes = base::readFileText(path);
  if (!bytes) throw std::runtime_error(bytes.failure().message);
  return readMeshBytes(bytes.value(), path, scale);
}

Mesh readMeshBytes(const std::string& bytes, const std::string& path, double scale) {
  try {
    Mesh mesh = readMesh(bytes, path);
    for (float& x : mesh.positions) x = static_cast<float>(scale * x);
    checkMesh(mesh);
    return mesh;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("the file '" + path + "': " + error.what());
  }
}

}  // namespace flexloop::view
