// Names of nodes, as all who read them agree on.
#include "system/node_names.hpp"

#include <gtest/gtest.h>

namespace flexloop::test {
namespace {

using system::NodeNames;
using system::parseNodeName;

TEST(NodeName, OfANodeHasNoParts) {
  EXPECT_FALSE(parseNodeName("A"));
  EXPECT_FALSE(parseNodeName("ground"));
  EXPECT_FALSE(parseNodeName(""));
}

TEST(NodeName, OfAnInnerNodeHasAnIndex) {
  const auto name = parseNodeName("link1.3");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->owner, "link1");
  EXPECT_FALSE(name->isPoint);
  EXPECT_EQ(name->index, 3);
  EXPECT_FALSE(parseNodeName("link1.3x")->index);
  EXPECT_FALSE(parseNodeName("link1.")->index);
  EXPECT_EQ(parseNodeName("wheel.rim")->part, "rim");
}

TEST(NodeName, OfAPointHasAFraction) {
  const auto name = parseNodeName("link1@0.5");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->owner, "link1");
  EXPECT_TRUE(name->isPoint);
  EXPECT_EQ(name->fraction, 0.5);
  EXPECT_FALSE(parseNodeName("link1@half")->fraction);
  EXPECT_FALSE(parseNodeName("link1@0.5 m")->fraction);
}

class Names : public testing::Test {
 protected:
  Names() {
    names.add(system::kGroundName, system::kGround);
    names.add("tip", {1});
    names.addRange("beam", {2}, 3);
    names.add(system::pointName("beam", 0.25), {3});
  }
  NodeNames names;
};

TEST_F(Names, AreFound) {
  EXPECT_EQ(names.find("ground").value, 0);
  EXPECT_EQ(names.find("tip").value, 1);
  EXPECT_EQ(names.find("beam.1").value, 2);
  EXPECT_EQ(names.find("beam.3").value, 4);
  EXPECT_EQ(names.find("beam@0.25").value, 3);
}

TEST_F(Names, TakeAnyDigitsOfAFraction) {
  EXPECT_EQ(names.find("beam@0.2500").value, 3);
  EXPECT_EQ(names.find("beam@25e-2").value, 3);
}

TEST_F(Names, ThatAreNotThereAreNotFound) {
  for (const char* name : {"", "tips", "beam", "beam.0", "beam.4", "beam.-1", "beam.2.1",
                           "beam@0.3", "beam@", "rod.1", "rod@0.25", "beam.99999999999999999999"}) {
    EXPECT_LT(names.find(name).value, 0) << name;
  }
}

TEST_F(Names, NearestToAMistakeAreSuggested) {
  EXPECT_EQ(names.suggest("tipp"), "did you mean 'tip'?");
  EXPECT_EQ(names.suggest("grund"), "did you mean 'ground'?");
  EXPECT_EQ(names.suggest("something"), "");
}

}  // namespace
}  // namespace flexloop::test
