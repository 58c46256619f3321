#include <algorithm>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>

#include <gtest/gtest.h>

#include "base/result.hpp"
#include "commands/command.hpp"
#include "commands/view_questions.hpp"
#include "files/hdf5_file.hpp"
#include "files/output_file.hpp"
#include "numbers.hpp"
#include "support/box_file.hpp"
#include "support/message_matchers.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::commands {
namespace {

using flexloop::testing::ProgramResult;
using flexloop::testing::runProgram;
using flexloop::testing::startProgram;
using flexloop::testing::TemporaryFolder;
using nlohmann::json;
using test::jsonOf;
using test::numbersOf;
using test::says;
using Complex = std::complex<double>;

// A mass on a spring, a damper and a PD controller: m s² + (c + kd) s + k + kp = 0.
constexpr const char* kServo = R"(flexloop: 1
parameters: {k: 100, kd: 4.8}
nodes: {mass: {position: [0, 0, 0], free: [x]}}
bodies: {mass: {node: mass, mass: 2}}
springs: {wall: {type: linear, between: [ground, mass], direction: [1, 0, 0], stiffness: = k, damping: 3}}
sensors: {x: {measure: displacement, node: mass, direction: [1, 0, 0]}}
blocks: {pd: {type: pid, input: x, reference: 0, kp: 44, kd: = kd}}
actuators: {motor: {type: force, node: mass, direction: [1, 0, 0], input: pd}}
loads: {push: {node: mass, force: [10, 0, 0]}}
analysis: {time: {end: 8, step: 2 ms, rho: 0.9}}
)";

Complex poleOf(double kp, double kd = 4.8) {
  const double m = 2.0, c = 3.0 + kd, k = 100.0 + kp;
  return (-c + std::sqrt(Complex(c * c - 4.0 * m * k))) / (2.0 * m);
}

class QuestionsTest : public ::testing::Test {
 protected:
  QuestionsTest()
      : file_(openViewed(folder_.write("servo.yaml", kServo), {}, false)),
        session_(makeSession({file_}, {nullptr}, {})),
        questions_(file_, *session_) {}

  json ask(const std::string& what, const json& question) {
    const auto answer = questions_.answer(what, question.dump());
    EXPECT_TRUE(answer && answer->ok) << (answer ? answer->text : "Unknown request");
    return answer && answer->ok ? json::parse(answer->text) : json();
  }
  std::string refusal(const std::string& what, const std::string& question) {
    const auto answer = questions_.answer(what, question);
    EXPECT_TRUE(answer && !answer->ok);
    return answer ? answer->text : std::string();
  }

  TemporaryFolder folder_;
  ViewedFile file_;
  std::unique_ptr<view::Session> session_;
  ViewQuestions questions_;
};

TEST_F(QuestionsTest, NumbersThatMayBeChangedAreListed) {
  const json scene = jsonOf(session_->find("scene.json"));
  std::vector<std::string> paths;
  for (const json& entry : scene.at("parameters")) paths.push_back(entry.at("path"));
  // Those that follow from a parameter are not.
  EXPECT_EQ(paths, (std::vector<std::string>{"k", "kd", "blocks.pd.reference", "blocks.pd.kp",
                                             "springs.wall.damping", "loads.push.force.1",
                                             "loads.push.force.2", "loads.push.force.3",
                                             "bodies.mass.mass"}));
  EXPECT_EQ(scene.at("parameters")[3].at("value"), 44.0);
  EXPECT_EQ(scene.at("parameters")[8].at("unit"), "kg");
}

// The page tells why it starts without modes.
TEST(FirstModes, SayWhyThereAreNone) {
  const TemporaryFolder folder;
  const std::string model = folder.write("m.yaml", R"(flexloop: 1
nodes: {A: {position: [0, 0, 0], free: [x]}}
springs: {s: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: 3}}
)");
  const ViewedFile file = openViewed(model, {}, false);
  const json modes = json::parse(makeFirstModes("0", file).json);
  EXPECT_TRUE(modes.at("modes").empty());
  EXPECT_TRUE(says(modes.at("warnings").at(0), "nothing that can move has mass"));
}

