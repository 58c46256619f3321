// What is wrong with an FMU, or with what a model says of it, is named.
#include <gtest/gtest.h>

#include "support/box_file.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"
#include "support/zip_maker.hpp"

namespace flexloop::test {
namespace {

using testing::makeZip;
using testing::TemporaryFolder;
using testing::ZipEntry;

std::string complaintAbout(const std::string& keys) {
  return mistakesOf("blocks: {v: {type: fmu, " + keys + "}}\n");
}
std::string complaintAboutFile(const std::vector<ZipEntry>& entries) {
  const TemporaryFolder folder;
  return complaintAbout("path: " + folder.write("a.fmu", makeZip(entries)) + ", sample: 1 ms");
}

// A description of one output, with the parts that a test changes.
std::string describe(const std::string& head, const std::string& variables = "",
                     const std::string& interface = R"(<CoSimulation modelIdentifier="pid"/>)") {
  return "<fmiModelDescription " + head + ">" + interface + "<ModelVariables>" + variables +
         R"(<ScalarVariable name="u" valueReference="400" causality="output"><Real/></ScalarVariable>)" +
         "</ModelVariables><ModelStructure/></fmiModelDescription>";
}
constexpr const char* kHead = R"(fmiVersion="2.0" modelName="pid" guid="{flexloop-pid}")";

TEST(FmuMistakes, TheFileItself) {
  EXPECT_TRUE(says(complaintAbout("path: none.fmu"), "m.yaml:2:"));
  EXPECT_TRUE(says(complaintAbout("path: none.fmu"), "there is no file"));
  const TemporaryFolder folder;
  EXPECT_TRUE(
      says(complaintAbout("path: " + folder.write("a.fmu", "text")), "is not a ZIP archive"));
  EXPECT_TRUE(says(complaintAboutFile({{"a.txt", "x"}}), "it has no modelDescription.xml"));
  EXPECT_TRUE(says(complaintAboutFile({{"../modelDescription.xml", "x"}}), "leads out"));
  EXPECT_TRUE(
      says(complaintAboutFile({{"modelDescription.xml", "<fmi\n<"}}), "is not XML: line 2"));
  EXPECT_TRUE(says(complaintAboutFile({{"modelDescription.xml", "<other/>"}}),
                   "no element fmiModelDescription"));
  EXPECT_TRUE(says(complaintAboutFile({{"modelDescription.xml", describe(R"(fmiVersion="1.0")")}}),
                   "it is of FMI version '1.0'"));
  EXPECT_TRUE(says(complaintAboutFile({{"modelDescription.xml", describe(kHead, "", "")}}),
                   "neither co-simulation nor model exchange"));
}

// A description may promise what it likes.
TEST(FmuMistakes, AbsurdCounts) {
  const char* exchange = R"(<ModelExchange modelIdentifier="pid"/>)";
  const std::string head(kHead);
  EXPECT_TRUE(says(complaintAboutFile({{"modelDescription.xml",
                                        describe(head + R"( numberOfEventIndicators="2000000000")",
                                                 "", exchange)}}),
                   "has 2000000000 event indicators"));
  EXPECT_TRUE(says(complaintAboutFile(
                       {{"modelDescription.xml",
                         describe(kHead, R"(<ScalarVariable name="v"><Real/></ScalarVariable>)")}}),
                   "has a variable 'v' without a valueReference"));
  std::string states, derivatives;
  for (int i = 0; i < 10'001; ++i) {
    const std::string n = std::to_string(i), index = std::to_string(2 * i + 2);
    states += "<ScalarVariable name=\"x" + n + "\" valueReference=\"1\"><Real/></ScalarVariable>" +
              "<ScalarVariable name=\"d" + n + "\" valueReference=\"1\"><Real derivative=\"" +
              std::to_string(2 * i + 1) + "\"/></ScalarVariable>";
    derivatives += "<Unknown index=\"" + index + "\"/>";
  }
  std::string xml = describe(kHead, states, exchange);
  xml.replace(xml.find("<ModelStructure/>"), 17,
              "<ModelStructure><Derivatives>" + derivatives + "</Derivatives></ModelStructure>");
  EXPECT_TRUE(
      says(complaintAboutFile({{"modelDescription.xml", xml}, {"binaries/linux64/pid.so", "x"}}),
           "at most 10000 of each are allowed"));
}

TEST(FmuMistakes, ItsBinary) {
  const std::string xml = describe(kHead);
  EXPECT_TRUE(
      says(complaintAboutFile({{"modelDescription.xml", xml}, {"binaries/win64/pid.dll", "x"}}),
           "has no binary for this computer (linux64); it has win64"));
  EXPECT_TRUE(says(complaintAboutFile({{"modelDescription.xml", xml}}), "no binaries at all"));
  EXPECT_TRUE(
      says(complaintAboutFile({{"modelDescription.xml", xml}, {"binaries/linux64/other.so", "x"}}),
           "has no file binaries/linux64/pid.so, which its description promises"));
  EXPECT_TRUE(
      says(complaintAboutFile({{"modelDescription.xml", xml}, {"binaries/linux64/pid.so", "x"}}),
           "its binary cannot be used"));
  // A library that is none of an FMU.
  const std::string box = testing::readWhole(testing::boxFile("cubic"));
  EXPECT_TRUE(
      says(complaintAboutFile({{"modelDescription.xml", xml}, {"binaries/linux64/pid.so", box}}),
           "it has no function fmi2Instantiate"));
}

TEST(FmuMistakes, OneInstanceInAProcess) {
  const std::string xml = describe(
      kHead, "",
      R"(<CoSimulation modelIdentifier="pid" canBeInstantiatedOnlyOncePerProcess="true"/>)");
  const TemporaryFolder folder;
  const std::string said = complaintAbout(
      "sample: 1 ms, isolate: false, path: " +
      folder.write("a.fmu",
                   makeZip({{"modelDescription.xml", xml}, {"binaries/linux64/pid.so", "x"}})));
  EXPECT_TRUE(says(said, "there can be only one instance of the FMU in a process"));
  EXPECT_TRUE(says(said, "remove 'isolate: false'"));
}

TEST(FmuMistakes, ATokenThatDoesNotBelongToTheBinary) {
  const std::string library =
      testing::readWhole(std::filesystem::path(testing::boxFile("x")).parent_path().parent_path() /
                         "fmus/libfmu_pid2.so");
  ASSERT_FALSE(library.empty());
  const std::string xml = describe(R"(fmiVersion="2.0" modelName="pid" guid="{other}")");
  const std::string said =
      complaintAboutFile({{"modelDescription.xml", xml}, {"binaries/linux64/pid.so", library}});
  EXPECT_TRUE(says(said, "fmi2Instantiate makes no instance: the GUID is {other}"));
  EXPECT_TRUE(says(said, "does the GUID of its modelDescription.xml belong to its binary?"));
}

TEST(FmuMistakes, NamesAndTypes) {
  const std::string pid = "path: boxes/pid2_cs.fmu, sample: 1 ms, ";
  EXPECT_TRUE(says(complaintAbout(pid + "inputs: {f: 1}"), "the FMU has no input 'f'"));
  EXPECT_TRUE(says(complaintAbout(pid + "inputs: {f: 1}"), "it has 'e'"));
  EXPECT_TRUE(says(complaintAbout(pid + "inputs: {u: 1}"), "the FMU has no input 'u'"));
  EXPECT_TRUE(says(complaintAbout(pid + "inputs: {e: [1, 2]}"), "'e' takes one signal"));
  EXPECT_TRUE(says(complaintAbout(pid + "inputs: {e: q}"), "unknown signal 'q'"));
  EXPECT_TRUE(says(complaintAbout(pid + "parameters: {kp: 1}"), "did you mean 'Kp'?"));
  EXPECT_TRUE(says(complaintAbout(pid + "parameters: {der(lag): 1}"), "is calculated by the FMU"));
  EXPECT_TRUE(says(complaintAbout(pid + "parameters: {Kp: high}"), "is a number of type Float64"));
  EXPECT_TRUE(says(complaintAbout(pid + "inputs: {e: 1}, parameters: {e: 2}"),
                   "connected under 'inputs' as well"));
  EXPECT_TRUE(says(complaintAbout(pid + "outputs: [v]"), "the FMU has no output 'v'"));
  EXPECT_TRUE(says(complaintAbout(pid + "kind: me"), "it offers 'cs'"));
  EXPECT_TRUE(says(complaintAbout("path: boxes/pid2_cs.fmu"), "proposes no step"));
  const std::string types = "path: boxes/types2_cs.fmu, sample: 1 ms, ";
  EXPECT_TRUE(says(complaintAbout(types + "parameters: {n: 1.5}"), "'n' is a whole number"));
  EXPECT_TRUE(says(complaintAbout(types + "parameters: {b: 3}"), "'b' is true or false"));
  EXPECT_TRUE(says(complaintAbout(types + "parameters: {s: 3}"), "write it in quotes"));
  EXPECT_TRUE(says(complaintAbout("path: boxes/types3_cs.fmu, sample: 1 ms, inputs: {list: 1}"),
                   "'list' takes 3 signals, in a list"));
  const std::string space = "path: boxes/space3_both.fmu, inputs: {u: [0, 0]}, parameters: ";
  EXPECT_TRUE(says(complaintAbout(space + "{b: 1}"), "'b' is an array of 2"));
  EXPECT_TRUE(says(complaintAbout(space + "{A: [1, 2, 3, 4]}"), "'A' is an array of 2 x 2"));
  EXPECT_TRUE(says(complaintAbout(space + "{A: [[1, 2], [3]]}"), "a matrix as a list of its rows"));
  EXPECT_TRUE(says(complaintAbout(space + "{A: [[1, 2], [3, x]]}"), "is a number of type Float64"));
  EXPECT_TRUE(says(complaintAbout(space + "{n: [2]}"), "'n' is one value"));
  EXPECT_TRUE(says(complaintAbout(space + "{n: -1}"), "its array 'A' has too many numbers"));
  EXPECT_TRUE(says(complaintAbout(space + "{n: 1e9}"), "its array 'A' has too many numbers"));
  EXPECT_TRUE(says(complaintAbout(space + "{n: 3, b: [1, 2]}"), "'b' is an array of 3"));
}

TEST(FmuMistakes, WhatIsNotSupportedIsRefusedByName) {
  const auto complain = [](const std::string& variables, const std::string& interface) {
    return complaintAboutFile(
        {{"modelDescription.xml",
          R"(<fmiModelDescription fmiVersion="3.0" instantiationToken="x">)" + interface +
              "<ModelVariables>" + variables + "</ModelVariables><ModelStructure/>" +
              "</fmiModelDescription>"}});
  };
  const char* cs = R"(<CoSimulation modelIdentifier="a"/>)";
  EXPECT_TRUE(says(complain(R"(<Clock name="tick" valueReference="1" causality="input"/>)", cs),
                   "the FMU has the clock 'tick'"));
  EXPECT_TRUE(says(complain(R"(<Binary name="blob" valueReference="1" causality="output"/>)", cs),
                   "the output 'blob' of the FMU is of type Binary"));
  EXPECT_TRUE(says(
      complain(
          R"(<String name="list" valueReference="1" causality="output"><Dimension start="2"/></String>)",
          cs),
      "the output 'list' of the FMU is a text"));
  EXPECT_TRUE(says(
      complain(
          R"(<Float64 name="list" valueReference="1" causality="output"><Dimension valueReference="7"/></Float64>)",
          cs),
      "gives the array 'list' a length that is no variable"));
  EXPECT_TRUE(
      says(complain("", R"(<ScheduledExecution modelIdentifier="a"/>)"), "neither co-simulation"));
}

TEST(FmuMistakes, UnitsOfConnectedSensors) {
  const std::string cart =
      "nodes: {cart: {position: [0, 0, 0], free: [x]}}\nbodies: {cart: {node: cart, mass: 1}}\n"
      "sensors: {p: {measure: position, node: cart, direction: [1, 0, 0]}}\n";
  const std::string said =
      mistakesOf(cart + "blocks: {v: {type: fmu, path: boxes/plant2_me.fmu, inputs: {u: p}}}\n");
  EXPECT_TRUE(says(said, "the input 'u' of the FMU is a force (N), but 'p' is a length (m)"));
}

// Where the FMU states a unit, a value of another dimension is as wrong as elsewhere in a model.
TEST(FmuMistakes, UnitsOfParameters) {
  const std::string types = "path: boxes/types2_cs.fmu, sample: 1 ms, inputs: {turn: 0}, ";
  for (const char* value : {"3000 rpm", "314", "50 1/s", "= 2*w"}) {
    EXPECT_EQ(mistakesOf("parameters: {w: 300 rpm, m: 2 kg}\nblocks: {v: {type: fmu, " + types +
                         "parameters: {gain: " + value + "}}}\n"),
              "")
        << value;
  }
  const auto complain = [&](const std::string& value) {
    return mistakesOf("parameters: {w: 300 rpm, m: 2 kg}\nblocks:\n  v: {type: fmu, " + types +
                      "parameters: {gain: " + value + "}}\n");
  };
  EXPECT_TRUE(says(complain("3 kg"), "m.yaml:4:"));
  EXPECT_TRUE(says(complain("3 kg"),
                   "'gain' of the FMU is an angular velocity (rad/s), but its "
                   "value is a mass (kg)"));
  EXPECT_TRUE(says(complain("= 2*m"), "but its value is a mass (kg)"));
  EXPECT_TRUE(says(complain("3 m"), "give it in the unit of the FMU, or as a number in SI"));
}

// (37.1): limits are those of the FMU's own unit, of the variable or of its type.
TEST(FmuMistakes, LimitsOfParameters) {
  const auto complain = [](const std::string& speed, const std::string& gain) {
    const std::string xml =
        R"(<fmiModelDescription fmiVersion="3.0" instantiationToken="x"><CoSimulation modelIdentifier="a"/>)"
        R"(<TypeDefinitions><Float64Type name="Speed" unit="rpm" max="100"/></TypeDefinitions><ModelVariables>)"
        R"(<Float64 name="w" valueReference="0" causality="parameter" variability="fixed" declaredType="Speed" start="1"/>)"
        R"(<Float64 name="k" valueReference="1" causality="parameter" variability="fixed" min="0.5" start="1"/>)"
        R"(<Float64 name="y" valueReference="2" causality="output"/></ModelVariables><ModelStructure/></fmiModelDescription>)";
    const TemporaryFolder folder;
    return complaintAbout(
        "sample: 1 ms, path: " + folder.write("a.fmu", makeZip({{"modelDescription.xml", xml}})) +
        ", parameters: {w: " + speed + ", k: " + gain + "}");
  };
  EXPECT_TRUE(
      says(complain("101 rpm", "1"), "'w' is 101 rpm, but the FMU allows no more than 100"));
  EXPECT_TRUE(says(complain("12 rad/s", "1"), "'w' is 114.592 rpm"));
  EXPECT_TRUE(says(complain("100 rpm", "0.4"), "'k' is 0.4, but the FMU allows no less than 0.5"));
  EXPECT_TRUE(
      says(complain("100 rpm", "0.5"), "has no binary"));  // the limits themselves are allowed
}

TEST(FmuMistakes, AnAlgebraicLoop) {
  const std::string said = mistakesOf(
      "blocks:\n"
      "  a: {type: fmu, path: boxes/pid2_cs.fmu, sample: 1 ms, inputs: {e: b}}\n"
      "  b: {type: gain, input: a, gain: 2}\n");
  EXPECT_TRUE(says(said, "wait for each other at the same instant: 'a'"));
  EXPECT_TRUE(says(said, "feedthrough: false"));
  EXPECT_EQ(mistakesOf("blocks:\n"
                       "  a: {type: fmu, path: boxes/pid2_cs.fmu, sample: 1 ms, feedthrough: "
                       "false, inputs: {e: b}}\n"
                       "  b: {type: gain, input: a, gain: 2}\n"),
            "");
}

}  // namespace
}  // namespace flexloop::test
