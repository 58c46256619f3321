// What is said about tyres and tyre files that are wrong: the place, the name and a remedy.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file_text.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::test {
namespace {

std::string wheel(const std::string& tyre) {
  return "nodes: {w: {position: [0, 0, 0.33], free: [x, y]}}\n"
         "bodies: {w: {node: w, mass: 10}}\n"
         "contacts: {t: {type: tyre, node: w, axis: [0, 1, 0], road: {normal: [0, 0, 1]}, " +
         tyre + "}}\n";
}

void expectParts(const std::string& said, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_TRUE(says(said, part));
}

struct Change {
  const char *from, *to;  // in the file
  std::vector<std::string> expected;
};

TEST(TyreFiles, AreCheckedLineByLine) {
  const std::string good =
      base::readFileText(inProject("tests/fixtures/tyres/passenger_car.tir")).value();
  const std::vector<Change> changes{
      {"PROPERTY_FILE_FORMAT = 'PAC2002'",
       "PROPERTY_FILE_FORMAT = 'MF_61'",
       {"bad.tir:12", "'MF_61' is not known", "PAC2002"}},
      {"PROPERTY_FILE_FORMAT = 'PAC2002'", "", {"bad.tir:1", "no PROPERTY_FILE_FORMAT"}},
      {"LENGTH = 'meter'", "LENGTH = 'mm'", {"bad.tir:6", "LENGTH is 'mm'", "'meter'"}},
      {"ANGLE  = 'radians'", "ANGLE  = 'degrees'", {"bad.tir:8", "'degrees'", "'radians'"}},
      {"FORCE  = 'newton'", "", {"bad.tir:5", "[UNITS] does not state FORCE"}},
      {"[UNITS]", "[UNIT]", {"bad.tir:1", "no section [UNITS]"}},
      {"TYRESIDE             = 'LEFT'",
       "TYRESIDE = 'MIDDLE'",
       {"bad.tir:13", "'MIDDLE'", "'LEFT'"}},
      {"= 22.303", "= 22,303", {"bad.tir:", "'PKX1' is not a number: '22,303'"}},
      {"= 1.1739", "= nan", {"'PDX1' is not a number"}},
      {"= 1.1739", "= -1.1739", {"bad.tir:", "PDX1 is -1.1739", "greater than zero"}},
      {"PDY1                = 1.0489\n", "", {"PDY1", "are missing"}},
      {"FNOMIN              = 4850\n", "", {"FNOMIN", "are missing"}},
      {"PDY2 ", "PDY1 ", {"'PDY1' is there twice", "line"}},
      {"[SCALING_COEFFICIENTS]", "[SCALING_COEFFICIENTS", {"without ']'"}},
      {"TYRESIDE             = 'LEFT' ", "TYRESIDE             = 'LEFT ", {"bad.tir:13", "quote"}},
      {"[DIMENSION]", "[DIMENSION]\nnonsense", {"bad.tir:15", "'nonsense'"}},
      {"PTX1                = 2.3657", "PTX1                = 0", {"no relaxation length: PTX1"}}};
  const flexloop::testing::TemporaryFolder folder;
  const std::string path = folder.file("bad.tir");
  for (const Change& change : changes) {
    std::string text = good;
    const std::size_t at = text.find(change.from);
    ASSERT_NE(at, std::string::npos) << change.from;
    text.replace(at, std::string(change.from).size(), change.to);
    folder.write("bad.tir", text);
    expectParts(mistakesOf(wheel("file: " + path)), change.expected);
  }
  folder.write("bad.tir", good);
  EXPECT_EQ(mistakesOf(wheel("file: " + path)), "");
}

TEST(Tyres, AreCheckedInTheModel) {
  const std::string file = "file: " + inProject("tests/fixtures/tyres/passenger_car.tir");
  const std::string brush =
      "model: brush, radius: 0.34, stiffness: 2e5, friction: 1, slip_stiffness: 1e5, "
      "cornering_stiffness: 1e5, ";
  expectParts(mistakesOf(wheel("side: left")), {"the tyre has no numbers", "file"});
  expectParts(mistakesOf(wheel("file: no.tir")), {"no.tir", "does not exist"});
  expectParts(mistakesOf(wheel(file + ", coefficients: {PDY11: 1}")),
              {"'PDY11' is not a coefficient", "did you mean 'PDY1'?"});
  expectParts(mistakesOf(wheel(file + ", coefficients: {LMUY: 0}")), {"LMUY is 0"});
  expectParts(mistakesOf(wheel(file + ", coefficients: {FZMIN: 5000}")), {"FZMIN and FZMAX"});
  expectParts(mistakesOf(wheel(file + ", stiffness: 1e5")),
              {"'stiffness' does not belong to the model pac2002", "VERTICAL_STIFFNESS"});
  expectParts(mistakesOf(wheel(brush + file)), {"'file' belongs to the model pac2002"});
  expectParts(mistakesOf(wheel(brush)), {"'relaxation_length' is missing"});
  expectParts(mistakesOf(wheel(brush + "relaxation: false, carcass_damping: 1 ms")),
              {"'carcass_damping' needs 'relaxation: true'"});
  expectParts(mistakesOf(wheel(brush + "relaxation_length: 0.3, least_speed: 1")),
              {"'least_speed' belongs to 'relaxation: false'"});
  std::string lying = wheel(brush + "relaxation_length: 0.3");
  lying.replace(lying.find("axis: [0, 1, 0]"), 15, "axis: [0, 0, 1]");
  expectParts(mistakesOf(lying), {"perpendicular to the road"});
  std::string half = wheel(brush + "relaxation_length: 0.3");
  half.replace(half.find("normal: [0, 0, 1]"), 17, "normal: [0, 0, 1], height: h");
  expectParts(mistakesOf(half + "blocks: {h: {type: constant, value: 0}}\n"),
              {"both 'height' and 'slope'"});
}

// Sensors that do not fit are named.
TEST(Tyres, HaveSensorsOfTheirOwn) {
  const std::string brush =
      "model: brush, radius: 0.34, stiffness: 2e5, friction: 1, slip_stiffness: 1e5, "
      "cornering_stiffness: 1e5, relaxation_length: 0.3";
  for (const char* type : {"normal_force", "friction_force", "penetration", "sticking"}) {
    expectParts(mistakesOf(wheel(brush) + "sensors: {s: {measure: " + type + ", contact: t}}\n"),
                {"'t' is a tyre", "tyre_force"});
  }
  expectParts(mistakesOf("nodes: {b: {position: [0, 0, 0.4], free: [z]}}\n"
                         "bodies: {b: {node: b, mass: 1}}\n"
                         "contacts: {c: {type: sphere_plane, node: b, radius: 0.1, stiffness: 1e4, "
                         "plane: {normal: [0, 0, 1]}}}\n"
                         "sensors: {s: {measure: slip_angle, contact: c}}\n"),
              {"'c' is not a tyre", "type tyre"});
}

}  // namespace
}  // namespace flexloop::test