TEST_F(QuestionsTest, AChangedGainMovesThePole) {
  for (const double kp : {44.0, 80.0, 400.0}) {
    const json modes = ask("modes", {{"values", {{"blocks.pd.kp", kp}}}});
    ASSERT_EQ(modes.at("modes").size(), 1u);
    const json s = modes.at("modes")[0].at("eigenvalue");
    EXPECT_NEAR(s[0].get<double>(), poleOf(kp).real(), 1e-9);
    EXPECT_NEAR(s[1].get<double>(), poleOf(kp).imag(), 1e-9);
    const std::string set = modes.at("set");
    const auto shape = numbersOf<float>(session_->find("modes/" + set + "/shapes"));
    ASSERT_EQ(shape.size(), 2u * 12u);
    EXPECT_NEAR(std::hypot(shape[12], shape[18]), 1.0, 1e-6);  // the mass moves along x
  }
  const json open = ask("modes", {{"values", json::object()}, {"loop", "open"}});
  EXPECT_NEAR(open.at("modes")[0].at("eigenvalue")[1].get<double>(),
              std::sqrt(100.0 / 2.0 - 0.75 * 0.75), 1e-9);
}

TEST_F(QuestionsTest, ARunEndsAtRest) {
  const json result = ask("run", {{"values", {{"blocks.pd.kp", 100.0}}}, {"end", 12.0}});
  const std::string id = result.at("id");
  const auto time = numbersOf<double>(session_->find("result/" + id + "/time"));
  EXPECT_NEAR(time.back(), 12.0, 1e-9);
  const auto x = numbersOf<double>(session_->find("result/" + id + "/channel/0"));
  EXPECT_NEAR(x.back(), 10.0 / 200.0, 1e-6);
  const auto frames = numbersOf<float>(session_->find("result/" + id + "/frames/0"));
  ASSERT_GE(frames.size(), 14u);
  EXPECT_EQ(frames[7], 0.0F);
  EXPECT_EQ(jsonOf(session_->find("results.json")).size(), 1u);
}

TEST_F(QuestionsTest, ASweepFollowsThePole) {
  const json sweep = ask("sweep", {{"values", {{"kd", 2.0}}},
                                   {"path", "blocks.pd.kp"},
                                   {"from", 0.0},
                                   {"to", 200.0},
                                   {"count", 5},
                                   {"log", false}});
  ASSERT_EQ(sweep.at("points").size(), 5u);
  ASSERT_EQ(sweep.at("branches").size(), 1u);
  EXPECT_EQ(sweep.at("branches")[0].at("grows"), json({false, false, false, false, false}));
  for (int i = 0; i < 5; ++i) {
    const Complex expected = poleOf(sweep.at("points")[i].get<double>(), 2.0);
    const json s = sweep.at("branches")[0].at("roots")[i];
    EXPECT_NEAR(s[0].get<double>(), expected.real(), 1e-9);
    EXPECT_NEAR(s[1].get<double>(), expected.imag(), 1e-9);
  }
}

TEST_F(QuestionsTest, AResponseIsThatOfTheClosedForm) {
  const json frf = ask("frf", {{"values", json::object()},
                               {"from", "push"},
                               {"to", json::array({"x"})},
                               {"range", json::array({0.1, 10.0})},
                               {"points", 7}});
  ASSERT_EQ(frf.at("frequency_hz").size(), 7u);
  const json& response = frf.at("responses")[0];
  for (int i = 0; i < 7; ++i) {
    const Complex s(0.0, 2.0 * std::acos(-1.0) * frf.at("frequency_hz")[i].get<double>());
    const Complex H = 10.0 / (2.0 * s * s + 7.8 * s + 144.0);
    EXPECT_NEAR(response.at("re")[i].get<double>(), H.real(), 1e-9);
    EXPECT_NEAR(response.at("im")[i].get<double>(), H.imag(), 1e-9);
  }
}

