// Every type of the registry has an example for its reference page, and every example belongs to a type.
#include <set>

#include <gtest/gtest.h>

#include "api/registry.hpp"
#include "language/manual/pages.hpp"

namespace flexloop {
namespace {

TEST(ReferenceExamples, EveryTypeHasOneThatUsesIt) {
  const system::Registry registry = api::makeRegistry();
  for (const system::TypeEntry& entry : registry.entries()) {
    const std::string name = entry.section + (entry.type.empty() ? "" : "/" + entry.type);
    const std::string example(language::findExample(entry.section, entry.type));
    EXPECT_FALSE(example.empty()) << "write examples/reference/" << name << ".yaml";
    EXPECT_NE(example.find(entry.section + ":"), std::string::npos) << name;
    EXPECT_NE(example.find(entry.type), std::string::npos) << name;
    EXPECT_NE(example.find("\ntitle: "), std::string::npos) << name;
  }
}

TEST(ReferenceExamples, EveryOneBelongsToAType) {
  const std::string folder = "examples/reference/";
  const system::Registry registry = api::makeRegistry();
  std::set<std::string> known;
  for (const system::TypeEntry& entry : registry.entries()) {
    known.insert(folder + entry.section + (entry.type.empty() ? "" : "/" + entry.type) + ".yaml");
  }
  int count = 0;
  for (const language::StoredPage& page : language::storedPages()) {
    if (!page.path.starts_with(folder)) continue;
    EXPECT_TRUE(known.contains(std::string(page.path))) << page.path;
    ++count;
  }
  EXPECT_EQ(count, static_cast<int>(known.size()));
}

}  // namespace
}  // namespace flexloop
