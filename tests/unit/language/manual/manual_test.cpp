// The reference pages in docs/manual/reference are those that the program writes.
#include "language/manual/manual.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "api/registry.hpp"
#include "support/places.hpp"

namespace flexloop {
namespace {

std::string readText(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Manual, ReferencePagesAreCurrent) {
  const auto folder = std::filesystem::path(test::inProject("docs/manual/reference"));
  const auto pages = language::makeManual(api::makeRegistry());
  EXPECT_FALSE(pages.empty());
  for (const auto& page : pages) {
    EXPECT_EQ(readText(folder / page.filename), page.text)
        << "renew the pages with 'build/flexloop manual docs/manual/reference'";
  }
}

}  // namespace
}  // namespace flexloop