TEST_F(QuestionsTest, BadQuestionsAreRefusedInWords) {
  for (const char* what : {"modes", "run", "sweep", "frf"}) {
    for (const char* text :
         {"", "{", "[]", "3", "null", "{\"values\": 3}", "\xff",
          "{\"values\": {\"blocks.pd.kp\": \"5\"}}", "{\"values\": {\"blocks.pd.type\": 5}}",
          "{\"values\": {\"blocks.pd.kp=1\\nblocks.pd.kd\": 5}}"}) {
      EXPECT_FALSE(refusal(what, text).empty()) << what << " " << text;
    }
  }
  EXPECT_TRUE(says(refusal("modes", R"({"loop": "half"})"), "there is no 'half'"));
  EXPECT_TRUE(says(refusal("modes", R"({"count": "many"})"), "'count' is not a number"));
  EXPECT_TRUE(says(refusal("sweep", R"({"path": "kd", "from": 1})"), "'to' is missing"));
  EXPECT_TRUE(says(refusal("sweep", R"({"path": "kq", "from": 1, "to": 2})"), "'kq'"));
  EXPECT_TRUE(says(refusal("frf", R"({"from": "psh", "to": "x"})"), "did you mean 'push'?"));
  EXPECT_TRUE(says(refusal("modes", R"({"values": {"bodies.mass.mass": -1}})"), "mass"));
  EXPECT_TRUE(says(refusal("run", R"({"end": -1})"), "positive"));
  EXPECT_FALSE(questions_.answer("other", "{}"));
}

TEST_F(QuestionsTest, StopEndsARun) {
  std::thread other([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    questions_.stop();
  });
  EXPECT_TRUE(says(refusal("run", R"({"end": 1e6})"), "stop"));
  other.join();
}

// With -p, and seen from another folder than that of the run.
TEST(ViewedFiles, AResultMakesItsModelAgain) {
  const TemporaryFolder folder;
  folder.write("servo.yaml", kServo);
  const ProgramResult run = runProgram(
      {"run", "servo.yaml", "-p", "k=50", "--set", "blocks.pd.kp=10", "--quiet"}, folder.file(""));
  ASSERT_EQ(run.exitCode, 0) << run.errors;
  const ViewedFile file = openViewed(folder.file("out/servo"), {}, false);
  ASSERT_NE(file.model, nullptr) << file.whyNoModel;
  EXPECT_EQ(file.name, "servo");
  EXPECT_EQ(file.source.file, folder.file("servo.yaml"));
  EXPECT_EQ(file.model->description().parameters.front().second, 50.0);
  const auto session = makeSession({file}, {file.result}, {});
  const json result = jsonOf(session->find("results.json")).at(0);
  EXPECT_EQ(result.at("frames"), true);  // without a word about them in the model
  EXPECT_EQ(result.at("complete"), true);
  const auto x = numbersOf<double>(session->find("result/0/channel/0"));
  const auto frames = numbersOf<float>(session->find("result/0/frames/0"));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(frames[14 * i + 7], static_cast<float>(x[i]));
}

TEST(ViewedFiles, AResultIsShownWithoutTheFilesOfItsModel) {
  const TemporaryFolder folder;
  folder.write("part.yaml", "flexloop: 1\nparameters: {k: 100, kd: 4.8}\n");
  std::string text = kServo;
  text.replace(text.find("parameters: {k: 100, kd: 4.8}"), 29, "include: [part.yaml]");
  folder.write("servo.yaml", text);
  ASSERT_EQ(runProgram({"run", "servo.yaml", "--quiet"}, folder.file("")).exitCode, 0);
  std::filesystem::remove(folder.file("part.yaml"));
  std::filesystem::remove(folder.file("servo.yaml"));
  const ViewedFile file = openViewed(folder.file("out/servo/result.h5"), {}, false);
  EXPECT_NE(file.model, nullptr);
  EXPECT_EQ(file.whyNoModel, "");
  const auto session = makeSession({file}, {file.result}, {});
  EXPECT_EQ(jsonOf(session->find("scene.json")).at("nodes").size(), 2u);
  EXPECT_EQ(jsonOf(session->find("results.json")).at(0).at("frames"), true);
  ViewQuestions questions(file, *session);
  EXPECT_TRUE(questions.answer("modes", "{}")->ok);
}

std::string viewErrors(const std::vector<std::string>& words, const TemporaryFolder& folder) {
  std::vector<std::string> all{"view", "--no-open"};
  all.insert(all.end(), words.begin(), words.end());
  const ProgramResult result = runProgram(all, folder.file(""));
  EXPECT_NE(result.exitCode, 0);
  return result.errors;
}

