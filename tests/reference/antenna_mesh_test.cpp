// The antenna on finer meshes, which models/antenna/refine.py makes of the shipped one.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fem/parts/part_study.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::test {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

int refine(const std::string& from, const std::string& to, const std::string& times) {
  const std::string command = "python3 " + inProject("models/antenna/refine.py") + " " + from +
                              " " + to + " " + times + " > /dev/null";
  return std::system(command.c_str());
}

// A curved tetrahedron with a curved shell on one of its faces.
constexpr const char* kPieces = R"(*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
5, 0.5, 0, -0.05
6, 0.55, 0.5, 0
7, 0, 0.5, 0
8, 0, 0, 0.5
9, 0.5, 0, 0.5
10, 0, 0.5, 0.52
*ELEMENT, TYPE=C3D10, ELSET=SOLID
1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
*ELEMENT, TYPE=S6, ELSET=SKIN
2, 1, 2, 3, 5, 6, 7
*NSET, NSET=FACE
1, 2, 3, 5, 6, 7
*NSET, NSET=EDGE
1, 5, 2
*MATERIAL, NAME=M
*ELASTIC
1e9, 0.3
*DENSITY
1000
*SOLID SECTION, ELSET=SOLID, MATERIAL=M
*SHELL SECTION, ELSET=SKIN, MATERIAL=M
0.001
)";

TEST(AntennaMesh, RefinementKeepsShapesAndSets) {
  const TemporaryFolder folder;
  const std::string coarse = folder.write("coarse.inp", kPieces);
  ASSERT_EQ(refine(coarse, folder.file("fine.inp"), "2"), 0);
  fem::PartStudyRequest request;
  request.modes = 0;
  request.part.mesh = coarse;
  const auto before = fem::studyPart(request);
  request.part.mesh = folder.file("fine.inp");
  const auto after = fem::studyPart(request);
  ASSERT_TRUE(before) << before.failure().message;
  ASSERT_TRUE(after) << after.failure().message;
  EXPECT_EQ(after.value().elements.at("tet10"), 64);
  EXPECT_EQ(after.value().elements.at("tri6"), 16);
  // Eight elements along each edge: (8 + 1)(8 + 2)(8 + 3)/6 nodes, (8 + 1)(8 + 2)/2 on the face, 9 on the edge.
  EXPECT_EQ(after.value().nodes, 165);
  EXPECT_EQ(after.value().mesh.nodeSets.at("FACE").size(), 45U);
  EXPECT_EQ(after.value().mesh.nodeSets.at("EDGE").size(), 9U);
  EXPECT_NEAR(after.value().volume / before.value().volume, 1.0, 1e-4);
  EXPECT_NEAR(after.value().mass / before.value().mass, 1.0, 1e-4);
}

// More than 900,000 freedoms, reduced to no more than 850 coordinates in five minutes of two processors and 16 GB; and the
// closed-loop modes of CalculiX.
TEST(AntennaMeshSlow, AMillionFreedomsAreReduced) {
  const TemporaryFolder folder;
  const fs::path model = inProject("models/antenna");
  fs::copy_file(model / "model.yaml", folder.file("model.yaml"));
  ASSERT_EQ(refine((model / "antenna.inp").string(), folder.file("antenna.inp"), "2 E_PEDESTAL=3"),
            0);
  setenv("FLEXLOOP_CACHE", "off", 1);
  const auto modes = testing::runProgram({"modes", "model.yaml", "-p", "ki=0", "-p", "kd=0",
                                          "--count", "5", "--quiet", "--json", "modes.json"},
                                         folder.file(""));
  unsetenv("FLEXLOOP_CACHE");
  ASSERT_EQ(modes.exitCode, 0) << modes.errors;
  std::printf("%.0f s, %.0f s of CPU, %.0f MB\n", modes.seconds, modes.cpuSeconds,
              modes.peakMegabytes);
  EXPECT_LT(modes.cpuSeconds, 600.0);
  EXPECT_LT(modes.peakMegabytes, 16384.0);
  const auto json = nlohmann::json::parse(testing::readWhole(folder.file("modes.json")));
  const double expected[5] = {8.407, 10.217, 24.417, 35.954, 44.514};
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(json["modes"][i]["frequency_hz"].get<double>() / expected[i], 1.0, 0.05) << i;
  }
}

}  // namespace
}  // namespace flexloop::test
