// The command `flexloop spectrum` as its users see it: from a model to its roots.
#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

namespace fs = std::filesystem;
using Complex = std::complex<double>;
using Json = nlohmann::json;
using testing::ProgramResult;
using testing::readWhole;
using testing::TemporaryFolder;

std::string modelFile(const char* name) {
  return test::inProject("models/" + std::string(name) + "/model.yaml");
}

class SpectrumCommand : public ::testing::Test {
 protected:
  ProgramResult run(std::vector<std::string> words) {
    words.insert(words.begin(), "spectrum");
    return testing::runProgram(words, folder_.file(""));
  }

  // Of the first channel.
  static std::vector<Complex> eigenvaluesOf(const Json& json) {
    std::vector<Complex> eigenvalues;
    for (const Json& mode : json["channels"][0]["modes"]) {
      const Json& pair = mode["eigenvalue"];
      eigenvalues.emplace_back(pair[0].get<double>(), pair[1].get<double>());
      const Complex s = eigenvalues.back();
      EXPECT_NEAR(mode["frequency_hz"].get<double>(), std::abs(s.imag()) / 6.283185307179586,
                  1e-12);
      EXPECT_NEAR(mode["damping_ratio"].get<double>(), -s.real() / std::abs(s), 1e-12);
    }
    return eigenvalues;
  }

  void expectRoots(const std::vector<std::string>& words, const std::vector<Complex>& roots,
                   double tolerance) {
    const ProgramResult result = run(words);
    ASSERT_EQ(result.exitCode, 0) << result.errors;
    const Json json = Json::parse(result.out);
    const std::vector<Complex> found = eigenvaluesOf(json);
    ASSERT_EQ(found.size(), roots.size()) << result.errors;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      EXPECT_LT(std::abs(found[i] - roots[i]), tolerance * std::abs(roots[i])) << found[i];
    }
    EXPECT_LT(json["channels"][0]["fit_residual"].get<double>(), 1e-9);
  }

  TemporaryFolder folder_;
};

