// The command `flexloop scheme` as its users see it.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;
using testing::readWhole;
using testing::TemporaryFolder;

class SchemeCommand : public ::testing::Test {
 protected:
  ProgramResult run(std::vector<std::string> words) {
    words.insert(words.begin(), "scheme");
    return testing::runProgram(words, folder_.file(""));
  }

  TemporaryFolder folder_;
};

void expectParts(const std::string& text, const std::vector<const char*>& parts) {
  for (const char* part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(SchemeCommand, TellsParametersRadiiAndErrors) {
  const ProgramResult result = run({"--rho", "0.8"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  expectParts(result.out, {"alpha_m 0.333333", "theta 0.555556", "0.929792", "0.801675"});
  expectParts(result.out, {"spectral radius at infinity      0.8          0.8          0.8"});
  EXPECT_LT(std::count(result.out.begin(), result.out.end(), '\n'), 60);
  EXPECT_EQ(run({}).out, result.out);
  EXPECT_EQ(run({"--quiet"}).out, "");
}

TEST_F(SchemeCommand, TellsWhereASchemeIsUnstable) {
  const ProgramResult result =
      run({"--motion", "newmark", "--beta", "= 1/6", "--gamma", "0.5", "--state", "ch"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  expectParts(result.out, {"< 3.4641"});
  expectParts(run({"--position-gain", "5"}).out, {"unstable with any scheme"});
}

TEST_F(SchemeCommand, CsvHasOneRowPerFrequency) {
  const ProgramResult result =
      run({"--csv", "-", "--from", "0.1", "--to", "10", "--count", "3", "--rho", "1"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  const std::string header =
      "frequency,motion_radius,period_error,damping_error,amplitude_error,state_radius,"
      "rate_error,coupled_radius\n";
  EXPECT_EQ(result.out.substr(0, header.size()), header);
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 4);
  // No period at hω = 10, and no decay at hσ = 10.
  EXPECT_NE(result.out.find("\n10,1,,,,1,,"), std::string::npos) << result.out;
}

TEST_F(SchemeCommand, JsonHasEverything) {
  const ProgramResult result = run({"--json", "-", "--count", "4"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(result.out.substr(0, 1), "{");
  expectParts(result.out,
              {"\"radius_at_infinity\"", "\"polynomials\"", "\"unstable_from\"", "\"order\"",
               "\"period_error\"", "\"rate_error\"", "\"coupled\"", "null", "\"name\": \"jwh\""});
}

TEST_F(SchemeCommand, FigureIsAnSvg) {
  const ProgramResult result = run({"--svg", "radius.svg", "--quiet"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  const std::string svg = readWhole(folder_.file("radius.svg"));
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  expectParts(svg, {"motion (ch)", "states (jwh)", "coupled", "spectral radius", "</svg>"});
  EXPECT_EQ(run({"--svg", "-"}).out, svg);
}

TEST_F(SchemeCommand, BadInputIsTold) {
  const ProgramResult rho = run({"--rho", "1.5"});
  EXPECT_EQ(rho.exitCode, 2);
  expectParts(rho.errors, {"--rho 1.5: error: rho:", "at most 1"});
  EXPECT_EQ(rho.out, "");
  const ProgramResult name = run({"--motion", "newmrak"});
  EXPECT_EQ(name.exitCode, 2);
  expectParts(name.errors, {"did you mean 'newmark'?"});
  EXPECT_EQ(run({"--from", "2", "--to", "1"}).exitCode, 2);
  EXPECT_EQ(run({"--alpha-f", "1"}).exitCode, 2);
  EXPECT_EQ(run({"--alpha-m", "-0.5"}).exitCode, 0);
  EXPECT_EQ(run({"--sped", "1"}).exitCode, 2);
  EXPECT_EQ(run({"--svg", "missing/figure.svg"}).exitCode, 4);
}

}  // namespace
}  // namespace flexloop
