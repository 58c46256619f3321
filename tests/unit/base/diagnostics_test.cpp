#include "base/diagnostics.hpp"

#include <memory>
#include <sstream>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

namespace flexloop::base {
namespace {

Place makePlace(const std::string& file, int line, int column) {
  return {std::make_shared<const std::string>(file), line, column};
}

TEST(Place, IsWrittenWithoutUnknownParts) {
  EXPECT_EQ(toText(makePlace("arm.yaml", 12, 5)), "arm.yaml:12:5");
  EXPECT_EQ(toText(makePlace("arm.yaml", 12, 0)), "arm.yaml:12");
  EXPECT_EQ(toText(makePlace("arm.yaml", 0, 0)), "arm.yaml");
  EXPECT_EQ(toText(Place{nullptr, 3, 0}), "line 3");
  EXPECT_EQ(toText(Place{}), "");
}

TEST(Diagnostics, IsEmptyAtFirst) {
  const Diagnostics diagnostics;
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_EQ(diagnostics.toText(), "");
}

TEST(Diagnostics, WarningsAreNoErrors) {
  Diagnostics diagnostics;
  diagnostics.addWarning({}, "gravity is zero");
  EXPECT_FALSE(diagnostics.empty());
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_EQ(diagnostics.warnings().size(), 1u);
}

TEST(Diagnostics, PrintsPlaceSeverityMessageAndHint) {
  Diagnostics diagnostics;
  diagnostics.addError(makePlace("arm.yaml", 12, 5), "unknown key 'stifness'",
                       "did you mean 'stiffness'?");
  diagnostics.addError({}, "no nodes");
  diagnostics.addWarning(makePlace("arm.yaml", 3, 1), "gravity is zero");
  std::ostringstream stream;
  diagnostics.print(stream);
  EXPECT_EQ(stream.str(),
            "arm.yaml:3:1: warning: gravity is zero\n"
            "arm.yaml:12:5: error: unknown key 'stifness'\n"
            "  hint: did you mean 'stiffness'?\n"
            "error: no nodes\n");
}

TEST(Diagnostics, AddsThoseOfOthersInOrder) {
  Diagnostics first;
  first.addError({}, "one");
  Diagnostics second;
  second.addError({}, "two");
  second.addWarning({}, "three");
  first.add(second);
  ASSERT_EQ(first.errors().size(), 2u);
  EXPECT_EQ(first.errors()[1].message, "two");
  EXPECT_EQ(first.warnings().size(), 1u);
}

TEST(InputError, CarriesItsDiagnostics) {
  try {
    throw InputError(makePlace("arm.yaml", 7, 2), "mass is negative", "give a positive mass");
  } catch (const std::exception& problem) {
    EXPECT_STREQ(problem.what(),
                 "arm.yaml:7:2: error: mass is negative\n  hint: give a positive mass\n");
    const auto* inputError = dynamic_cast<const InputError*>(&problem);
    ASSERT_NE(inputError, nullptr);
    EXPECT_EQ(inputError->diagnostics().errors().size(), 1u);
  }
  EXPECT_TRUE(std::is_nothrow_copy_constructible_v<InputError>);
}

}  // namespace
}  // namespace flexloop::base