TEST(ViewCommand, SaysWhatIsNoResult) {
  const TemporaryFolder folder;
  folder.write("servo.yaml", kServo);
  ASSERT_EQ(runProgram({"run", "servo.yaml", "--quiet"}, folder.file("")).exitCode, 0);
  const std::string result = folder.file("out/servo/result.h5");
  EXPECT_TRUE(says(viewErrors({"none.h5"}, folder), "none.h5"));
  EXPECT_TRUE(says(viewErrors({"."}, folder), "neither a result.h5 nor a model.yaml"));
  folder.write("notes.txt", "hello\n");
  EXPECT_TRUE(says(viewErrors({"notes.txt"}, folder), "neither a result"));
  folder.write("table.csv", "time,x\n0,1\n");
  EXPECT_TRUE(says(viewErrors({"table.csv"}, folder), "no machine"));
  std::filesystem::copy_file(result, folder.file("cut.h5"));
  std::filesystem::resize_file(folder.file("cut.h5"), 3000);
  EXPECT_TRUE(says(viewErrors({"cut.h5"}, folder), "damaged or truncated"));
  files::Hdf5File::create(folder.file("other.h5")).close();
  EXPECT_TRUE(says(viewErrors({"other.h5"}, folder), "not the result of a run"));
  EXPECT_TRUE(says(viewErrors({"servo.yaml", "--port", "70000"}, folder), "port"));
}

TEST(ViewCommand, SaysWhichFormatItCannotRead) {
  const TemporaryFolder folder;
  folder.write("servo.yaml", kServo);
  ASSERT_EQ(runProgram({"run", "servo.yaml", "--quiet"}, folder.file("")).exitCode, 0);
  files::Hdf5File file = files::Hdf5File::create(folder.file("new.h5"));
  file.setAttribute("/", "program", std::string("flexloop"));
  file.setAttribute("/", "format", std::string("2"));
  file.setAttribute("/", "version", std::string("9.1.0"));
  file.setAttribute("/", "complete", true);
  file.close();
  const std::string told = viewErrors({"new.h5"}, folder);
  EXPECT_TRUE(says(told, "format 2"));
  EXPECT_TRUE(says(told, "version 9.1.0"));
}

// No browser, and the user ends it at once.
TEST(ViewCommand, TellsTheAddressWithoutABrowser) {
  const TemporaryFolder folder;
  setenv("BROWSER", "/nowhere/browser", 1);
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  const volatile int stop = 1;
  std::ostringstream text, errors;
  const Console console{.text = &text, .errors = &errors, .stopRequest = &stop};
  const auto& list = commandList();
  Call call;
  std::find_if(list.begin(), list.end(), [](const Command& command) {
    return command.name == std::string("view");
  })->declare(call);
  *std::get<std::vector<std::string>*>(call.options.front().target) = {
      folder.write("servo.yaml", kServo)};
  EXPECT_EQ(guard(console, [&] { call.action(console); }), 0);
  EXPECT_TRUE(says(text.str(), "The viewer is at http://127.0.0.1:"));
  EXPECT_TRUE(says(errors.str(), "no browser was found"));
  unsetenv("BROWSER");
}

TEST(ViewCommand, SaysThatACopyOfTheProgramHasNoServer) {
  const TemporaryFolder folder;
  folder.write("servo.yaml", kServo);
  std::filesystem::copy_file(test::programFile(), folder.file("flexloop"));
  const int status = std::system(
      ("cd " + folder.file("") + " && ./flexloop view servo.yaml --no-open 2> errors").c_str());
  const std::string errors = flexloop::testing::readWhole(folder.file("errors"));
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(base::FailureKind::kOther));
  EXPECT_TRUE(says(errors, "error: the viewer needs flexloop_server.so, which is neither in "));
  EXPECT_TRUE(says(errors, "hint: copy it from the build folder"));
}

TEST(ReportCommand, WritesOnePage) {
  const TemporaryFolder folder;
  folder.write("servo.yaml", kServo);
  ASSERT_EQ(runProgram({"run", "servo.yaml", "--quiet"}, folder.file("")).exitCode, 0);
  const ProgramResult report = runProgram({"report", "out/servo", "-o", "r.html"}, folder.file(""));
  EXPECT_EQ(report.exitCode, 0) << report.errors;
  EXPECT_TRUE(says(report.out, "The report is in r.html"));
  const std::string text = flexloop::testing::readWhole(folder.file("r.html"));
  EXPECT_TRUE(says(text, "data-name=\"result/0/frames/0\""));
  EXPECT_TRUE(says(text, "data-name=\"modes/0/shapes\""));
  EXPECT_EQ(text.find("src=\"http"), std::string::npos);
}

