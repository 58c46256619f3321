// The examples of the reference pages: nothing in them is doubtful, and they do what they show.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> listExamples() {
  const fs::path folder = test::inProject("examples/reference");
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml")
      files.push_back(fs::relative(entry.path(), folder).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class ReferenceExamplesRun : public ::testing::TestWithParam<std::string> {};

TEST_P(ReferenceExamplesRun, WithoutAWarning) {
  const std::string file = test::inProject("examples/reference/" + GetParam());
  const testing::TemporaryFolder folder;
  const std::string text = testing::readWhole(file);
  const std::string command = text.find("time: {") != std::string::npos    ? "run"
                              : text.find("modes: {") != std::string::npos ? "modes"
                                                                           : "equilibrium";
  for (const std::string& word : {std::string("check"), command}) {
    const testing::ProgramResult result = testing::runProgram({word, file}, folder.file(""));
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    EXPECT_EQ(result.errors, "") << word;
    EXPECT_EQ(result.out.find("warning"), std::string::npos) << result.out;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReferenceExamplesRun, ::testing::ValuesIn(listExamples()),
                         [](const auto& example) {
                           std::string name = example.param.substr(0, example.param.rfind('.'));
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace flexloop
