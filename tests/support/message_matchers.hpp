// Whether the user is told what he should know.
#pragma once

#include <string>

#include <gtest/gtest.h>

namespace flexloop::test {

inline ::testing::AssertionResult says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << text << "' does not say '" << part << "'";
}

}  // namespace flexloop::test
