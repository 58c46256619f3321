// A black box whose numbers are in another unit is the same controller: behind gains g and 1/g nothing changes, in
// whatever analysis.
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/box_file.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using nlohmann::json;

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

// `box` has BOX for the folder of libraries and UNIT for g.
std::string makeModel(const std::string& box, double g, double reference) {
  const auto replace = [](std::string text, const std::string& word, const std::string& by) {
    return text.replace(text.find(word), word.size(), by);
  };
  return R"(flexloop: 1
nodes: {a: {position: [0.3, 0, 0.1], free: [x, z]}}
bodies: {a: {node: a, mass: 2, inertia: [1, 1, 1]}}
springs:
  s: {type: distance, between: [ground, a], at: [0, 0, 1], to: [0.3, 0, 0.1], stiffness: 500, damping: 3}
  t: {type: distance, between: [ground, a], at: [1, 0, 1], to: [0.3, 0, 0.1], stiffness: 500, damping: 3}
sensors: {x: {measure: position, node: a, direction: [1, 0, 0]}}
blocks:
  e: {type: sum, inputs: [)" +
         number(reference) + R"(, -x]}
  in: {type: gain, gain: )" +
         number(g) + R"(, input: e}
  box: {)" +
         replace(box, "UNIT", number(g)) +
         R"(, inputs: [in], outputs: [y]}
  y: {type: gain, gain: )" +
         number(1.0 / g) + R"(, input: box.y}
actuators: {u: {type: force, node: a, direction: [1, 0, 0], input: y}}
outputs: [x, y]
analysis: {time: {end: 0.1, step: 1 ms}}
)";
}

void collect(const json& at, std::vector<double>& numbers) {
  if (at.is_number()) numbers.push_back(at);
  if (!at.is_structured()) return;
  for (const json& entry : at) collect(entry, numbers);
}

// What the analyses say, as numbers.
std::map<std::string, std::vector<double>> analyse(const std::string& text) {
  testing::TemporaryFolder folder;
  folder.write("m.yaml", text);
  std::map<std::string, std::vector<double>> found;
  const auto ask = [&](const std::vector<std::string>& words, const char* key) {
    std::vector<std::string> all = words;
    for (const char* word : {"--quiet", "--json", "o.json"}) all.emplace_back(word);
    const testing::ProgramResult result = testing::runProgram(all, folder.file(""));
    EXPECT_EQ(result.exitCode, 0) << words[0] << ": " << result.errors;
    if (result.exitCode != 0) return;
    const json read = json::parse(testing::readWhole(folder.file("o.json")));
    std::string name;
    for (const std::string& word : words) name += word + " ";
    if (std::string(key) == "modes") {
      for (const json& mode : read.at(key)) collect(mode.at("eigenvalue"), found[name]);
    } else {
      collect(read.at(key), found[name]);
    }
  };
  ask({"run", "m.yaml"}, "outputs");
  ask({"equilibrium", "m.yaml"}, "outputs");
  ask({"modes", "m.yaml", "--about", "equilibrium"}, "modes");
  ask({"frf", "m.yaml", "--from", "u", "--to", "x", "--points", "4"}, "responses");
  return found;
}

double compare(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double largest = 0.0, difference = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return difference / largest;
}

class BoxUnits : public ::testing::TestWithParam<std::array<const char*, 3>> {};

TEST_P(BoxUnits, DoNotMatter) {
  const auto& [type, library, more] = GetParam();
  const std::string box = std::string("type: ") + type + ", path: " + testing::boxFile(library) +
                          ", config: \"UNIT 3 " + more;
  // With an input of zero nothing tells its unit but what the box does.
  for (const double reference : {0.3, 0.33}) {
    const auto plain = analyse(makeModel(box, 1.0, reference));
    for (const double g : {1e-9, 1e15, 1e-15}) {
      const auto scaled = analyse(makeModel(box, g, reference));
      for (const auto& [name, values] : plain) {
        const auto found = scaled.find(name);
        ASSERT_NE(found, scaled.end()) << name;
        EXPECT_LE(compare(values, found->second), 1e-8) << name << g << ", " << reference;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BoxUnits,
    ::testing::Values(std::array<const char*, 3>{"library", "units", "0\""},
                      std::array<const char*, 3>{"library", "units", "0\", sample: 2 ms"},
                      std::array<const char*, 3>{"library", "units", "25\", sample: 2 ms"},
                      std::array<const char*, 3>{"nonlinear", "units_state", "\", states: 1"}));

}  // namespace
}  // namespace flexloop
