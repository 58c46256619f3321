// Code in C with functions and variables of its own as a black box (flexloop wrap): what compilers make of the wrapper.
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "language/wrap/wrap_reader.hpp"
#include "support/machine_modes.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::test {
namespace {

// The libraries of tests/fixtures/wrapped, as a user would make them; compiled once for all tests of a process.
class WrappedCode : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { folder_ = new testing::TemporaryFolder; }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static std::string compile(const std::string& name, const std::string& description,
                             const std::string& source) {
    std::string library = folder_->file(name + ".so");
    if (std::filesystem::exists(library)) return library;
    const std::string wrapper = folder_->write(
        name + "_wrapper.c",
        control::writeWrapper(language::readWrapDescription(description, name + ".yaml")));
    const std::string command =
        "cc -O2 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden -Wl,-z,now -I" +
        inProject("tests/fixtures/wrapped") + " -o " + library + " " + wrapper + " " + source +
        " -lm";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return library;
  }
  static std::string compile(const std::string& name) {
    const std::string file = inProject("tests/fixtures/wrapped/" + name);
    return compile(name, testing::readWhole(file + ".yaml"), file + ".c");
  }

  static testing::TemporaryFolder* folder_;
};

testing::TemporaryFolder* WrappedCode::folder_ = nullptr;

// A mass of 1 kg on a spring and damper, with a block `law` as its only force.
std::string massWith(const std::string& blocks) {
  return "nodes: {m: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}\n"
         "bodies: {m: {node: m, mass: 1}}\n"
         "springs: {k: {type: linear, between: [ground, m], direction: [1, 0, 0], stiffness: 12, "
         "damping: 8}}\n"
         "sensors: {x: {measure: displacement, node: m, direction: [1, 0, 0]}}\n"
         "blocks:\n" +
         blocks +
         "actuators: {f: {type: force, node: m, direction: [1, 0, 0], input: law}}\n"
         "outputs: [x, law]\n"
         "analysis: {time: {end: 1, step: 5 ms}, modes: {count: 10}}\n";
}

std::string library(const std::string& file, const std::string& more) {
  return "  law: {type: library, path: " + file + ", " + more + "}\n";
}

// y = 4 e + 0.5 Σ e, with the sum that includes the present error or not.
constexpr const char* kSameLaw =
    "  law: {type: discrete_state_space, inputs: [-x], A: [[1]], B: [[1]], C: [[0.5]], D: [[4.5]], "
    "sample: 10 ms}\n";

void expectSameRun(const ModelRun& run, const ModelRun& truth, double tolerance) {
  ASSERT_EQ(run.times().size(), truth.times().size());
  double largest = 0.0;
  for (const double x : truth.column("law")) largest = std::max(largest, std::abs(x));
  ASSERT_GT(largest, 0.1);
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    EXPECT_NEAR(run.column("law")[i], truth.column("law")[i], tolerance * largest) << i;
  }
}

void expectSameModes(const std::string& model, const std::string& truth, double tolerance) {
  const analysis::ModeResult modes = modesOf(model), same = modesOf(truth);
  ASSERT_FALSE(same.modes.empty());
  ASSERT_EQ(modes.modes.size(), same.modes.size());
  for (const analysis::Mode& mode : same.modes) {
    EXPECT_LE(distanceTo(modes, mode.eigenvalue), tolerance * std::abs(mode.eigenvalue))
        << mode.eigenvalue;
  }
}

// Its outputs are numbers of single precision.
TEST_F(WrappedCode, StructuresOfGeneratedCodeAreReadAndWritten) {
  const std::string model = massWith(
      "  law: {type: gain, input: box.force, gain: 1}\n"
      "  box: {type: library, path: " +
      compile("servo") + ", inputs: [x, 0, 1], outputs: [force, on], sample: 10 ms}\n");
  expectSameRun(runModel(model), runModel(massWith(kSameLaw)), 3e-7);
}

TEST_F(WrappedCode, WholeNumbersAreRoundedAndStayInTheirRange) {
  // -Kd times a speed in steps of 1/256 within 16 bits, where the position is zero.
  for (const auto& [speed, read] : {std::pair{0.3, 77.0 / 256},
                                    {0.1, 26.0 / 256},
                                    {-0.3, -77.0 / 256},
                                    {1e9, 32767.0 / 256},
                                    {-1e9, -128.0}}) {
    const ModelRun run =
        runModel("blocks:\n  box: {type: library, path: " + compile("servo") + ", inputs: [0, " +
                     std::to_string(speed) + ", 0.5], outputs: [force, on], sample: 10 ms}\n",
                 "box.force, box.on", "end: 50 ms, step: 10 ms");
    EXPECT_EQ(run.last("box.force"), -2.0 * read) << speed;
    EXPECT_EQ(run.last("box.on"), 1.0);
  }
}

