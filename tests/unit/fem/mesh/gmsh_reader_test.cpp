#include <bit>
#include <cstring>

#include <gtest/gtest.h>

#include "fem/mesh/mesh_file.hpp"
#include "support/message_matchers.hpp"

namespace flexloop::fem {
namespace {

base::Result<MeshFile> readText(const std::string& text) {
  return readMeshText(text, "part.msh", 1.0);
}

const std::string kHead = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const std::string kNodes = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
const std::string kElements = "$Elements\n1\n1 4 2 7 1 1 2 3 4\n$EndElements\n";

void expectFailure(const std::string& text, const std::string& message,
                   const std::string& hint = {}) {
  const base::Result<MeshFile> file = readText(text);
  ASSERT_FALSE(file) << message;
  EXPECT_TRUE(test::says(file.failure().message, message));
  EXPECT_TRUE(test::says(file.failure().hint, hint));
}

TEST(GmshReader, ReadsATetrahedronAndItsNumberedGroup) {
  const base::Result<MeshFile> file = readText(kHead + kNodes + kElements);
  ASSERT_TRUE(file);
  const Mesh& mesh = file.value().mesh;
  EXPECT_EQ(mesh.elementNodes, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(mesh.nodeSets.at("7").size(), 4U);
  EXPECT_EQ(mesh.properties[mesh.elements[0].property].name, "7");
  EXPECT_EQ(mesh.elements[0].line, 13);
}

TEST(GmshReader, NumberedGroupsOfSeveralDimensionsAreToldApart) {
  const auto file =
      readText(kHead + kNodes +
               "$Elements\n3\n1 2 2 1 1 1 2 3\n2 4 2 1 1 1 2 3 4\n3 15 2 9 1 4\n$EndElements\n");
  ASSERT_TRUE(file);
  const Mesh& mesh = file.value().mesh;
  EXPECT_EQ(mesh.nodeSets.at("surface 1").size(), 3U);
  EXPECT_EQ(mesh.nodeSets.at("volume 1").size(), 4U);
  EXPECT_EQ(mesh.nodeSets.at("9"), std::vector<int>{3});
}

TEST(GmshReader, OtherSectionsAreNamed) {
  const auto file = readText(kHead + "$Comments\nby hand\n$EndComments\n" + kNodes + kElements +
                             "$NodeData\n1\n\"T\"\n$EndNodeData\n$Strange\n$EndStrange\n");
  ASSERT_TRUE(file);
  const std::string notes = file.value().notes.toText();
  EXPECT_TRUE(test::says(notes, "part.msh:4: warning: the section $Comments is not used"));
  EXPECT_TRUE(test::says(notes, "$NodeData is not used"));
  EXPECT_TRUE(test::says(notes, "$Strange is unknown and not used"));
}

TEST(GmshReader, BadFilesAreNamedByLine) {
  expectFailure("$NOD\n", "does not begin with $MeshFormat", "4.1 or 2.2");
  expectFailure("$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", "version 3.0", "4.1");
  expectFailure(kHead + "$Nodes\n1000000000000000000\n1 0 0 0\n$EndNodes\n",
                "promises 1000000000000000000 nodes");
  expectFailure(kHead + "$Nodes\n4\n1 0 0 0\n2 1 0 0\n", "ends within $Nodes", "cut off");
  expectFailure(kHead + "$Nodes\n1\n1 0 zero 0\n$EndNodes\n", "part.msh:6: 'zero'");
  expectFailure(kHead + "$Nodes\n1\n1 0 inf 0\n$EndNodes\n", "part.msh:6:");
  expectFailure(kHead + "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n" + kElements,
                "node 1 is given twice");
  expectFailure(kHead + "$Nodes\n1\n1 0 0 0\n2 0 0 1\n$EndNodes\n",
                "does not end where its numbers say");
  expectFailure(kHead + kNodes, "no section $Elements");
  expectFailure(kHead + kElements, "no section $Nodes");
  expectFailure(kHead + kNodes + kNodes, "second section $Nodes");
  expectFailure(kHead + kNodes + "$Elements\n1\n1 4 2 7 1 1 2 3 9\n$EndElements\n",
                "part.msh:13: element 1 refers to node 9");
  expectFailure(
      kHead + kNodes + "$Elements\n2\n1 4 2 7 1 1 2 3 4\n1 4 2 7 1 1 2 3 4\n$EndElements\n",
      "element 1 is given twice");
  expectFailure(kHead + kNodes + "$Elements\n1\n1 19 2 7 1 1 2 3 4\n$EndElements\n", "type 19",
                "5 nodes");
  expectFailure(kHead + kNodes + "$Elements\n1\n1 99 2 7 1 1 2 3 4\n$EndElements\n", "type 99");
  expectFailure(kHead + kNodes + "$Elemens\n1\n", "$Elemens has no end", "$Elements");
  expectFailure(kHead + "$PhysicalNames\n1\n2 1 foot\n$EndPhysicalNames\n",
                "dimension number \"name\"");
  expectFailure(kHead + "what\n", "'what' is outside");
}

// A binary file of one tetrahedron, with numbers of nodes of 4 or 8 bytes and in either order of bytes.
class BinaryWriter {
 public:
  BinaryWriter(bool isSwapped, int sizeBytes) : isSwapped_(isSwapped), sizeBytes_(sizeBytes) {}

  template <class T>
  void add(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    if (isSwapped_) std::reverse(bytes, bytes + sizeof(T));
    text.append(bytes, sizeof(T));
  }
  void addSize(std::int64_t value) {
    if (sizeBytes_ == 8) return add<std::int64_t>(value);
    add<std::int32_t>(static_cast<std::int32_t>(value));
  }
  std::string text;

 private:
  bool isSwapped_;
  int sizeBytes_;
};

constexpr double kCorners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

std::string makeBinary41(bool isSwapped, int sizeBytes) {
  BinaryWriter out(isSwapped, sizeBytes);
  out.text = "$MeshFormat\n4.1 1 " + std::to_string(sizeBytes) + "\n";
  out.add<std::int32_t>(1);
  out.text += "\n$EndMeshFormat\n$Entities\n";
  for (const int count : {0, 0, 0, 1}) out.addSize(count);
  out.add<std::int32_t>(5);
  for (int i = 0; i < 6; ++i) out.add<double>(0.0);
  out.addSize(1);
  out.add<std::int32_t>(7);
  out.addSize(0);
  out.text += "\n$EndEntities\n$Nodes\n";
  for (const int number : {1, 4, 1, 4}) out.addSize(number);
  for (const int number : {3, 5, 0}) out.add<std::int32_t>(number);
  out.addSize(4);
  for (int i = 1; i <= 4; ++i) out.addSize(i);
  for (const auto& corner : kCorners) {
    for (const double x : corner) out.add<double>(x);
  }
  out.text += "\n$EndNodes\n$Elements\n";
  for (const int number : {1, 1, 1, 1}) out.addSize(number);
  for (const int number : {3, 5, 4}) out.add<std::int32_t>(number);
  out.addSize(1);
  for (const int number : {1, 1, 2, 3, 4}) out.addSize(number);
  out.text += "\n$EndElements\n";
  return out.text;
}

std::string makeBinary22(bool isSwapped) {
  BinaryWriter out(isSwapped, 8);
  out.text = "$MeshFormat\n2.2 1 8\n";
  out.add<std::int32_t>(1);
  out.text += "\n$EndMeshFormat\n$Nodes\n4\n";
  for (int i = 0; i < 4; ++i) {
    out.add<std::int32_t>(i + 1);
    for (const double x : kCorners[i]) out.add<double>(x);
  }
  out.text += "\n$EndNodes\n$Elements\n1\n";
  for (const int number : {4, 1, 2, 1, 7, 5, 1, 2, 3, 4}) out.add<std::int32_t>(number);
  out.text += "\n$EndElements\n";
  return out.text;
}

TEST(GmshReader, ReadsBothOrdersOfBytesAndSizes) {
  for (const bool isSwapped : {false, true}) {
    for (const std::string& text :
         {makeBinary41(isSwapped, 8), makeBinary41(isSwapped, 4), makeBinary22(isSwapped)}) {
      const base::Result<MeshFile> file = readText(text);
      ASSERT_TRUE(file) << file.failure().message;
      EXPECT_EQ(file.value().mesh.points[3], Eigen::Vector3d(0, 0, 1));
      EXPECT_EQ(file.value().mesh.nodeSets.at("7").size(), 4U);
    }
  }
}

TEST(GmshReader, BinaryFilesThatAreCutOffFail) {
  for (const std::string& text : {makeBinary41(false, 8), makeBinary22(false)}) {
    for (std::size_t size = 0; size + 14 < text.size(); ++size)
      EXPECT_FALSE(readText(text.substr(0, size)));
  }
}

}  // namespace
}  // namespace flexloop::fem
