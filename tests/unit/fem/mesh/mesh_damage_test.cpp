// Readers of files from strangers must end with a mesh or a message, whatever the bytes are.
#include <random>

#include <gtest/gtest.h>

#include "fem/mesh/mesh_file.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::fem {
namespace {

void expectMeshOrMessage(const std::string& text, const std::string& path) {
  const base::Result<MeshFile> file = readMeshText(text, path, 1.0);
  if (!file) {
    EXPECT_FALSE(file.failure().message.empty());
    return;
  }
  const Mesh& mesh = file.value().mesh;
  for (const int node : mesh.elementNodes) {
    ASSERT_GE(node, 0);
    ASSERT_LT(node, static_cast<int>(mesh.points.size()));
  }
  for (const auto& [name, nodes] : mesh.nodeSets) {
    for (const int node : nodes) ASSERT_LT(node, static_cast<int>(mesh.points.size()));
  }
  for (const auto& [name, elements] : mesh.elementSets) {
    for (const int element : elements) ASSERT_LT(element, static_cast<int>(mesh.elements.size()));
  }
}

TEST(DamagedMeshes, GiveAMeshOrAMessage) {
  std::mt19937 random(7);
  for (const char* name : {"hex_22.msh", "wedge_22_binary.msh", "wedge_41.msh", "hex_41_binary.msh",
                           "hex.inp", "hex.bdf"}) {
    const std::string path = test::inProject(std::string("tests/fixtures/meshes/") + name);
    const std::string text = testing::readWhole(path);
    ASSERT_FALSE(text.empty()) << path;
    for (std::size_t size = 0; size < text.size(); size += 17)
      expectMeshOrMessage(text.substr(0, size), path);
    for (int run = 0; run < 300; ++run) {
      std::string changed = text;
      for (int k = 0; k < 1 + run % 4; ++k)
        changed[random() % changed.size()] = static_cast<char>(random());
      expectMeshOrMessage(changed, path);
    }
  }
}

}  // namespace
}  // namespace flexloop::fem