TEST_F(WrappedCode, IsInTheModesWithoutSayingWhatItRemembers) {
  expectSameModes(
      massWith(library(compile("plain"), "inputs: [-x], outputs: [force], sample: 10 ms")),
      massWith("  law: {type: discrete_state_space, inputs: [-x], A: [[1, 0], [0, 0]], B: "
               "[[1], [1]], C: [[0.5, 0.25]], D: [[4]], sample: 10 ms}\n"),
      1e-8);
}

TEST_F(WrappedCode, ParametersComeFromTheModel) {
  const std::string file = compile("servo");
  const auto model = [&](const std::string& config) {
    return massWith(
        "  law: {type: gain, input: box.force, gain: 1}\n  box: {type: library, path: " + file +
        ", inputs: [x, 0, 1], outputs: [force, on], sample: 10 ms, config: \"" + config + "\"}\n");
  };
  expectSameRun(runModel(model("Kp=8, Ki = 0")),
                runModel(massWith("  law: {type: discrete_state_space, inputs: [-x], A: [[0]], B: "
                                  "[[0]], C: [[0]], D: [[8]], sample: 10 ms}\n")),
                3e-7);
  for (const auto& [config, text] :
       {std::pair{"kp=8", "a parameter that the description does not have: kp"},
        {"Kp 8", "must be as in \"kp=2.5 ki=10\""},
        {"Kp=much", "there is no number in 'config:' for Kp"}}) {
    ::testing::internal::CaptureStderr();
    EXPECT_THROW(runModel(model(config)), std::runtime_error);
    EXPECT_TRUE(says(::testing::internal::GetCapturedStderr(), text));
  }
}

TEST_F(WrappedCode, TasksOfOtherRates) {
  // Sums every fifth sample from the first on.
  const ModelRun run = runModel("blocks:\n  box: {type: library, path: " + compile("reusable") +
                                    ", inputs: [1], outputs: [force], sample: 2 ms}\n",
                                "box", "end: 30 ms, step: 1 ms");
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double sums = 1.0 + std::floor((run.times()[i] + 1e-9) / 10e-3);
    EXPECT_EQ(run.column("box")[i], 4.0 + 2.0 * sums) << run.times()[i];
  }
}

// One library for both, whose static variables each block has for itself; and again from the start in a second run.
TEST_F(WrappedCode, BlocksOfOneLibraryDoNotShareItsVariables) {
  for (const char* isolate : {"true", "false"}) {
    const std::string more = std::string(", outputs: [force], sample: 2 ms, isolate: ") + isolate;
    const std::string file = compile("reusable");
    const model::Model model =
        buildModel("blocks:\n  a: {type: library, path: " + file + ", inputs: [1]" + more +
                   "}\n  b: {type: library, path: " + file + ", inputs: [3]" + more +
                   "}\noutputs: [a, b]\nanalysis: {time: {end: 30 ms, step: 1 ms}}\n");
    for (int k = 0; k < 2; ++k) {
      const ModelRun run = runModel(model);
      EXPECT_EQ(run.last("a"), 4.0 + 2.0 * 4.0) << isolate << k;
      EXPECT_EQ(run.last("b"), 12.0 + 6.0 * 4.0) << isolate << k;
    }
  }
}

// Without a clock it is tried out several times in a step, and only what counts may be remembered.
TEST_F(WrappedCode, StepsAreRepeatedWithoutATrace) {
  const std::string file = compile("plain");
  const ModelRun run =
      runModel("blocks:\n  r: {type: ramp, slope: 1}\n  box: {type: library, path: " + file +
                   ", inputs: [r], outputs: [force]}\n",
               "r, box", "end: 0.1, step: 10 ms");
  double sum = 0.0, past = 0.0;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double r = run.column("r")[i];
    EXPECT_NEAR(run.column("box")[i], 4.0 * r + 0.5 * sum + past, 1e-12) << i;
    sum += r;
    past = 0.25 * r;
  }
}

TEST_F(WrappedCode, ErrorsOfTheCodeEndTheRun) {
  ::testing::internal::CaptureStderr();
  const ModelRun run = tryModel(
      "blocks:\n  r: {type: ramp, slope: 100}\n  box: {type: library, path: " + compile("servo") +
          ", inputs: [r, 0, 1], outputs: [force, on], sample: 10 ms}\n",
      "box.force", "end: 0.1, step: 10 ms");
  EXPECT_TRUE(says(::testing::internal::GetCapturedStderr(),
                   "servo.yaml: the code reports an error: the position is out of range"));
  ASSERT_TRUE(run.report.failure);
  EXPECT_TRUE(says(run.report.failure->message, "returned nan as output 1"));
}

