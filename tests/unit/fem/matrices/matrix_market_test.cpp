#include "fem/matrices/matrix_market.hpp"

#include <gtest/gtest.h>

#include "fem/matrices/node_table.hpp"
#include "support/message_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::fem {
namespace {

const std::string kHead = "%%MatrixMarket matrix coordinate real symmetric\n";

void expectFailure(const std::string& text, const std::string& message) {
  const auto matrix = readMatrixMarketText(text, "k.mtx");
  ASSERT_FALSE(matrix) << message;
  EXPECT_TRUE(test::says(matrix.failure().message, message));
}

TEST(MatrixMarket, ReadsEitherTriangleAndBoth) {
  for (const std::string& text :
       {kHead + "% by hand\n2 2 3\n1 1 2.5\n2 1 -1e0\n2 2 3\n",
        kHead + "2 2 3\n1 1 2.5\n1 2 -1\n2 2 3\n",
        std::string("%%matrixmarket MATRIX coordinate real general\n\n2 2 4\n1 1 2.5\n1 2 -1\n2 1 "
                    "-1\n2 2 3\n"),
        std::string("%%MatrixMarket matrix coordinate integer symmetric\n2 2 5\n1 1 2\n1 1 0\n2 1 "
                    "-1\n2 2 1\n2 2 2\n")}) {
    const auto matrix = readMatrixMarketText(text, "k.mtx");
    ASSERT_TRUE(matrix) << matrix.failure().message;
    EXPECT_EQ(matrix.value().coeff(1, 0), -1.0);
    EXPECT_EQ(matrix.value().coeff(0, 1), 0.0);
    EXPECT_EQ(matrix.value().coeff(1, 1), 3.0);
  }
}

TEST(MatrixMarket, WritesWhatItReads) {
  linalg::SparseMatrix matrix(3, 3);
  const std::vector<Eigen::Triplet<double>> entries{
      {0, 0, 1.0 / 3.0}, {1, 0, -2e-300}, {1, 1, 4e99}, {2, 2, 5.0}, {0, 1, -2e-300}};
  matrix.setFromTriplets(entries.begin(), entries.end());
  const testing::TemporaryFolder folder;
  ASSERT_FALSE(writeMatrixMarket(folder.file("k.mtx"), matrix, "stiffness"));
  const auto again = readMatrixMarket(folder.file("k.mtx"));
  ASSERT_TRUE(again);
  EXPECT_EQ(again.value().coeff(0, 0), 1.0 / 3.0);
  EXPECT_EQ(again.value().coeff(1, 0), -2e-300);
  EXPECT_EQ(again.value().coeff(1, 1), 4e99);
  EXPECT_EQ(again.value().nonZeros(), 4);
  EXPECT_TRUE(writeMatrixMarket(folder.file("no/k.mtx"), matrix, ""));
}

TEST(MatrixMarket, BadFilesAreNamedByLine) {
  expectFailure("1 1 1\n", "k.mtx:1: this is no Matrix Market file");
  expectFailure("%%MatrixMarket matrix array real general\n", "not sparse");
  expectFailure("%%MatrixMarket matrix coordinate complex symmetric\n", "neither real nor integer");
  expectFailure("%%MatrixMarket matrix coordinate real skew-symmetric\n",
                "neither symmetric nor general");
  expectFailure(kHead, "ends before the size");
  expectFailure(kHead + "2 3 3\n", "2 rows and 3 columns");
  expectFailure(kHead + "2 2 1000000000000000000\n1 1 1\n", "promises 1000000000000000000 entries");
  expectFailure(kHead + "2000000000 2000000000 3\n1 1 1\n2 2 1\n3 3 1\n",
                "promises 3 entries for 2000000000 rows");
  expectFailure(kHead + "2 2 2\n1 1 1\n", "ends after 1 of 2 entries");
  expectFailure(kHead + "2 2 2\n1 1 1\n2 2 1\n2 1 1\n", "more entries than the 2");
  expectFailure(kHead + "2 2 2\n1 1 1\n3 2 1\n", "k.mtx:4: the entry (3, 2) is outside");
  expectFailure(kHead + "2 2 2\n1 1 1\n0 2 1\n", "outside");
  expectFailure(kHead + "2 2 2\n1 1 1\n2 2 nan\n", "k.mtx:4: an entry is given as");
  expectFailure("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 1 1\n2 2 1\n",
                "not symmetric");
}

TEST(NodeTable, RowsFollowTheNodes) {
  const auto six = readNodeTableText("node,x,y,z\n7,1,2,3\n5,0,0,0\n", "nodes.csv", 1e-3, 12);
  ASSERT_TRUE(six) << six.failure().message;
  EXPECT_EQ(six.value().ids, (std::vector<std::int64_t>{7, 5}));
  EXPECT_LT((six.value().points[0] - Eigen::Vector3d(1e-3, 2e-3, 3e-3)).norm(), 1e-18);
  EXPECT_EQ(six.value().rowOf[1], (std::array<int, 6>{6, 7, 8, 9, 10, 11}));
  const auto three =
      readNodeTableText("# by hand\nnode,x,y,z\n7,1,2,3\n5,0,0,0\n", "nodes.csv", 1.0, 6);
  ASSERT_TRUE(three);
  EXPECT_EQ(three.value().rowOf[1], (std::array<int, 6>{3, 4, 5, -1, -1, -1}));
  const auto mixed =
      readNodeTableText("x,y,z,node,dofs\n1,2,3,7,zx\n0,0,0,5,126\n", "nodes.csv", 1.0, 5);
  ASSERT_TRUE(mixed) << mixed.failure().message;
  EXPECT_EQ(mixed.value().rowOf[0], (std::array<int, 6>{1, -1, 0, -1, -1, -1}));
  EXPECT_EQ(mixed.value().rowOf[1], (std::array<int, 6>{2, 3, -1, -1, -1, 4}));
}

TEST(NodeTable, NodesBelongToSets) {
  const auto table = readNodeTableText(
      "node,x,y,z,sets\n7,1,2,3,foot\n5,0,0,0,\n9,0,0,1,edge foot foot\n", "nodes.csv", 1.0, 9);
  ASSERT_TRUE(table) << table.failure().message;
  const std::map<std::string, std::vector<int>> expected{{"edge", {2}}, {"foot", {0, 2}}};
  EXPECT_EQ(table.value().sets, expected);
}

TEST(NodeTable, BadTablesAreNamedByLine) {
  const auto expectBad = [](const std::string& text, int rows, const std::string& message) {
    const auto table = readNodeTableText(text, "nodes.csv", 1.0, rows);
    ASSERT_FALSE(table) << message;
    EXPECT_TRUE(test::says(table.failure().message, message));
  };
  expectBad("id,x,y,z\n", 3, "nodes.csv:1: the columns must be node,x,y,z");
  expectBad("node,x,y,z\n", 3, "there are no nodes");
  expectBad("node,x,y,z\n1,0,0\n", 3, "nodes.csv:2: a node is given by");
  expectBad("node,x,y,z\n1,0,0,0\n1,0,0,0\n", 6, "nodes.csv:3: node 1 is given twice");
  expectBad("node,x,y,z\n1,0,0,0\n", 4, "neither 3 nor 6 per node");
  expectBad("node,x,y,z,dofs\n1,0,0,0,xyq\n", 3, "'xyq' are no freedoms");
  expectBad("node,x,y,z,dofs\n1,0,0,0,xyx\n", 3, "'xyx' are no freedoms");
  expectBad("node,x,y,z,dofs\n1,0,0,0,xy\n", 3, "2 freedoms and the matrices 3 rows");
}

}  // namespace
}  // namespace flexloop::fem
