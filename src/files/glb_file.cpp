#include "files/glb_file.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "base/json.hpp"
#include "files/output_file.hpp"

namespace flexloop::files {
namespace {

using Json = nlohmann::ordered_json;

// Numbers of the glTF standard.
constexpr int kUnsignedShort = 5123, kUnsignedInt = 5125, kFloat = 5126;
constexpr int kVertexBuffer = 34962, kIndexBuffer = 34963;
constexpr std::uint32_t kMagic = 0x46546C67, kVersion = 2, kJsonChunk = 0x4E4F534A,
                        kBinaryChunk = 0x004E4942;
constexpr std::size_t kAlignment = 4;

template <class Number>
std::string_view bytesOf(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

void appendNumber(std::uint32_t number, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

Json rangeOf(const std::vector<float>& numbers, std::size_t components, bool largest) {
  Json range = Json::array();
  for (std::size_t c = 0; c < components; ++c) {
    float value = numbers.empty() ? 0.0F : numbers[c];
    for (std::size_t i = c; i < numbers.size(); i += components) {
      value = largest ? std::max(value, numbers[i]) : std::min(value, numbers[i]);
    }
    range.push_back(value);
  }
  return range;
}

class GlbWriter {
 public:
  explicit GlbWriter(const GlbMachine& machine) : machine_(machine), nodes_(machine.nodes.size()) {
    json_["asset"] = {{"version", "2.0"}, {"generator", "Flexloop"}};
    json_["scene"] = 0;
    addNodes();
    addSkin();
    addMesh();
    for (const GlbFlexible& flexible : machine.flexibles) addFlexible(flexible);
    for (const GlbAnimation& animation : machine.animations) addAnimation(animation);
    json_["buffers"] = {{{"byteLength", binary_.size()}}};
  }

  void write(const std::string& path) {
    std::string text = json_.dump();
    text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
    std::string head;
    const std::size_t chunkHead = 2 * sizeof(std::uint32_t);
    const std::size_t whole = 12 + 2 * chunkHead + text.size() + binary_.size();
    appendNumber(kMagic, head);
    appendNumber(kVersion, head);
    appendNumber(static_cast<std::uint32_t>(whole), head);
    appendNumber(static_cast<std::uint32_t>(text.size()), head);
    appendNumber(kJsonChunk, head);
    OutputFile file(path);
    file.write(head);
    file.write(text);
    head.clear();
    appendNumber(static_cast<std::uint32_t>(binary_.size()), head);
    appendNumber(kBinaryChunk, head);
    file.write(head);
    file.write(binary_);
    file.close();
  }

 private:
  // Among the nodes of the file, whose first one carries all others.
  static std::size_t boneOf(std::size_t node) { return node + 1; }
  const float* frameOf(std::size_t node) const { return &machine_.frames[node * kGlbFrame]; }

  // Of quaternions, glTF writes x y z w. The first node turns z upwards, where glTF has y.
  void addNodes() {
    Json bones = Json::array();
    for (std::size_t i = 0; i < nodes_; ++i) bones.push_back(boneOf(i));
    for (std::size_t i = 0; i <= machine_.flexibles.size(); ++i)
      bones.push_back(boneOf(nodes_ + i));
    json_["nodes"] = {{{"name", "machine"},
                       {"rotation", {-std::sqrt(0.5), 0.0, 0.0, std::sqrt(0.5)}},
                       {"children", bones}}};
    for (std::size_t i = 0; i < nodes_; ++i) {
      const float* f = frameOf(i);
      json_["nodes"].push_back({{"name", machine_.nodes[i]},
                                {"translation", {f[0], f[1], f[2]}},
                                {"rotation", {f[4], f[5], f[6], f[3]}}});
    }
    std::size_t mesh = 0;
    const auto addDrawn = [&](const std::string& name, bool isDrawn) {
      Json node = {{"name", name}};
      if (isDrawn) node.update({{"mesh", mesh++}, {"skin", 0}});
      json_["nodes"].push_back(std::move(node));
    };
    addDrawn(machine_.title, !machine_.parts.empty());
    for (const GlbFlexible& flexible : machine_.flexibles) addDrawn(flexible.name, true);
    json_["scenes"] = {{{"name", machine_.title}, {"nodes", {0}}}};
  }

  // A bone takes points from where they are at rest: the inverse of its frame comes first.
  void addSkin() {
    std::vector<float> inverses;
    Json joints = Json::array();
    for (std::size_t i = 0; i < nodes_; ++i) {
      const float* f = frameOf(i);
      Eigen::Affine3d frame = Eigen::Translation3d(f[0], f[1], f[2]) *
                              Eigen::Quaterniond(f[3], f[4], f[5], f[6]).normalized();
      Eigen::Matrix4f inverse = frame.inverse(Eigen::Isometry).matrix().cast<float>();
      inverse.row(3) << 0.0F, 0.0F, 0.0F, 1.0F;
      inverses.insert(inverses.end(), inverse.data(), inverse.data() + inverse.size());
      joints.push_back(boneOf(i));
    }
    const int matrices = addAccessor(bytesOf(inverses), kFloat, "MAT4", nodes_);
    json_["skins"] = {{{"inverseBindMatrices", matrices}, {"joints", joints}}};
  }

  int addPoints(const std::vector<float>& points) {
    const int accessor =
        addAccessor(bytesOf(points), kFloat, "VEC3", points.size() / 3, kVertexBuffer);
    json_["accessors"].back()["min"] = rangeOf(points, 3, false);
    json_["accessors"].back()["max"] = rangeOf(points, 3, true);
    return accessor;
  }

  // Points that each follow one node.
  Json makeAttributes(const std::vector<float>& at, const std::vector<std::uint16_t>& nodes) {
    const std::size_t points = nodes.size();
    std::vector<std::uint16_t> joints(4 * points, 0);
    std::vector<float> weights(4 * points, 0.0F);
    for (std::size_t i = 0; i < points; ++i) {
      joints[4 * i] = nodes[i];
      weights[4 * i] = 1.0F;
    }
    const int position = addPoints(at);
    return {
        {"POSITION", position},
        {"JOINTS_0", addAccessor(bytesOf(joints), kUnsignedShort, "VEC4", points, kVertexBuffer)},
        {"WEIGHTS_0", addAccessor(bytesOf(weights), kFloat, "VEC4", points, kVertexBuffer)}};
  }

  template <class Part>
  Json makePrimitive(const Json& attributes, const Part& part) {
    Json primitive = {{"attributes", attributes},
                      {"indices", addAccessor(bytesOf(part.triangles), kUnsignedInt, "SCALAR",
                                              part.triangles.size(), kIndexBuffer)},
                      {"material", json_["materials"].size()}};
    json_["materials"].push_back(makeMaterial(part.name, part.colour));
    return primitive;
  }

  void addMesh() {
    json_["materials"] = Json::array();
    json_["meshes"] = Json::array();
    if (machine_.parts.empty()) return;
    const Json attributes = makeAttributes(machine_.points, machine_.nodeOfPoint);
    Json primitives = Json::array();
    for (const GlbPart& part : machine_.parts)
      primitives.push_back(makePrimitive(attributes, part));
    json_["meshes"].push_back({{"name", machine_.title}, {"primitives", primitives}});
  }

  void addFlexible(const GlbFlexible& flexible) {
    const std::vector<std::uint16_t> nodes(flexible.points.size() / 3, flexible.node);
    Json attributes = makeAttributes(flexible.points, nodes);
    if (!flexible.stress.empty()) addStress(flexible.stress, attributes);
    Json primitive = makePrimitive(attributes, flexible);
    if (!flexible.stress.empty()) {
      // Colours of points are multiplied with that of the material.
      json_["materials"].back()["pbrMetallicRoughness"]["baseColorFactor"] = {1.0, 1.0, 1.0, 1.0};
    }
    Json targets = Json::array();
    for (const std::vector<float>& shape : flexible.shapes) {
      targets.push_back({{"POSITION", addPoints(shape)}});
    }
    Json mesh = {{"name", flexible.name}, {"primitives", Json::array()}};
    if (!targets.empty()) {
      primitive["targets"] = std::move(targets);
      mesh["weights"] = flexible.weights;
    }
    mesh["primitives"].push_back(std::move(primitive));
    json_["meshes"].push_back(std::move(mesh));
  }

  void addStress(const std::vector<float>& stress, Json& attributes) {
    const float largest = std::max(*std::max_element(stress.begin(), stress.end()), 1e-30F);
    std::vector<float> colours;
    for (const float value : stress) {
      const float hue =
          4.0F * std::clamp(value / largest, 0.0F, 1.0F);  // blue cyan green yellow red
      for (const float peak : {3.5F, 2.0F, 0.5F})
        colours.push_back(std::clamp(2.0F - std::abs(hue - peak), 0.0F, 1.0F));
    }
    attributes["_VON_MISES"] =
        addAccessor(bytesOf(stress), kFloat, "SCALAR", stress.size(), kVertexBuffer);
    json_["accessors"].back()["min"] = rangeOf(stress, 1, false);
    json_["accessors"].back()["max"] = rangeOf(stress, 1, true);
    attributes["COLOR_0"] =
        addAccessor(bytesOf(colours), kFloat, "VEC3", stress.size(), kVertexBuffer);
  }

  static Json makeMaterial(const std::string& name, const std::array<float, 4>& colour) {
    Json material = {
        {"name", name},
        {"pbrMetallicRoughness",
         {{"baseColorFactor", colour}, {"metallicFactor", 0.1}, {"roughnessFactor", 0.6}}},
        {"doubleSided", true}};
    if (colour[3] < 1.0F) material["alphaMode"] = "BLEND";
    return material;
  }

  void addAnimation(const GlbAnimation& animation) {
    const std::size_t count = animation.times.size();
    const int input = addAccessor(bytesOf(animation.times), kFloat, "SCALAR", count);
    json_["accessors"].back()["min"] = rangeOf(animation.times, 1, false);
    json_["accessors"].back()["max"] = rangeOf(animation.times, 1, true);
    Json samplers = Json::array(), channels = Json::array();
    const auto addChannel = [&](std::size_t node, const char* path, int output) {
      channels.push_back(
          {{"sampler", samplers.size()}, {"target", {{"node", boneOf(node)}, {"path", path}}}});
      samplers.push_back({{"input", input}, {"output", output}, {"interpolation", "LINEAR"}});
    };
    for (std::size_t node = 0; node < nodes_; ++node) {
      std::vector<float> translations, rotations;
      for (std::size_t k = 0; k < count; ++k) {
        const float* f = &animation.frames[(k * nodes_ + node) * kGlbFrame];
        translations.insert(translations.end(), {f[0], f[1], f[2]});
        rotations.insert(rotations.end(), {f[4], f[5], f[6], f[3]});
      }
      addChannel(node, "translation", addAccessor(bytesOf(translations), kFloat, "VEC3", count));
      addChannel(node, "rotation", addAccessor(bytesOf(rotations), kFloat, "VEC4", count));
    }
    std::size_t first = 0;
    const std::size_t width = count == 0 ? 0 : animation.weights.size() / count;
    for (std::size_t i = 0; i < machine_.flexibles.size(); ++i) {
      const std::size_t shapes = machine_.flexibles[i].shapes.size();
      if (shapes == 0) continue;
      std::vector<float> weights;
      for (std::size_t k = 0; k < count; ++k) {
        const float* row = animation.weights.data() + k * width + first;
        weights.insert(weights.end(), row, row + shapes);
      }
      addChannel(nodes_ + 1 + i, "weights",
                 addAccessor(bytesOf(weights), kFloat, "SCALAR", weights.size()));
      first += shapes;
    }
    json_["animations"].push_back(
        {{"name", animation.name}, {"channels", channels}, {"samplers", samplers}});
  }

  int addAccessor(std::string_view bytes, int componentType, const char* type, std::size_t count,
                  int target = 0) {
    Json view = {{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", bytes.size()}};
    if (target != 0) view["target"] = target;
    json_["bufferViews"].push_back(view);
    binary_.append(bytes);
    binary_.append((kAlignment - binary_.size() % kAlignment) % kAlignment, '\0');
    json_["accessors"].push_back({{"bufferView", json_["bufferViews"].size() - 1},
                                  {"componentType", componentType},
                                  {"count", count},
                                  {"type", type}});
    return static_cast<int>(json_["accessors"].size()) - 1;
  }

  const GlbMachine& machine_;
  std::size_t nodes_;
  Json json_;
  std::string binary_;
};

}  // namespace

void writeGlb(const std::string& path, const GlbMachine& machine) {
  GlbWriter(machine).write(path);
}

}  // namespace flexloop::files