// A box with one input and one output, in whatever library.
std::string modelWithBox(const std::string& path) {
  std::string text = kServo;
  text.replace(text.find("blocks: {"), 9,
               "blocks: {box: {type: library, path: " + path +
                   ", inputs: [x], outputs: [force], sample: 1 ms, config: \"100 20\"}, ");
  return text;
}

// In this process, where only a box that is trusted is loaded.
bool isLoaded(const std::string& library) {
  return says(flexloop::testing::readWhole("/proc/self/maps"), library);
}

// Code of others does not run just because someone looks; whoever asks for modes starts it.
TEST(ViewedFiles, BlackBoxesAreNotStartedToLook) {
  const TemporaryFolder folder;
  const std::string model =
      folder.write("m.yaml", modelWithBox(flexloop::testing::boxFile("pi") + ", isolate: false"));
  const ViewedFile file = openViewed(model, {}, false);
  EXPECT_TRUE(file.hasStandIns);
  const auto session = makeSession({file}, {nullptr}, {});
  const json diagram = jsonOf(session->find("scene.json")).at("diagram");
  EXPECT_TRUE(says(diagram.dump(), R"({"from":"x","sign":1,"to":"box"})"));
  const json first = json::parse(makeFirstModes("0", file).json);
  EXPECT_TRUE(first.at("modes").empty());
  EXPECT_TRUE(says(first.at("warnings").at(0), "black boxes"));
  EXPECT_FALSE(isLoaded("pi.so"));
  const ViewedFile real = openViewed(model, {}, false, Boxes::kStart);
  EXPECT_FALSE(real.hasStandIns);
  EXPECT_TRUE(isLoaded("pi.so"));
}

TEST(ViewedFiles, AMachineIsSeenWithoutTheLibraryOfItsBox) {
  const TemporaryFolder folder;
  const ViewedFile file = openViewed(folder.write("m.yaml", modelWithBox("./gone.so")), {}, false);
  const auto session = makeSession({file}, {nullptr}, {});
  EXPECT_EQ(jsonOf(session->find("scene.json")).at("bodies").size(), 1u);
  ViewQuestions questions(file, *session);
  const auto answer = questions.answer("modes", "{}");
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->ok);
  EXPECT_TRUE(says(answer->text, "gone.so"));
}

// A run of another process is followed from its first flush to its end; every record that is there is whole. So
// small a machine writes almost all the time.
TEST(ViewedFiles, ARunIsFollowedWhileItGoesOn) {
  const TemporaryFolder folder;
  folder.write("servo.yaml", kServo);
  const std::string result = folder.file("out/servo/result.h5");
  const pid_t run =
      startProgram({"run", "servo.yaml", "--end", "600", "--step", "1e-3"}, folder.file(""));
  const auto hasBegun = [&] { return std::filesystem::exists(files::partialName(result)); };
  for (int wait = 0; wait < 1500 && !hasBegun(); ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ASSERT_TRUE(hasBegun()) << "the run has not begun";
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const ViewedFile file = openViewed(folder.file("out/servo"), {}, true);
  ASSERT_NE(file.model, nullptr) << file.whyNoModel;
  const auto session = makeSession({file}, {file.result}, {});
  std::size_t records = 0, growths = 0;
  for (bool grows = true; grows;) {
    const json entry = jsonOf(session->find("results.json")).at(0);
    grows = entry.at("growing").get<bool>();
    const std::size_t now = entry.at("records");
    ASSERT_GE(now, records);
    growths += now > records ? 1 : 0;
    records = now;
    const auto x = numbersOf<double>(session->find("result/0/channel/0"));
    ASSERT_EQ(x.size(), records);
    if (records > 10) {
      const std::size_t chunk = (records - 1) / entry.at("chunk").get<std::size_t>();
      const auto frames =
          numbersOf<float>(session->find("result/0/frames/" + std::to_string(chunk)));
      ASSERT_EQ(frames[frames.size() - 7], static_cast<float>(x.back()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  int status = 0;
  waitpid(run, &status, 0);
  EXPECT_GE(growths, 3u);
  EXPECT_EQ(records, 600001u);
  EXPECT_EQ(jsonOf(session->find("results.json")).at(0).at("complete"), true);
}

}  // namespace
}  // namespace flexloop::commands
