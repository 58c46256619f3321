#include "view/scene/obj_mesh.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "view/scene/mesh_maker.hpp"
#include "view/scene/mesh_text.hpp"

namespace flexloop::view {
namespace {

class ObjReader {
 public:
  Mesh read(const std::string& text) {
    std::string line;  // with those that it continues on
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view part(text.data() + at, end - at);
      at = end + 1;
      if (part.ends_with('\r')) part.remove_suffix(1);
      const bool isContinued = part.ends_with('\\');
      if (isContinued) part.remove_suffix(1);
      line.append(part).append(" ");
      if (isContinued) continue;
      readLine(line);
      line.clear();
    }
    readLine(line);
    if (maker_.triangles() == 0) throw std::runtime_error("it has no faces");
    return maker_.take();
  }

 private:
  void readLine(std::string_view line) {
    MeshWords words(line.substr(0, line.find('#')));
    const std::string_view kind = words.next();
    if (kind == "v") readVertex(words);
    if (kind == "f") readFace(words);
  }

  // Weights and colours may follow.
  void readVertex(MeshWords& words) {
    std::array<float, 3> vertex;
    for (float& x : vertex) {
      const std::string_view word = words.next();
      if (word.empty()) throw std::runtime_error("a vertex does not have three numbers");
      x = readMeshNumber<float>(word);
    }
    vertices_.push_back(vertex);
  }

  // Of "v/vt/vn" the first, counted from 1, or back from the last vertex so far.
  const std::array<float, 3>& findVertex(std::string_view word) const {
    const auto number = readMeshNumber<long long>(word.substr(0, word.find('/')));
    const auto count = static_cast<long long>(vertices_.size());
    const long long index = number > 0 ? number - 1 : count + number;
    if (number == 0 || index < 0 || index >= count) {
      throw std::runtime_error("a face refers to vertex " + std::to_string(number) +
                               ", and there are " + std::to_string(count) + " before it");
    }
    return vertices_[static_cast<std::size_t>(index)];
  }

  void readFace(MeshWords& words) {
    std::vector<std::string_view> corners;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      corners.push_back(word);
    }
    if (corners.size() < 3) throw std::runtime_error("a face has less than three corners");
    for (std::size_t k = 2; k < corners.size(); ++k) {
      checkTriangleCount(maker_.triangles() + 1);
      maker_.addCorner(findVertex(corners[0]));
      maker_.addCorner(findVertex(corners[k - 1]));
      maker_.addCorner(findVertex(corners[k]));
    }
  }

  std::vector<std::array<float, 3>> vertices_;
  MeshMaker maker_;
};

}  // namespace

Mesh readObjMesh(const std::string& text) {
  return ObjReader().read(text);
}

}  // namespace flexloop::view
