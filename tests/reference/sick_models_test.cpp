// The zoo of tests/sick: models with something wrong, each with the command that finds it and what must be said.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <gtest/gtest.h>

#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = "MODEL";  // stands for the name of the file

std::string zoo() {
  return test::inProject("tests/sick");
}

// The comments at the top of a file say what is done with it.
struct SickModel {
  std::vector<std::string> words;  // of the command
  int exitCode = -1;
  std::vector<std::string> says;   // parts of what is printed
  std::vector<std::string> never;  // what would blame something else
};

std::string replaceModel(std::string text, const std::string& file) {
  const std::string word = kModel;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    text.replace(at, word.size(), file);
  }
  return text;
}

SickModel readHead(const fs::path& path) {
  SickModel model;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line) && line.starts_with("# ");) {
    line = replaceModel(line.substr(2), path.filename().string());
    const auto after = [&](const std::string& start) {
      return line.starts_with(start) ? line.substr(start.size()) : std::string();
    };
    if (const std::string command = after("flexloop "); !command.empty()) {
      std::istringstream words(command);
      for (std::string word; words >> word;) model.words.push_back(word);
    } else if (const std::string code = after("exit: "); !code.empty()) {
      model.exitCode = std::stoi(code);
    } else if (const std::string part = after("says: "); !part.empty()) {
      model.says.push_back(part);
    } else if (const std::string other = after("never: "); !other.empty()) {
      model.never.push_back(other);
    }
  }
  return model;
}

std::vector<std::string> listZoo() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(zoo())) {
    if (entry.path().extension() == ".yaml") {
      files.push_back(fs::relative(entry.path(), zoo()).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class SickModels : public ::testing::TestWithParam<std::string> {};

TEST_P(SickModels, GetTheirMessage) {
  const fs::path path = fs::path(zoo()) / GetParam();
  const SickModel model = readHead(path);
  ASSERT_FALSE(model.words.empty()) << "the file does not say what is done with it";
  ASSERT_FALSE(model.says.empty());
  const testing::TemporaryFolder folder;
  const std::string file = path.filename().string();
  folder.write(file, replaceModel(testing::readWhole(path.string()), file));
  ASSERT_EQ(::mkfifo(folder.file("pipe.yaml").c_str(), 0600), 0);
  const testing::ProgramResult result = testing::runProgram(model.words, folder.file(""));
  const std::string all = result.out + result.errors;
  EXPECT_EQ(result.exitCode, model.exitCode) << all;
  for (const std::string& part : model.says) {
    EXPECT_NE(all.find(part), std::string::npos) << "missing: " << part << '\n' << all;
  }
  for (const std::string& part : model.never) {
    EXPECT_EQ(all.find(part), std::string::npos) << "unexpected: " << part << '\n' << all;
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, SickModels, ::testing::ValuesIn(listZoo()), [](const auto& zoo) {
  std::string name = zoo.param.substr(0, zoo.param.rfind('.'));
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

TEST(SickModelZoo, IsLarge) {
  EXPECT_GE(listZoo().size(), 60u);
}

// Nothing of a healthy model is doubtful.
TEST(SickModelZoo, HasNoneOfTheShippedModels) {
  const testing::TemporaryFolder folder;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(test::inProject("models"))) {
    if (!entry.is_directory()) continue;
    const std::string file = (entry.path() / "model.yaml").string();
    const testing::ProgramResult result = testing::runProgram({"check", file}, folder.file(""));
    EXPECT_EQ(result.exitCode, 0) << file;
    EXPECT_EQ(result.errors, "") << file;
    ++count;
  }
  EXPECT_GT(count, 20);
}

// Programs read the same findings.
TEST(SickModelZoo, IsReportedAsJsonToo) {
  const testing::TemporaryFolder folder;
  folder.write("m.yaml",
               "flexloop: 1\nparameters: {k: 2}\nnodes: {A: [0, 0, 0]}\n"
               "bodies: {b: {node: A, mass: 1}}\n");
  const testing::ProgramResult result =
      testing::runProgram({"check", "m.yaml", "--json", "-", "--quiet"}, folder.file(""));
  EXPECT_EQ(result.exitCode, 2);
  for (const char* part : {"\"severity\": \"warning\"", "\"severity\": \"error\"",
                           "parameters.k: nothing uses this parameter", "\"line\": 4"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << '\n' << result.out;
  }
}

}  // namespace
}  // namespace flexloop
