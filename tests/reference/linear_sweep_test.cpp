// `flexloop sweep --do frf` and `--do linearize` as their users see them. A mass m = 1 on a spring k = 12 with a damper 8
// and a pid with kp = 4, kd = 2 has, cut at the motor,
//
//     L(s) = (2 s² + 4 s + ki)/(s (s² + 8 s + 12)).
//
// With x = ω², |L| = 1 is x³ + 36 x² + (128 + 4 ki) x − ki² = 0, which has one positive root. With g times the gain the
// closed loop s³ + (8 + 2 g) s² + (12 + 4 g) s + g ki is at its limit where 8 g² + (56 − ki) g + 96 = 0.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::readWhole;
using testing::TemporaryFolder;

class LinearSweepCommand : public ::testing::Test {
 protected:
  ProgramResult run(std::vector<std::string> words) {
    words.insert(words.begin(), {"sweep", test::inProject("models/pid_integral/model.yaml")});
    return testing::runProgram(words, folder_.file(""));
  }

  json sweepToJson(std::vector<std::string> words) {
    words.insert(words.end(), {"--quiet", "--json", "sweep.json"});
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return json::parse(readWhole(folder_.file("sweep.json")));
  }

  void expectRefused(const std::vector<std::string>& words, const char* why) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
  }

  TemporaryFolder folder_;
};

