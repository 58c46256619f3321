// What comes from others reaches neither the terminal nor an end that never comes.
#include <chrono>
#include <filesystem>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;
using testing::readWhole;
using testing::runProgram;
using testing::startProgram;
using testing::TemporaryFolder;

// Ends what hangs.
int exitCodeWithin(std::chrono::seconds patience, const std::vector<std::string>& words,
                   const std::string& folder) {
  const pid_t child = startProgram(words, folder);
  const auto end = std::chrono::steady_clock::now() + patience;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StrangeInput, PipesDevicesAndFoldersAreRefused) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(folder.file("pipe.yaml").c_str(), 0600), 0);
  std::filesystem::create_directory(folder.file("folder"));
  for (const std::string name : {"pipe", "/dev/zero", "/dev/tty", "folder"}) {
    folder.write("model.yaml", "flexloop: 1\ninclude: [\"" + name + "\"]\n");
    for (const std::string command : {"check", "run"}) {
      EXPECT_EQ(exitCodeWithin(std::chrono::seconds(20), {command, "model.yaml"}, folder.file("")),
                2)
          << command << " includes " << name;
    }
  }
  folder.write("model.yaml", "flexloop: 1\n");
  const std::vector<std::vector<std::string>> commands{
      {"check", "pipe.yaml"},
      {"plot", "pipe"},
      {"plot", "/dev/zero"},
      {"export", "pipe", "-o", "x.csv"},
      {"report", "pipe", "-o", "x.html"},
      {"run", "model.yaml", "--end", "1", "--step", "1", "--from", "pipe"}};
  for (const std::vector<std::string>& words : commands) {
    const int code = exitCodeWithin(std::chrono::seconds(20), words, folder.file(""));
    EXPECT_TRUE(code == 2 || code == 4) << words.front() << " " << words.back() << ": " << code;
  }
  const ProgramResult result = runProgram({"check", "pipe.yaml"}, folder.file(""));
  EXPECT_NE(result.errors.find("pipe.yaml' cannot be read: it is a pipe"), std::string::npos)
      << result.errors;
}

bool hasControlCharacters(const std::string& text) {
  return text.find('\x1b') != std::string::npos || text.find('\a') != std::string::npos ||
         text.find("\xc2\x9b") != std::string::npos || text.find('\r') != std::string::npos;
}

constexpr const char* kLoud = R"(flexloop: 1
title: "\e]0;mine\a\e[31mred\x9b2J \rover"
nodes:
  "ba\e[2Jll": {position: [0, 0, 0], free: [z]}
bodies:
  ball: {node: "ba\e[2Jll", mass: 1}
sensors:
  "z\e[1m": {measure: position, node: "ba\e[2Jll", direction: [0, 0, 1]}
analysis:
  time: {end: 1, step: 0.1}
)";

TEST(StrangeInput, EscapeSequencesOfAModelAreShownAsText) {
  const TemporaryFolder folder;
  folder.write("loud.yaml", kLoud);
  folder.write("title.yaml",
               std::string(kLoud).substr(0, std::string(kLoud).find("nodes:")) +
                   "nodes: {a: {position: [0, 0, 0], free: [z]}}\n"
                   "bodies: {a: {node: a, mass: 1}}\n"
                   "sensors: {z: {measure: position, node: a, direction: [0, 0, 1]}}\n"
                   "analysis: {time: {end: 1, step: 0.1}}\n");
  folder.write("wrong.yaml",
               "flexloop: 1\nnodes: {a: \"\\e[31m\", \"\\e[2J\": 3}\n\"\\e[0m\": 1\n");
  const std::vector<std::vector<std::string>> commands{
      {"check", "loud.yaml"},     {"run", "loud.yaml"},
      {"check", "title.yaml"},    {"run", "title.yaml"},
      {"modes", "title.yaml"},    {"check", "wrong.yaml"},
      {"check", "\x1b[31m.yaml"}, {"\x1b[31m"}};
  for (const std::vector<std::string>& words : commands) {
    const ProgramResult result = runProgram(words, folder.file(""));
    EXPECT_FALSE(hasControlCharacters(result.out + result.errors)) << words.back();
    EXPECT_FALSE((result.out + result.errors).empty()) << words.back();
  }
  const ProgramResult run = runProgram({"run", "title.yaml"}, folder.file(""));
  EXPECT_EQ(run.exitCode, 0) << run.errors;
  EXPECT_NE(run.out.find("\\x1b[31mred"), std::string::npos) << run.out;
  EXPECT_FALSE(hasControlCharacters(readWhole(folder.file("out/title/run.log"))));
}

}  // namespace
}  // namespace flexloop
