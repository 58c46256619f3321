#include "language/model_reader.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/sample_registry.hpp"

namespace flexloop::language {
namespace {

using model::Description;
using system::Item;
using testing::sampleModel;
using testing::sampleRegistry;

Description readText(const std::string& text, const Overrides& overrides = {}) {
  return readModelText(text, "model.yaml", sampleRegistry(), overrides);
}

const Item& itemOf(const Description& description, const std::string& section,
                   const std::string& name) {
  for (const Item& item : description.items) {
    if (item.section() == section && item.name() == name) return item;
  }
  throw std::runtime_error("no " + section + "." + name);
}

TEST(ModelReaderTest, ReadsTheHead) {
  const Description model = readText(sampleModel());
  EXPECT_EQ(model.file, "model.yaml");
  EXPECT_EQ(model.title, "any text");
  ASSERT_EQ(model.parameters.size(), 3u);
  EXPECT_EQ(model.parameters[2].first, "f");
  EXPECT_DOUBLE_EQ(model.parameters[2].second, 1 / 0.15);
  EXPECT_TRUE(model.hasGravity);
  EXPECT_EQ(model.gravity, Eigen::Vector3d(0, 0, -9.81));
  EXPECT_FALSE(readText("flexloop: 1\n").hasGravity);
}

TEST(ModelReaderTest, ItemsStandInTheOrderOfTheFile) {
  const Description model = readText(sampleModel());
  ASSERT_GT(model.items.size(), 6u);
  EXPECT_EQ(model.items[0].section(), "materials");
  EXPECT_EQ(model.items[1].name(), "strip");
  EXPECT_EQ(model.items[3].name(), "A");
  EXPECT_EQ(model.items[4].name(), "B");
  EXPECT_EQ(model.items.back().section(), "analysis");
  EXPECT_EQ(model.items.back().type(), "modes");
}

TEST(ModelReaderTest, UnitsAndExpressionsAreResolved) {
  const Description model = readText(sampleModel());
  EXPECT_EQ(itemOf(model, "materials", "alu").number("E"), 65.7e9);
  EXPECT_EQ(itemOf(model, "sections", "strip").number("width"), 0.018);
  EXPECT_EQ(itemOf(model, "nodes", "B").vector("position"), Eigen::Vector3d(0.15, 0, 0));
  EXPECT_DOUBLE_EQ(itemOf(model, "nodes", "B").child("rotation").number("angle"), EIGEN_PI / 6);
  EXPECT_DOUBLE_EQ(itemOf(model, "blocks", "ref").number("to"), EIGEN_PI / 6);
  EXPECT_EQ(itemOf(model, "springs", "b3").numbers("stiffness"),
            (std::vector<double>{1e6, 1e6, 1e6, 1e3, 1e3, 1e3}));
  EXPECT_EQ(itemOf(model, "blocks", "mix").matrix("D"),
            (Eigen::MatrixXd(2, 2) << 1, 2, 3, 0.15).finished());
  EXPECT_EQ(itemOf(model, "analysis", "time").number("step"), 0.001);
}

TEST(ModelReaderTest, ShortFormsAndDefaults) {
  const Description model = readText(sampleModel());
  const Item& a = itemOf(model, "nodes", "A");
  EXPECT_EQ(a.type(), "");
  EXPECT_EQ(a.vector("position"), Eigen::Vector3d::Zero());
  EXPECT_EQ(a.names("free").size(), 6u);
  EXPECT_EQ(itemOf(model, "nodes", "cart").names("free"), std::vector<std::string>{"x"});
  EXPECT_TRUE(itemOf(model, "nodes", "base").names("free").empty());
  const Item& hinge = itemOf(model, "joints", "hinge1");
  EXPECT_EQ(hinge.type(), "hinge");
  EXPECT_FALSE(hinge.boolean("locked", true));
  EXPECT_EQ(hinge.child("friction").number("velocity"), 0.01);
  EXPECT_FALSE(hinge.has("drive"));
  EXPECT_EQ(itemOf(model, "beams", "link1").integer("elements"), 20);
  EXPECT_EQ(itemOf(model, "beams", "link1").integer("order"), 1);
}

TEST(ModelReaderTest, SignalsAreNamesOrNumbers) {
  const Description model = readText(sampleModel());
  EXPECT_EQ(itemOf(model, "blocks", "err").names("inputs"),
            (std::vector<std::string>{"ref", "-theta1"}));
  EXPECT_EQ(itemOf(model, "blocks", "pid1").number("reference"), 0.0);
  EXPECT_EQ(itemOf(model, "blocks", "pid1").text("input"), "theta1.rate");
  EXPECT_EQ(itemOf(model, "blocks", "mix").names("inputs")[1], "0.5");
  EXPECT_EQ(itemOf(model, "sensors", "theta1").type(), "angle");
  // Parameters are replaced in a formula, its variables are not.
  const std::string law = itemOf(model, "blocks", "law").text("value");
  EXPECT_EQ(law, "sin(2*pi*(6.666666666666667)*t) + t");
}

TEST(ModelReaderTest, Outputs) {
  const Description model = readText(sampleModel());
  EXPECT_TRUE(model.outputsGiven);
  ASSERT_EQ(model.outputs.size(), 4u);
  EXPECT_EQ(std::get<std::string>(model.outputs[2].what), "theta1.rate");
  const Item& tip = std::get<Item>(model.outputs[3].what);
  EXPECT_EQ(tip.name(), "tip");
  EXPECT_EQ(tip.section(), "sensors");
  EXPECT_EQ(tip.type(), "position");
  EXPECT_EQ(tip.text("node"), "B");
  EXPECT_FALSE(tip.has("name"));
  EXPECT_FALSE(readText("flexloop: 1\n").outputsGiven);
  EXPECT_TRUE(readText("flexloop: 1\noutputs: []\n").outputsGiven);
}

TEST(ModelReaderTest, ValuesKnowTheirPlace) {
  const Description model = readText(sampleModel());
  const Item& b = itemOf(model, "nodes", "B");
  EXPECT_EQ(base::toText(b.place()), "model.yaml:11:3");
  EXPECT_EQ(base::toText(b.placeOf("position")), "model.yaml:11:17");
  EXPECT_EQ(base::toText(b.placeOf("free")), "model.yaml:11:3");  // a default
}

TEST(ModelReaderTest, ParametersInAnyOrder) {
  const Description model = readText(
      "flexloop: 1\nparameters: {a: = b*2, b: = c + 1, c: 150 mm, d: \"= max(a, b)\", e: 30 "
      "deg}\n");
  EXPECT_DOUBLE_EQ(model.parameters[0].second, 2.3);
  EXPECT_DOUBLE_EQ(model.parameters[3].second, 2.3);
  EXPECT_EQ(model.parameters[4].first, "e");
}

TEST(ModelReaderTest, LongChainsOfParameters) {
  std::string text = "flexloop: 1\nparameters:\n";
  for (int i = 20000; i > 0; --i) {
    text += "  p" + std::to_string(i) + ": = p" + std::to_string(i - 1) + " + 1\n";
  }
  EXPECT_EQ(readText(text + "  p0: 0\n").parameters.front().second, 20000.0);
}

TEST(ModelReaderTest, YesAndNoAreTextUnlessTruthIsAsked) {
  const Description model = readText(
      "flexloop: 1\ntitle: yes\nparameters: {flag: 1}\nnodes: {no: [0, 0, 0], on: [1, 0, 0], "
      "null1: [2, 0, 0]}\n"
      "joints:\n  j: {type: hinge, between: [no, on], axis: [1, 0, 0], locked: yes}\n"
      "  k: {type: hinge, between: [no, null1], axis: [1, 0, 0], locked: = flag > 2}\n");
  EXPECT_EQ(model.title, "yes");
  EXPECT_TRUE(itemOf(model, "joints", "j").boolean("locked", false));
  EXPECT_FALSE(itemOf(model, "joints", "k").boolean("locked", true));
}

TEST(ModelReaderTest, OverridesReplaceAnyValue) {
  const Overrides overrides{
      {"L=300 mm", "kp = =20*L/10"},
      {"joints.hinge1.axis=[0,0,1]", "analysis.time.step=2 ms", "nodes.A.velocity=[1, 0, 0]",
       "title=new", "gravity=[0, 0, 0]", "outputs=[p1]", "bodies.extra={node: B, mass: 2}",
       "joints.hinge1.friction.torque=5", "springs.k1.damping= = kp", "analysis.modes={count: 3}"}};
  const Description model = readText(sampleModel(), overrides);
  EXPECT_EQ(model.parameters[0].second, 0.3);
  EXPECT_EQ(itemOf(model, "nodes", "B").vector("position").x(), 0.3);
  EXPECT_EQ(itemOf(model, "joints", "hinge1").vector("axis"), Eigen::Vector3d(0, 0, 1));
  EXPECT_EQ(itemOf(model, "analysis", "time").number("step"), 0.002);
  EXPECT_EQ(itemOf(model, "nodes", "A").vector("velocity").x(), 1.0);
  EXPECT_EQ(itemOf(model, "nodes", "A").vector("position").x(), 0.0);
  EXPECT_EQ(model.title, "new");
  EXPECT_EQ(model.gravity.z(), 0.0);
  EXPECT_EQ(model.outputs.size(), 1u);
  EXPECT_EQ(itemOf(model, "bodies", "extra").number("mass"), 2.0);
  EXPECT_EQ(itemOf(model, "joints", "hinge1").child("friction").number("torque"), 5.0);
  EXPECT_DOUBLE_EQ(itemOf(model, "springs", "k1").number("damping"), 0.6);
  EXPECT_EQ(itemOf(model, "analysis", "modes").integer("count"), 3);
}

class IncludeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("flexloop_include_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_ / "parts");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  std::filesystem::path folder_;
};

TEST_F(IncludeTest, MergesRelativeToTheIncludingFile) {
  write("parts/common.yaml", "nodes: {C: [3, 0, 0]}\ntitle: common\n");
  write("parts/a.yaml", "include: common.yaml\nnodes: {A: [=L, 0, 0]}\noutputs: [s]\n");
  write("parts/b.yaml", "flexloop: 1\ninclude: [common.yaml]\nparameters: {L: 2}\n");
  const std::string path = write(
      "main.yaml",
      "flexloop: 1\ninclude: [parts/a.yaml, parts/b.yaml]\ntitle: main\nnodes: {M: [0, 0, 0]}\n"
      "sensors: {s: {measure: position, node: C}, t: {measure: position, node: M}}\noutputs: "
      "[t]\n");
  const Description model = readModelFile(path, sampleRegistry());
  EXPECT_EQ(model.title, "main");
  EXPECT_EQ(itemOf(model, "nodes", "A").vector("position").x(), 2.0);
  EXPECT_EQ(itemOf(model, "nodes", "C").vector("position").x(), 3.0);
  EXPECT_EQ(model.items.front().name(), "C");
  EXPECT_EQ(model.outputs.size(), 2u);
}

TEST_F(IncludeTest, MistakesNameTheRightFile) {
  write("parts/bad.yaml", "nodes:\n  A: [0, 0]\n");
  const std::string path = write("main.yaml", "flexloop: 1\ninclude: [parts/bad.yaml]\n");
  try {
    readModelFile(path, sampleRegistry());
    FAIL();
  } catch (const base::InputError& error) {
    const base::Diagnostic& first = error.diagnostics().errors().front();
    EXPECT_EQ(*first.place.file, (folder_ / "parts/bad.yaml").string());
    EXPECT_EQ(first.place.line, 2);
  }
}

TEST_F(IncludeTest, CyclesMissingFilesAndRepeatedNames) {
  const auto messageOf = [](const std::string& path) {
    try {
      readModelFile(path, sampleRegistry());
      return std::string("no error");
    } catch (const base::InputError& error) {
      return std::string(error.what());
    }
  };
  write("parts/loop.yaml", "include: ../main.yaml\n");
  const std::string path = write("main.yaml", "flexloop: 1\ninclude: parts/loop.yaml\n");
  EXPECT_NE(messageOf(path).find("loop.yaml:1:10: error: the file '"), std::string::npos);
  EXPECT_NE(messageOf(path).find("includes itself, directly or through others"), std::string::npos);

  write("self.yaml", "flexloop: 1\ninclude: self.yaml\n");
  EXPECT_NE(messageOf((folder_ / "self.yaml").string()).find("includes itself"), std::string::npos);

  write("materials.yaml", "nodes: {A: [0, 0, 0]}\n");
  write("main.yaml", "flexloop: 1\ninclude: [material.yaml]\n");
  EXPECT_NE(messageOf(path).find("main.yaml:2:11: error: the file '"), std::string::npos);
  EXPECT_NE(messageOf(path).find("cannot be read: it does not exist"), std::string::npos);
  EXPECT_NE(messageOf(path).find("materials.yaml'?"), std::string::npos);

  write("main.yaml", "flexloop: 1\ninclude: [materials.yaml]\nnodes: {A: [1, 0, 0]}\n");
  EXPECT_NE(messageOf(path).find("main.yaml:3:9: error: 'nodes.A' is given twice"),
            std::string::npos);
  EXPECT_NE(messageOf(path).find("materials.yaml:1:9"), std::string::npos);

  EXPECT_NE(messageOf(folder_.string()).find("it is a folder"), std::string::npos);
  EXPECT_NE(messageOf("/dev/null").find("a device"), std::string::npos);
  write("empty.yaml", "");
  EXPECT_NE(messageOf((folder_ / "empty.yaml").string()).find("the file is empty"),
            std::string::npos);
}

TEST(ModelReaderTest, LargeModelsAreReadAtOnce) {
  std::string text = "flexloop: 1\nparameters: {L: 1}\nnodes:\n";
  for (int i = 0; i < 10000; ++i)
    text += "  n" + std::to_string(i) + ": [=L*" + std::to_string(i) + ", 0, 0]\n";
  text += "bodies:\n";
  for (int i = 0; i < 10000; ++i) {
    text += "  b" + std::to_string(i) + ": {node: n" + std::to_string(i) + ", mass: 1}\n";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(readText(text).items.size(), 20000u);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_LT(elapsed.count(),
            5.0);  // a second in a debug build with sanitizers; quadratic would be minutes
}

TEST(ModelReaderTest, ALongBeamAndATypingErrorAreAnsweredAtOnce) {
  const std::string text =
      "flexloop: 1\nnodes: {A: [0, 0, 0], B: [1, 0, 0]}\n"
      "materials: {steel: {E: 210 GPa, rho: 7800}}\nsections: {rod: {type: circle, diameter: 1 "
      "mm}}\n"
      "beams: {long: {from: A, to: B, elements: 1000000, section: rod, material: stel}}\n"
      "sensors: {s: {measure: position, node: long.999999}, t: {measure: position, node: "
      "long.1000000}}\n";
  const auto start = std::chrono::steady_clock::now();
  try {
    readText(text);
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics().errors().size(), 2u) << error.what();
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_LT(elapsed.count(), 1.0);
}

}  // namespace
}  // namespace flexloop::language
