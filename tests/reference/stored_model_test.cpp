// What comes after a run works from the files that ran, whatever has become of them since.
#include <filesystem>

#include <gtest/gtest.h>

#include "results/result_reader.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

namespace fs = std::filesystem;
using testing::ProgramResult;
using testing::readWhole;
using testing::TemporaryFolder;

constexpr const char* kModel = R"(flexloop: 1
include: [parts/beam.yaml, parts/again.yaml]
gravity: [0, 0, -9.81]
nodes: {a: [0, 0, 0], b: [1, 0, 0]}
joints: {hinge: {type: hinge, between: [ground, a], axis: [0, 1, 0]}}
outputs: [{name: tip, measure: position, node: b}]
analysis: {time: {end: 20 ms, step: 1 ms, record: {frames: true}}}
)";
constexpr const char* kBeam = R"(include: material.yaml
sections: {bar: {type: rectangle, width: 10 mm, height: 10 mm}}
beams: {bar: {from: a, to: b, elements: 4, section: bar, material: soft, y_axis: [0, 1, 0]}}
bodies: {tip: {node: b, mass: 0.1, inertia: [1, 1, 1], shape: {type: mesh, file: ../tip.stl}}}
)";
constexpr const char* kMaterial = "materials: {soft: {E: 2.1 GPa, nu: 0.3, rho: 1000}}\n";

std::string makeStl(int height) {
  return "solid tip\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 " + std::to_string(height) +
         "\nendfacet\nendsolid\n";
}

class StoredModel : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_.file("machine/parts"));
    folder_.write("machine/model.yaml", kModel);
    folder_.write("machine/parts/beam.yaml", kBeam);
    folder_.write("machine/parts/again.yaml", "include: [../parts/material.yaml]\n");
    folder_.write("machine/parts/material.yaml", kMaterial);
    folder_.write("machine/tip.stl", makeStl(0));
    const ProgramResult ran = run({"run", "machine/model.yaml", "--checkpoint", "0.01"});
    ASSERT_EQ(ran.exitCode, 0) << ran.errors;
  }
  ProgramResult run(const std::vector<std::string>& words) {
    return testing::runProgram(words, folder_.file(""));
  }
  void setElements(const std::string& count) {
    std::string beam = kBeam;
    beam.replace(beam.find("elements: 4"), 11, "elements: " + count);
    folder_.write("machine/parts/beam.yaml", beam);
  }
  // Glb, and the last file of a series for ParaView.
  std::string exportAll(std::string& errors) {
    std::string bytes;
    errors.clear();
    for (const char* file : {"x.glb", "x.pvd"}) {
      const ProgramResult result = run({"export", "out/machine", "-o", file});
      EXPECT_EQ(result.exitCode, 0) << result.errors;
      bytes += readWhole(folder_.file(file));
      errors += result.errors;
    }
    return bytes + readWhole(folder_.file("x_files/000020.vtu"));
  }

  TemporaryFolder folder_;
  const std::string result_ = folder_.file("out/machine/result.h5");
};

TEST_F(StoredModel, AllFilesAreInTheResult) {
  const auto files = results::ResultFile(result_).readFiles();
  ASSERT_TRUE(files);
  EXPECT_TRUE(files->isStored);
  ASSERT_NE(files->findName("parts/beam.yaml"), nullptr);
  EXPECT_EQ(files->findName("model.yaml")->text, kModel);
  EXPECT_EQ(files->findName("parts/beam.yaml")->text, kBeam);
  EXPECT_EQ(files->findName("parts/material.yaml")->text, kMaterial);
  EXPECT_EQ(files->findName("tip.stl")->text, makeStl(0));
}

TEST_F(StoredModel, ExportsDoNotDependOnWhatBecameOfTheFiles) {
  std::string errors;
  const std::string before = exportAll(errors);
  EXPECT_EQ(errors, "");
  setElements("40");
  folder_.write("machine/tip.stl", makeStl(5));
  EXPECT_TRUE(exportAll(errors) == before);
  const std::size_t note = errors.find("has changed since it ran (parts/beam.yaml, tip.stl)");
  EXPECT_NE(note, std::string::npos) << errors;
  setElements("four");
  EXPECT_TRUE(exportAll(errors) == before);
  fs::remove_all(folder_.file("machine"));
  EXPECT_TRUE(exportAll(errors) == before);
  EXPECT_EQ(errors, "");
}

TEST_F(StoredModel, ReportsDoNotEither) {
  const ProgramResult before = run({"report", "out/machine", "-o", "before.html"});
  if (before.errors.find("built without the viewer page") != std::string::npos) GTEST_SKIP();
  ASSERT_EQ(before.exitCode, 0) << before.errors;
  fs::remove_all(folder_.file("machine"));
  const ProgramResult after = run({"report", "out/machine", "-o", "after.html"});
  EXPECT_EQ(after.exitCode, 0) << after.errors;
  EXPECT_TRUE(readWhole(folder_.file("before.html")) == readWhole(folder_.file("after.html")));
}

TEST_F(StoredModel, ACheckpointKnowsItsModel) {
  const std::vector<std::string> words = {
      "run", "machine/model.yaml", "--from", "out/machine/checkpoint.h5", "--out", "rest"};
  EXPECT_EQ(run(words).errors.find("has changed"), std::string::npos);
  folder_.write("machine/parts/material.yaml",
                "materials: {soft: {E: 2.2 GPa, nu: 0.3, rho: 1000}}\n");
  const ProgramResult stiffer = run(words);
  EXPECT_EQ(stiffer.exitCode, 0) << stiffer.errors;
  EXPECT_NE(
      stiffer.errors.find("has changed since the checkpoint was written (parts/material.yaml)"),
      std::string::npos)
      << stiffer.errors;
  setElements("5");
  const ProgramResult finer = run(words);
  EXPECT_EQ(finer.exitCode, 2);
  EXPECT_NE(finer.errors.find("belongs to another model"), std::string::npos) << finer.errors;
}

}  // namespace
}  // namespace flexloop
