// What a user is told about a wrong model: the whole text, with file, line, name and remedy.
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "language/model_reader.hpp"
#include "support/places.hpp"
#include "support/sample_registry.hpp"

namespace flexloop::language {
namespace {

using testing::sampleModel;
using testing::sampleRegistry;

struct BadModel {
  std::string text;
  Overrides overrides;
  std::string expected;
};

// The lines of a case that start with @ are options of the command line.
BadModel parseCase(const std::string& text) {
  const std::string separator = "\n>>>>\n";
  const std::size_t middle = text.find(separator);
  BadModel bad{text.substr(0, middle), {}, text.substr(middle + separator.size()) + "\n"};
  while (bad.text.starts_with('@')) {
    const std::string option = bad.text.substr(1, bad.text.find('\n') - 1);
    bad.text.erase(0, option.size() + 2);
    (option[0] == 'p' ? bad.overrides.parameters : bad.overrides.values)
        .push_back(option.substr(2));
  }
  return bad;
}

// The table of models and messages; what stands before the first line `=====` is a remark.
std::vector<BadModel> readCases(const std::string& file) {
  std::ifstream stream(test::inProject("tests/unit/language/" + file));
  const std::string all((std::istreambuf_iterator<char>(stream)), {});
  const std::string separator = "\n=====\n";
  std::vector<BadModel> cases;
  std::size_t start = all.find(separator);
  while (start != std::string::npos) {
    start += separator.size();
    const std::size_t end = all.find(separator, start);
    cases.push_back(parseCase(all.substr(start, std::min(end, all.size() - 1) - start)));
    start = end;
  }
  return cases;
}

std::string messageOf(const std::string& text, const Overrides& overrides = {}) {
  try {
    readModelText(text, "m.yaml", sampleRegistry(), overrides);
    return "no error\n";
  } catch (const base::InputError& error) {
    return error.what();
  }
}

void checkCases(const std::vector<BadModel>& cases) {
  for (const BadModel& bad : cases) {
    EXPECT_EQ(messageOf(bad.text, bad.overrides), bad.expected) << "for the model\n" << bad.text;
  }
}

TEST(ModelErrorsTest, EveryMistakeIsExplained) {
  const std::vector<BadModel> cases = readCases("model_errors.txt");
  ASSERT_GT(cases.size(), 60u);
  checkCases(cases);
}

TEST(ModelErrorsTest, EveryMistakeInDiagramsIsExplained) {
  const std::vector<BadModel> cases = readCases("diagrams/diagram_errors.txt");
  ASSERT_GT(cases.size(), 10u);
  checkCases(cases);
}

TEST(ModelErrorsTest, AMistakeInADiagramIsToldOnce) {
  std::string text =
      "flexloop: 1\ndiagrams:\n  d: {outputs: [s], blocks: {s: {type: sum, inputs: [x]}}}\n"
      "blocks:\n";
  for (int i = 0; i < 100; ++i) text += "  u" + std::to_string(i) + ": {type: d}\n";
  try {
    readModelText(text, "m.yaml", sampleRegistry());
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics().errors().size(), 1u) << error.what();
  }
}

TEST(ModelErrorsTest, ALongFileThatIsWrongEverywhereIsAnsweredBriefly) {
  std::string text = "flexloop: 1\nnodes:\n";
  for (int i = 0; i < 50000; ++i) text += "  n" + std::to_string(i) + ": {positon: [0, 0, 0]}\n";
  try {
    readModelText(text, "m.yaml", sampleRegistry());
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics().errors().size(), 21u);
    EXPECT_EQ(error.diagnostics().errors().back().message, "there may be more errors");
  }
}

TEST(ModelErrorsTest, BinaryFilesAreRefused) {
  using std::string_literals::operator""s;
  for (const std::string& text :
       {"flexloop: 1\ntitle: a\0b\n"s,
        "\x7f"
        "ELF\x02\x01\x01\0\0"s,
        "flexloop: 1\ntitle: a\x04\n"s, "flexloop: 1\ntitle: \xe9t\xe9\n"s,
        "\xff\xfe"
        "f\0l\0"s}) {
    EXPECT_NE(messageOf(text).find("error: this is not UTF-8 text"), std::string::npos);
  }
  EXPECT_EQ(messageOf("\xEF\xBB\xBF"
                      "flexloop: 1\ntitle: Bär\n"),
            "no error\n");
  EXPECT_EQ(messageOf("flexloop: 1\r\ntitle: x\r\n"), "no error\n");
}

TEST(ModelErrorsTest, DeepNestingIsRefused) {
  const std::string open(100000, '['), close(100000, ']');
  std::string blocks;
  for (int i = 0; i < 1000; ++i) blocks.append(i, ' ').append("a:\n");
  for (const std::string& text :
       {"flexloop: 1\ntitle: " + open, "title: " + open + close, std::string(100000, '{'), blocks,
        "- " + std::string(5000, '-')}) {
    EXPECT_NE(messageOf(text).find("error:"), std::string::npos);
  }
}

TEST(ModelErrorsTest, EveryTruncationEndsWithAnAnswer) {
  const std::string whole = sampleModel();
  for (std::size_t length = 0; length < whole.size(); length += 3) {
    messageOf(whole.substr(0, length));  // some are models
  }
}

TEST(ModelErrorsTest, RandomDamageEndsWithAnAnswer) {
  const std::string whole = sampleModel();
  const std::string letters = " \n\t-?:,[]{}#&*!|>'\"%@`=abc01.\r~<\\()+/^";
  std::mt19937 random(1);
  for (int round = 0; round < 1500; ++round) {
    std::string text = whole;
    const int edits = 1 + static_cast<int>(random() % 8);
    for (int i = 0; i < edits; ++i) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = letters[random() % letters.size()];
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        case 2:
          text.insert(at, 1, static_cast<char>(random() % 256));
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
      }
    }
    messageOf(text);
  }
}

TEST(ModelErrorsTest, AbsurdNumbersAreRefused) {
  const std::string digits(100000, '9');
  const std::vector<std::string> numbers{
      digits,         "-" + digits,  "1e99999",
      digits + " mm", "= " + digits, "= 10^10^10",
      "= 1e308*10",   "1e308 km",    "= " + std::string(100000, '(')};
  for (const std::string& number : numbers) {
    EXPECT_NE(messageOf("flexloop: 1\nparameters: {L: \"" + number + "\"}\n").find("error:"),
              std::string::npos)
        << number.substr(0, 20);
  }
}

}  // namespace
}  // namespace flexloop::language
