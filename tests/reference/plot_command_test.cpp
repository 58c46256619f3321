// The command `flexloop plot` as its users see it.
#include <cstdlib>
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

// A parabola of height 8 and a line, of which the unit is not known.
constexpr const char* kRecord = "time,a,b.x\n0,0,0\n1,6,1\n2,8,2\n3,6,3\n4,0,4\n";

class PlotCommand : public ::testing::Test {
 protected:
  PlotCommand() { folder_.write("a.csv", kRecord); }

  ProgramResult run(std::vector<std::string> words) {
    words.insert(words.begin(), "plot");
    return testing::runProgram(words, folder_.file(""));
  }

  std::string draw(std::vector<std::string> words) {
    words.insert(words.end(), {"-o", "-"});
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return result.out;
  }

  TemporaryFolder folder_;
};

std::size_t countOf(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// The frame is 548 wide and starts at 72; 5 % of the range are left above and below the curve.
TEST_F(PlotCommand, CurveStandsWhereItsNumbersAre) {
  const std::string svg = draw({"a.csv", "a"});
  EXPECT_NE(svg.find("M72.00 "), std::string::npos) << svg;
  EXPECT_NE(svg.find("L346.00 "), std::string::npos) << "t = 2 is in the middle";
  EXPECT_NE(svg.find("L620.00 "), std::string::npos);
  EXPECT_NE(svg.find(">time [s]<"), std::string::npos);
  EXPECT_NE(svg.find(">a<"), std::string::npos);
}

TEST_F(PlotCommand, UnitsOfAResultShareAChart) {
  folder_.write("m.yaml", R"(flexloop: 1
nodes: {cart: {position: [0, 0, 0], velocity: [1, 0, 0], free: [x]}}
bodies: {m: {node: cart, mass: 1}}
sensors:
  p: {measure: position, node: cart, direction: [1, 0, 0]}
  q: {measure: displacement, node: cart, direction: [1, 0, 0]}
  v: {measure: velocity, node: cart, direction: [1, 0, 0]}
analysis: {time: {end: 0.1, step: 10 ms}}
)");
  const std::string svg = draw({"m.yaml"});
  EXPECT_EQ(countOf(">time [s]<", svg), 2u);
  EXPECT_NE(svg.find(">p, q [m]<"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">v [m/s]<"), std::string::npos);
  // What the run left may be named by its folder, and drawn beside itself.
  const std::string both = draw({"out/m", "p", "--with", "out/m/result.h5"});
  EXPECT_EQ(countOf(">p (m)<", both), 2u);
  EXPECT_EQ(run({"out/m", "-p", "x=1"}).exitCode, 2);
}

TEST_F(PlotCommand, AnotherChannelMayTakeThePlaceOfTime) {
  const std::string svg = draw({"a.csv", "a", "--over", "b"});
  EXPECT_EQ(countOf(">b.x<", svg), 1u);
  EXPECT_EQ(countOf("time", svg), 0u);
}

TEST_F(PlotCommand, LongRecordsKeepTheirPeaks) {
  std::string text = "time,x\n";
  for (int i = 0; i < 100000; ++i) {
    text += std::to_string(i) + (i == 77777 ? ",1000\n" : ",0\n");
  }
  folder_.write("long.csv", text);
  const std::string svg = draw({"long.csv"});
  EXPECT_LT(svg.size(), 200000u);
  // 5 % of the range below the upper end of a frame from 44 to 364.
  EXPECT_NE(svg.find(" 58.55"), std::string::npos);
}

TEST_F(PlotCommand, EndOfTheNameChoosesTheFormat) {
  for (const auto& [file, start] :
       {std::pair{"f.png", "\x89PNG"}, std::pair{"f.pdf", "%PDF"}, std::pair{"f.svg", "<svg"}}) {
    const ProgramResult result = run({"a.csv", "-o", file});
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    EXPECT_EQ(result.out, std::string(file) + "\n");
    EXPECT_TRUE(readWhole(folder_.file(file)).starts_with(start)) << file;
  }
}

TEST_F(PlotCommand, MistakesAreTold) {
  const auto expect = [&](const std::vector<std::string>& words, int exitCode, const char* part) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exitCode, exitCode);
    EXPECT_NE(result.errors.find(part), std::string::npos) << result.errors;
  };
  expect({"a.csv", "b.y"}, 2, "did you mean 'b.x'?");
  expect({"a.csv", "--from", "9"}, 2, "the record covers 0 s to 4 s");
  expect({"a.csv", "--over", "*"}, 2, "choose one: a or b.x");
  expect({"a.csv", "-o", "f.jpg"}, 2, "use a name that ends in .svg, .png or .pdf");
  expect({"none.h5"}, 2, "none.h5");
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  expect({"a.csv", "-o", "f.png"}, 4, "install librsvg2-bin, or use a file name that ends in .svg");
  setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace flexloop