TEST_F(WrappedCode, MemoryOfMallocMustBeDeclared) {
  std::string description = testing::readWhole(inProject("tests/fixtures/wrapped/plain.yaml"));
  description.erase(description.find("heap:"));
  const std::string file = compile("without_heap", description,
                                   folder_->write("one.c",
                                                  "#include <stdlib.h>\n"
                                                  "double plain_law(double e, double h) {\n"
                                                  "  double* m = malloc(8);\n"
                                                  "  if (m == NULL) return 0;\n"
                                                  "  *m = e * h;\n"
                                                  "  return *m;\n}\n"));
  ::testing::internal::CaptureStderr();
  const ModelRun run = tryModel("blocks:\n  box: {type: library, path: " + file +
                                    ", inputs: [1], outputs: [force], sample: 10 ms}\n",
                                "box", "end: 0.1, step: 10 ms");
  EXPECT_TRUE(run.report.failure);
  EXPECT_TRUE(says(::testing::internal::GetCapturedStderr(), "the code calls malloc"));
}

TEST_F(WrappedCode, IsComparedWithTheModel) {
  const std::string start = "blocks: {box: {type: library, path: " + compile("servo") + ", ";
  EXPECT_TRUE(says(mistakesOf(start + "inputs: [1, 2], outputs: [a, b], sample: 10 ms}}\n"),
                   "it has 3 inputs (position, speed, enable), and the model gives it 2"));
  EXPECT_TRUE(says(mistakesOf(start + "inputs: [1, 2, 3], outputs: [a], sample: 10 ms}}\n"),
                   "it has 2 outputs (force, on), and the model gives it 1"));
  EXPECT_TRUE(says(mistakesOf(start + "inputs: [1, 2, 3], outputs: [a, b], sample: 1 ms}}\n"),
                   "it is made for a period of 0.01 s, and the model calls it every 0.001 s"));
  EXPECT_TRUE(says(mistakesOf(start + "inputs: [1, 2, 3], outputs: [a, b]}}\n"),
                   "it is made for a period of 0.01 s, and the model has no 'sample'"));
}

std::string mistakesIn(const std::string& description) {
  try {
    language::readWrapDescription(description, "box.yaml");
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(WrapDescription, MistakesAreNamed) {
  EXPECT_EQ(mistakesIn("step: f\noutputs: {y: y}\n"), "");
  EXPECT_TRUE(
      says(mistakesIn("stepp: f\noutputs: {y: y}\n"), "box.yaml:1:1: error: unknown key 'stepp'"));
  EXPECT_TRUE(says(mistakesIn("stepp: f\n"), "did you mean 'step'?"));
  EXPECT_TRUE(says(mistakesIn("outputs: {y: y}\n"), "'step' is missing"));
  EXPECT_TRUE(says(mistakesIn("step: f\n"), "the code has no outputs"));
  EXPECT_TRUE(says(mistakesIn("step: f\noutputs: [y]\n"), "as in 'outputs: {speed: rtU.speed}'"));
  EXPECT_TRUE(says(mistakesIn("step: f\noutputs: {y: {unit: rpm}}\n"), "'at' is missing"));
  EXPECT_TRUE(says(mistakesIn("step: f\noutputs: {y: {at: y, unit: rmp}}\n"), "box.yaml:2:"));
  EXPECT_TRUE(says(mistakesIn("step: f\noutputs: {y: {at: y, scale: 0}}\n"),
                   "'scale' must be a number other than zero"));
  EXPECT_TRUE(says(mistakesIn("step: f\noutputs: {1y: y}\n"), "'1y' cannot be a name"));
  EXPECT_TRUE(says(mistakesIn("step: f // all\noutputs: {y: y}\n"), "contains a comment of C"));
  EXPECT_TRUE(says(mistakesIn("step: [{call: f, every: 0}]\noutputs: {y: y}\n"),
                   "'every' must be a whole number from 1"));
  EXPECT_TRUE(
      says(mistakesIn("step: f\noutputs: {y: y}\nsample: 3 mm\n"), "box.yaml:3:9: error: sample"));
  EXPECT_TRUE(
      says(mistakesIn("step: f\noutputs: {y: y}\nheap: -1\n"), "'heap' must be a whole number"));
  EXPECT_TRUE(says(mistakesIn("- f\n"), "starts with keys such as 'step:'"));
}

}  // namespace
}  // namespace flexloop::test
