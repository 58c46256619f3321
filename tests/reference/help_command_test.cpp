// `flexloop help`: what the manual says about a word, without the source tree.
#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;

ProgramResult help(std::vector<std::string> topic) {
  const testing::TemporaryFolder folder;
  topic.insert(topic.begin(), "help");
  return testing::runProgram(topic, folder.file(""));
}

void expectPrints(const std::vector<std::string>& topic, const std::vector<std::string>& parts) {
  const ProgramResult result = help(topic);
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  for (const std::string& part : parts) {
    EXPECT_NE(result.out.find(part), std::string::npos) << "'" << part << "' is not in\n"
                                                        << result.out;
  }
}

TEST(HelpCommand, AloneListsPagesAndTypes) {
  expectPrints({},
               {"flexloop help TOPIC", "troubleshooting", "joints", "hinge, slider", "torsional"});
}

TEST(HelpCommand, ATypeGivesItsReferenceEntry) {
  expectPrints({"hinge"}, {"joints: hinge", "One rotation about an axis.", "between", "required",
                           "type: hinge"});
  expectPrints({"PID"}, {"blocks: pid", "anti_windup", "e = reference − input"});
}

TEST(HelpCommand, ATypeOfSeveralSectionsGivesAllOrTheOneThatIsMeant) {
  expectPrints({"distance"}, {"joints: distance", "springs: distance", "sensors: distance"});
  const ProgramResult one = help({"springs.distance"});
  EXPECT_NE(one.out.find("preload"), std::string::npos);
  EXPECT_EQ(one.out.find("A rigid rod without mass"), std::string::npos);
  EXPECT_EQ(help({"springs", "distance"}).out, one.out);
}

TEST(HelpCommand, ASectionGivesItsTypes) {
  expectPrints({"joints"}, {"universal", "A rigid rod without mass between two points"});
  expectPrints({"bodies"}, {"mass", "com", "inertia"});
}

TEST(HelpCommand, APageIsPrintedByItsNameOrItsTitle) {
  expectPrints({"glossary"}, {"One word for one thing", "what turns a signal into a force"});
  EXPECT_EQ(help({"Troubleshooting,", "by", "message"}).out, help({"troubleshooting"}).out);
}

TEST(HelpCommand, AUnitIsConverted) {
  expectPrints({"rpm"}, {"1 rpm is 0.1047197", "an angular velocity (rad/s)"});
  expectPrints({"kN/mm"}, {"1 kN/mm is 1e+06 in SI"});
}

TEST(HelpCommand, AKeyGivesTheTypesThatHaveIt) {
  expectPrints({"y_axis"},
               {"A key of", "beams", "direction of the section's y axis", "places of the manual"});
}

TEST(HelpCommand, WordsAreLookedForInHeadingsAndThenInTexts) {
  expectPrints({"order", "of", "between"}, {"[conventions]", "The order of between"});
}

TEST(HelpCommand, WhatManyPlacesHaveIsListed) {
  expectPrints({"stiffness", "proportional"}, {"damping"});
  expectPrints({"signal"}, {"places of the manual", "conventions: Actuators and loads", "…"});
}

TEST(HelpCommand, ATypoIsAnsweredWithTheNearestWord) {
  const ProgramResult result = help({"hnige"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.errors,
            "error: the manual says nothing about 'hnige'\n  hint: did you mean 'hinge'?\n");
  EXPECT_NE(help({"xyzzyplugh"}).errors.find("'flexloop help' lists its pages"), std::string::npos);
}

}  // namespace
}  // namespace flexloop
