#include "fem/parts/part_key.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "base/file_text.hpp"
#include "base/text_format.hpp"
#include "fem/reduction/part_cache.hpp"

namespace flexloop::fem {
namespace {

constexpr std::size_t kLargestMesh = std::size_t{8} << 30;

class KeyText {
 public:
  void add(const std::string& word) { text_ += word + '\n'; }
  void add(double number) { add(base::numberText(number)); }
  void add(const Eigen::Vector3d& v) {
    for (int a = 0; a < 3; ++a) add(v[a]);
  }
  void add(const MeshMaterial& material) {
    add(material.name);
    for (const double number : {material.E, material.nu, material.rho, material.expansion})
      add(number);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string describe(const PartRequest& request, bool compares) {
  KeyText key;
  key.add(compares ? "compared" : "plain");
  key.add(request.unit);
  if (request.block) {
    key.add(request.block->size);
    for (const int count : request.block->elements) key.add(count);
    key.add(nameOf(request.block->shape));
  }
  for (const std::string& set : request.elements) key.add("elements " + set);
  if (request.material) key.add(*request.material);
  for (const auto& [group, material] : request.materials) {
    key.add("material of " + group);
    key.add(material);
  }
  for (const auto& [group, thickness] : request.thickness) {
    key.add("thickness of " + group);
    key.add(thickness);
  }
  for (const InterfaceRequest& interface : request.interfaces) {
    key.add("interface " + interface.name + (interface.spread ? " spread " : " rigid ") +
            interface.set);
    if (interface.modes > 0) key.add("interface modes " + std::to_string(interface.modes));
    if (interface.meshNode) key.add(static_cast<double>(*interface.meshNode));
    if (interface.at) key.add(*interface.at);
  }
  for (const std::string& node : request.recover) key.add("recover " + node);
  for (const std::string& name : request.held) key.add("held " + name);
  return key.text();
}

std::string describeReduction(const PartRequest& request) {
  ReductionOptions options;
  options.method = request.method;
  if (request.modes) options.modes = *request.modes;
  options.upTo = request.upTo;
  options.accuracy = request.accuracy;
  options.damping = request.damping;
  options.stiffening = request.hasStiffening;
  options.foreshortening = request.hasForeshortening;
  return describeOptions(options);
}

bool includesOthers(const std::string& text) {
  constexpr std::string_view kWord = "include";
  return std::search(text.begin(), text.end(), kWord.begin(), kWord.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         }) != text.end();
}

}  // namespace

std::string findRequestKey(const PartRequest& request) {
  return makePartKey({}, describe(request, false) + describeReduction(request));
}

std::string findPartKey(const PartRequest& request, bool compares) {
  std::vector<std::string> files;
  if (!request.mesh.empty()) files.push_back(request.mesh);
  if (request.matrices) {
    files.insert(files.end(), {request.matrices->K, request.matrices->M, request.matrices->nodes});
  }
  std::vector<std::string> texts;
  for (const std::string& file : files) {
    const base::Result<std::string> text = base::readFileText(file, kLargestMesh);
    if (!text || includesOthers(text.value())) return {};
    texts.push_back(text.value());
  }
  const std::vector<std::string_view> contents(texts.begin(), texts.end());
  return makePartKey(contents, describe(request, compares) + describeReduction(request));
}

}  // namespace flexloop::fem
