#include "base/log.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace flexloop::base {
namespace {

std::string readFile(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Log, WritesAllMessagesToItsFile) {
  const std::filesystem::path file = testing::TempDir() + "/flexloop_log_test.log";
  {
    Log log({.consoleLevel = LogLevel::kSilent, .file = file.string()});
    log.info("step {} of {");
    log.warn("slow");
    log.error("stopped");
  }
  const std::string text = readFile(file);
  std::filesystem::remove(file);
  EXPECT_NE(text.find("info: step {} of {\n"), std::string::npos) << text;
  EXPECT_NE(text.find("warning: slow\n"), std::string::npos) << text;
  EXPECT_NE(text.find("error: stopped\n"), std::string::npos) << text;
}

TEST(Log, ConsoleIsStandardErrorAndKnowsItsLevel) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  {
    Log log({.consoleLevel = LogLevel::kWarning, .file = {}});
    log.info("hidden");
    log.warn("shown");
  }
  const std::string errorText = testing::internal::GetCapturedStderr();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(errorText.find("hidden"), std::string::npos);
  EXPECT_NE(errorText.find("shown"), std::string::npos);
}

TEST(Log, UnwritableFileIsAnException) {
  EXPECT_THROW(Log({.consoleLevel = LogLevel::kSilent, .file = "/proc/none/flexloop.log"}),
               std::runtime_error);
}

}  // namespace
}  // namespace flexloop::base