void expectParts(const std::string& text, const std::vector<const char*>& parts) {
  for (const char* part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

double findCrossover(double ki) {
  double low = 0.0, high = 100.0;
  for (int i = 0; i < 200; ++i) {
    const double x = 0.5 * (low + high);
    const double value = ((x + 36.0) * x + 128.0 + 4.0 * ki) * x - ki * ki;
    (value < 0.0 ? low : high) = x;
  }
  return std::sqrt(low) / (2.0 * std::numbers::pi);
}

bool hasFactor(const json& margins, double factor) {
  return std::any_of(margins.begin(), margins.end(), [&](const json& margin) {
    return std::abs(double(margin["factor"]) - factor) < 1e-9 * factor;
  });
}

TEST_F(LinearSweepCommand, FindsMarginsOverAGain) {
  const json sweep = sweepToJson({"-p", "ki=80:200:4", "--do", "frf", "--cut", "motor"});
  ASSERT_EQ(sweep["points"].size(), 4u);
  EXPECT_EQ(sweep["parameters"][0]["values"], (std::vector<double>{80.0, 120.0, 160.0, 200.0}));
  EXPECT_TRUE(sweep["complete"]);
  for (const json& point : sweep["points"]) {
    const double ki = point["parameters"]["ki"];
    const json& margins = point["margins"];
    ASSERT_EQ(margins["phase_margins"].size(), 1u) << ki;
    EXPECT_NEAR(margins["phase_margins"][0]["frequency_hz"], findCrossover(ki), 1e-9) << ki;
    const double b = ki - 56.0, root = b * b - 3072.0;
    if (root < 0.0) {
      EXPECT_TRUE(margins["gain_margins"].empty()) << ki;
    } else {
      EXPECT_TRUE(hasFactor(margins["gain_margins"], (b - std::sqrt(root)) / 16.0)) << ki;
      EXPECT_TRUE(hasFactor(margins["gain_margins"], (b + std::sqrt(root)) / 16.0)) << ki;
    }
    if (ki != 160.0) {
      EXPECT_EQ(margins["stable"], ki < 160.0);
      EXPECT_EQ(margins["phase_margin"].is_null(), ki > 160.0) << "crossings of an unstable loop";
    }
  }
}

TEST_F(LinearSweepCommand, HasTheSameFrequenciesAtAllPoints) {
  const json sweep =
      sweepToJson({"-p", "ki=20:140:3", "--do", "frf", "--cut", "motor", "--points", "5"});
  const std::vector<double> frequencies = sweep["points"][0]["frequency_hz"];
  ASSERT_EQ(frequencies.size(), 5u);
  for (const json& point : sweep["points"]) {
    const double ki = point["parameters"]["ki"];
    ASSERT_EQ(point["frequency_hz"], frequencies);
    for (std::size_t f = 0; f < frequencies.size(); ++f) {
      const std::complex<double> s(0.0, 2.0 * std::numbers::pi * frequencies[f]);
      const std::complex<double> L = (2.0 * s * s + 4.0 * s + ki) / (s * (s * s + 8.0 * s + 12.0));
      const std::complex<double> computed(point["responses"][0]["re"][f],
                                          point["responses"][0]["im"][f]);
      EXPECT_LT(std::abs(computed + L), 1e-12 * std::abs(L)) << ki << " at " << frequencies[f];
    }
  }
}

TEST_F(LinearSweepCommand, ThreadsDoNotMatter) {
  const std::vector<std::string> words{"-p", "ki=20:140:13", "--do", "frf", "--cut", "motor"};
  std::vector<std::string> one = words, many = words;
  one.insert(one.end(), {"--jobs", "1"});
  many.insert(many.end(), {"--jobs", "4"});
  EXPECT_EQ(sweepToJson(one), sweepToJson(many));
}

TEST_F(LinearSweepCommand, TellsMarginsAsATable) {
  const ProgramResult result =
      run({"-p", "ki=80:120:2", "--do", "frf", "--cut", "motor", "--svg", "bode.svg"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  // For ki = 120 the limit is 8 g² − 64 g + 96 = 0, g = 2, where ω² = 12 + 4 g.
  expectParts(result.out,
              {"cut at motor", "crossover [Hz]", "infinite", "6.0206      0.711763", "stable"});
  expectParts(readWhole(folder_.file("bode.svg")),
              {"L, cut at motor", "magnitude", "ki = 80", "ki = 120", "</svg>"});
}

TEST_F(LinearSweepCommand, TellsTheLargestGainElsewhere) {
  // 1/(s² + 8 s + k) of the cut loop falls from its value at rest: at 1 Hz, |1/(k − ω² + 8 i ω)|.
  const ProgramResult result =
      run({"--set", "springs.wall.stiffness=10:20:2", "--do", "frf", "--from", "motor", "--to", "x",
           "x.rate", "--cut", "motor", "--frequencies", "1,2", "--csv", "responses.csv"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  const double omega = 2.0 * std::numbers::pi;
  for (const double k : {10.0, 20.0}) {
    char text[32];
    (void)std::snprintf(text, sizeof text, "%14.7g",
                        1.0 / std::hypot(k - omega * omega, 8.0 * omega));
    expectParts(result.out, {text});
  }
  expectParts(result.out,
              {"from motor to x, cut at motor", "from motor to x.rate", "largest gain"});
  expectParts(readWhole(folder_.file("responses.csv")),
              {"springs.wall.stiffness,frequency_hz,re(x/motor),im(x/motor),re(x.rate/motor)",
               ",message\n10,1,", "\n20,2,"});
}

TEST_F(LinearSweepCommand, NamesEightCurvesAtMost) {
  EXPECT_EQ(run({"-p", "ki=10:200:20", "--do", "frf", "--cut", "motor", "--svg", "bode.svg",
                 "--points", "20", "--quiet"})
                .exitCode,
            0);
  const std::string figure = readWhole(folder_.file("bode.svg"));
  int names = 0, curves = 0;
  for (std::size_t at = 0; (at = figure.find(">ki = ", at)) != std::string::npos; ++at) ++names;
  for (std::size_t at = 0; (at = figure.find("stroke=\"rgb(", at)) != std::string::npos; ++at) {
    ++curves;
  }
  EXPECT_GE(names, 4);
  EXPECT_LE(names, 8);
  EXPECT_EQ(curves, 20 + names);
}

TEST_F(LinearSweepCommand, WritesStateEquations) {
  const json sweep = sweepToJson({"--set", "springs.wall.stiffness=10:20:3", "--do", "linearize",
                                  "--from", "motor", "--to", "x"});
  ASSERT_EQ(sweep["points"].size(), 3u);
  for (const json& point : sweep["points"]) {
    const double k = point["parameters"]["springs.wall.stiffness"];
    // The proportional gain 4 adds to the spring, the derivative gain 2 to the damper 8.
    ASSERT_EQ(point["states"], (std::vector<std::string>{"mass.x", "mass.x rate", "pid state"}));
    EXPECT_NEAR(point["A"][1][0], -(k + 4.0), 1e-11);
    EXPECT_NEAR(point["A"][1][1], -10.0, 1e-11);
    EXPECT_NEAR(point["A"][2][0], -80.0, 1e-11);
    EXPECT_NEAR(point["B"][1][0], 1.0, 1e-12);
    EXPECT_NEAR(point["C"][0][0], 1.0, 1e-12);
    EXPECT_NEAR(point["D"][0][0], 0.0, 1e-12);
  }
}

TEST_F(LinearSweepCommand, KeepsPointsThatFail) {
  for (const char* analysis : {"frf", "linearize"}) {
    const json sweep = sweepToJson(
        {"--set", "bodies.mass.mass=-1:1:2", "--do", analysis, "--from", "motor", "--to", "x"});
    EXPECT_FALSE(sweep["points"][0]["ok"]);
    expectParts(sweep["points"][0]["message"], {"must not be negative"});
    EXPECT_TRUE(sweep["points"][1]["ok"]);
  }
  // The integrator of the pid is open: at rest there is no response.
  const ProgramResult result = run({"-p", "ki=10:20:2", "--do", "frf", "--from", "motor", "--to",
                                    "x", "--cut", "pid", "--frequencies", "0"});
  EXPECT_EQ(result.exitCode, 3);
  expectParts(result.errors, {"all points failed", "singular"});
}

TEST_F(LinearSweepCommand, WarnsOnceForAllPoints) {
  const ProgramResult result = run({"--set", "springs.wall.stiffness=10:20:3", "-p", "ki=0", "--do",
                                    "frf", "--cut", "x", "--set", "blocks.pid.kp=0"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  const char* warning = "is not part of a loop";
  const std::size_t first = result.errors.find(warning);
  ASSERT_NE(first, std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find(warning, first + 1), std::string::npos) << result.errors;
}

TEST_F(LinearSweepCommand, RefusesWhatItCannotDo) {
  const auto expectFrf = [&](std::vector<std::string> words, const char* why) {
    words.insert(words.begin(), {"-p", "ki=0:10:3", "--do", "frf"});
    expectRefused(words, why);
  };
  expectFrf({}, "no input is given");
  expectFrf({"--from", "motor"}, "no output is given");
  expectFrf({"--from", "motr", "--to", "x"}, "did you mean 'motor'?");
  expectFrf({"--cut", "motor", "--range", "3:1"}, "ends below its start");
  expectFrf({"--cut", "motor", "--about", "tea"}, "known: initial, equilibrium");
  expectFrf({"--cut", "motor", "--loop", "open"}, "'--do frf --cut SIGNAL' opens a loop");
  expectFrf({"--cut", "motor", "--figure", "locus"}, "--figure applies to modes only");
  expectFrf({"--cut", "motor", "--minimal"}, "use '--do linearize'");
  const auto expectLinearize = [&](std::vector<std::string> words, const char* why) {
    words.insert(words.begin(), {"-p", "ki=0:10:3", "--do", "linearize", "--from", "motor"});
    expectRefused(words, why);
  };
  expectLinearize({}, "no output is given");
  expectLinearize({"--to", "x", "--csv", "-"}, "written as JSON only");
  expectLinearize({"--to", "x", "--cut", "pid"}, "use '--do frf'");
  expectRefused({"-p", "ki=0:10:3", "--from", "motor"}, "--from does not apply to this analysis");
  expectRefused({"-p", "ki=0:10:3", "--do", "run", "--points", "9"}, "--frequencies do not apply");
  expectRefused({"-p", "ki=0:10:3", "--do", "frf", "--find-stability-limit", "ki"},
                "--find-stability-limit applies to modes only");
}

}  // namespace
}  // namespace flexloop