void expectParts(const std::string& text, const std::vector<const char*>& parts) {
  for (const char* part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

// Roots of s³ + 10 s² + 16 s + ki, sorted as modes are; the steps of 0.5 ms move them by 1e-5.
TEST_F(SpectrumCommand, SimulationHasTheRootsOfItsModel) {
  const std::string model = modelFile("pid_integral");
  const auto words = [&](const char* ki) {
    return std::vector<std::string>{model, "-p", ki, "--channel", "x", "--json", "-"};
  };
  expectRoots(words("ki=0"), {{-2.0, 0.0}, {-8.0, 0.0}}, 1e-5);
  expectRoots(words("ki=80"), {{-9.205951773, 0.0}, {-0.3970241135, 2.9210275880}}, 1e-5);
  expectRoots(words("ki=160"), {{-10.0, 0.0}, {0.0, 4.0}}, 1e-5);
  expectRoots(words("ki=240"), {{-10.6210823736, 0.0}, {0.3105411868, 4.7434303222}}, 1e-5);
}

// s² + 12 s + 144, about 10 N / 144 N/m; the oscillation starts at 1/cos(30 deg) of the offset.
TEST_F(SpectrumCommand, OffsetAndAmplitudeAreThoseOfTheStepResponse) {
  const ProgramResult result =
      run({modelFile("pd_servo"), "--out", "servo", "--channel", "x", "--json", "x.json"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_TRUE(fs::exists(folder_.file("servo/result.h5")));
  const Json json = Json::parse(readWhole(folder_.file("x.json")));
  const Json channel = json["channels"][0];
  EXPECT_EQ(json["channels"].size(), 1u);
  EXPECT_EQ(channel["name"].get<std::string>(), "x");
  EXPECT_NEAR(channel["sampling_hz"].get<double>(), 2000.0, 1e-6);
  EXPECT_EQ(channel["frequency_hz"].size(), 5001u);
  EXPECT_EQ(channel["amplitude"].size(), 5001u);
  EXPECT_NEAR(channel["offset"].get<double>(), 10.0 / 144.0, 1e-9);
  ASSERT_EQ(channel["modes"].size(), 1u);
  EXPECT_NEAR(channel["modes"][0]["damping_ratio"].get<double>(), 0.5, 1e-5);
  EXPECT_NEAR(channel["modes"][0]["amplitude"].get<double>(), 10.0 / 144.0 / std::sqrt(0.75), 1e-6);
  EXPECT_NEAR(std::abs(channel["modes"][0]["phase"].get<double>()), 2.6179938779914944, 1e-5);
  expectParts(result.out, {"Spectrum of servo/result.h5", "samples: 10001 at 2000 Hz", "mode",
                           "peak", "offset 0.0694444"});
}

// A steady sine of 5 Hz and 0.02, and one of 12.5 Hz and 0.003 half way between bins.
TEST_F(SpectrumCommand, CsvOfARunOrOfOthers) {
  std::string text = "time,y,z\n";
  for (int i = 0; i < 1000; ++i) {
    const double t = 0.001 * i, angle = 6.283185307179586 * t;
    text += std::to_string(t) + "," + std::to_string(1e3 * (0.02 * std::sin(5.0 * angle))) + "," +
            std::to_string(3.0 * std::sin(12.5 * angle)) + "\n";
  }
  folder_.write("a.csv", text);
  const ProgramResult result =
      run({"a.csv", "--csv", "b.csv", "--figure", "b.svg", "--peaks", "1"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  expectParts(result.out, {"Spectrum of a.csv", "  y: ", "  z: ", "bins of 1 Hz up to 500 Hz"});
  const std::string csv = readWhole(folder_.file("b.csv"));
  EXPECT_EQ(csv.substr(0, 17), "frequency_hz,y,z\n");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 502);
  const std::string svg = readWhole(folder_.file("b.svg"));
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  expectParts(svg, {"frequency [Hz]", "amplitude", "</svg>"});
  EXPECT_EQ(run({"a.csv", "--figure", "-", "--quiet", "--peaks", "1"}).out, svg);
  const Json json = Json::parse(run({"a.csv", "--json", "-", "--peaks", "1"}).out);
  const Json y = json["channels"][0]["peaks"][0], z = json["channels"][1]["peaks"][0];
  EXPECT_NEAR(y["frequency_hz"].get<double>(), 5.0, 1e-3);
  EXPECT_NEAR(y["amplitude"].get<double>(), 20.0, 0.01);
  EXPECT_NEAR(z["frequency_hz"].get<double>(), 12.5, 1e-3);
  EXPECT_NEAR(z["amplitude"].get<double>(), 3.0, 2e-3);
}

// A response of 12.5 Hz and 1 % that lasts for longer than the record; the window alone has 1/(2π 12.5 Hz 0.2 s) = 6 %.
TEST_F(SpectrumCommand, DampingUnderTheExponentialWindowIsThatOfTheRecord) {
  std::string text = "time,y\n";
  for (int i = 0; i < 1000; ++i) {
    const double t = 0.001 * i, turn = 6.283185307179586 * 12.5;
    const double decay = turn * 0.01 / std::sqrt(1.0 - 1e-4);
    text += std::to_string(t) + "," +
            std::to_string(1e3 * std::exp(-decay * t) * std::sin(turn * t)) + "\n";
  }
  folder_.write("a.csv", text);
  const std::vector<std::string> words{"a.csv", "--window", "exponential", "--tau", "200ms"};
  const ProgramResult result = run(words);
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  expectParts(result.out, {"window exponential with tau 0.2 s"});
  const Json json =
      Json::parse(run({"a.csv", "--window", "exponential", "--tau", "200ms", "--json", "-"}).out);
  EXPECT_EQ(json["tau"].get<double>(), 0.2);
  const Json peak = json["channels"][0]["peaks"][0];
  EXPECT_NEAR(peak["frequency_hz"].get<double>(), 12.5, 1e-5);
  EXPECT_NEAR(peak["damping_ratio"].get<double>(), 0.01, 1e-6);
  EXPECT_NEAR(peak["amplitude"].get<double>(), 1000.0, 1e-3);
}

TEST_F(SpectrumCommand, UnevenStepsAreInterpolated) {
  const ProgramResult result =
      run({modelFile("pid_integral"), "--set", "analysis.time.adaptive=true", "--set",
           "analysis.time.tolerance=1e-7", "--channel", "x", "--from", "0.5", "--json", "-"});
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  const Json json = Json::parse(result.out);
  EXPECT_TRUE(json["resampled"].get<bool>());
  expectParts(result.errors, {"the steps were not uniform"});
  double error = 1.0;
  for (const Complex& s : eigenvaluesOf(json)) {
    error = std::min(error, std::abs(s - Complex(-0.3970241135, 2.9210275880)));
  }
  EXPECT_LT(error, 3e-3);
}

TEST_F(SpectrumCommand, BadInputIsTold) {
  folder_.write("a.csv", "time,x1,x2\n0,1,2\n0.1,2,3\n");
  const auto expectComplaint = [&](const std::vector<std::string>& words,
                                   const std::vector<const char*>& parts) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exitCode, 2) << words.back();
    EXPECT_EQ(result.out, "");
    expectParts(result.errors, parts);
  };
  expectComplaint({"a.csv"}, {"a.csv: error: too few samples: 2"});
  expectComplaint({"a.csv", "--channel", "x3"}, {"no channel 'x3'", "did you mean 'x1'?"});
  expectComplaint({"a.csv", "--from", "1"}, {"--from 1: error:", "outside the record"});
  expectComplaint({"a.csv", "--window", "flatop"}, {"did you mean 'flattop'?"});
  expectComplaint({"a.csv", "--window", "exponential"},
                  {"--window exponential: error: the time constant of the window is missing"});
  expectComplaint({"a.csv", "--tau", "1s"},
                  {"--tau: error: only the exponential window has a time constant"});
  expectComplaint({"a.csv", "--window", "exponential", "--tau", "-1s"}, {"must be positive"});
  expectComplaint({"a.csv", "-p", "k=1"}, {"-p and --set apply to models"});
  expectComplaint({"b.csv"}, {"it does not exist", "did you mean 'a.csv'?"});
  expectComplaint({}, {"RECORD is required"});
  expectComplaint({modelFile("bend_45")}, {"no 'analysis: time'"});
  std::string text = "time,x\n";
  for (int i = 0; i < 10; ++i) text += std::to_string(i) + ",1\n";
  folder_.write("c.csv", text);
  EXPECT_EQ(run({"c.csv"}).exitCode, 0);
  EXPECT_EQ(run({"c.csv", "--json", "missing/x.json"}).exitCode, 4);
  EXPECT_EQ(run({"c.csv", "--quiet"}).out, "");
}

}  // namespace
}  // namespace flexloop
