// Reductions that are interrupted and continued: nothing is done twice, and nothing comes out differently.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "fem/assembly/assemble_part.hpp"
#include "fem/reduction/reduce_part.hpp"
#include "support/structured_mesh.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::fem {
namespace {

namespace fs = std::filesystem;

class Reductions : public ::testing::Test {
 protected:
  void SetUp() override {
    const MeshMaterial steel{"steel", 210e9, 0.3, 7850.0};
    mesh_ = test::makeBox(ElementShape::kHex20, 6, 2, 1, steel, [](const Eigen::Vector3d& p) {
      return Eigen::Vector3d(0.4 * p.x(), 0.1 * p.y(), 0.02 * p.z());
    });
    mesh_.nodeSets["left"] =
        test::findNodes(mesh_, [](const Eigen::Vector3d& p) { return p.x() < 1e-9; });
    mesh_.nodeSets["right"] =
        test::findNodes(mesh_, [](const Eigen::Vector3d& p) { return p.x() > 0.4 - 1e-9; });
    interfaces_ =
        addInterfaces(mesh_, {{"left", "left", {}, {}, false}, {"right", "right", {}, {}, true, 3}})
            .value();
    part_ = assemblePart(mesh_).value();
  }

  // Stops once `last` of the work is done; `words_` are what was being done.
  base::Result<ReducedPart> reduce(const ReductionPieces& pieces, double last = 2.0) {
    PartReduction request;
    request.options.modes = 5;
    request.options.compared = 4;
    request.pieces = pieces;
    words_.clear();
    first_ = 1.0;
    return reducePart(part_, interfaces_, request, [&](double done, const char* word) {
      words_.insert(word);
      first_ = std::min(first_, done);
      return done < last;
    });
  }

  ReductionPieces pieces(const std::string& key = "key") const {
    return {folder_.file("part-1.h5"), key, 0.0};
  }

  int countFiles() const {
    int count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_.file(""))) ++count;
    return count;
  }

  static void expectSame(const ReducedPart& a, const ReducedPart& b) {
    EXPECT_EQ(a.model.K, b.model.K);
    EXPECT_EQ(a.model.M, b.model.M);
    EXPECT_EQ(a.Phi, b.Phi);
    EXPECT_EQ(a.report.fullFrequencies, b.report.fullFrequencies);
    EXPECT_EQ(a.report.verified, b.report.verified);
  }

  testing::TemporaryFolder folder_;
  Mesh mesh_;
  PartSystem part_;
  std::vector<PartInterface> interfaces_;
  std::set<std::string> words_;
  double first_ = 1.0;
};

TEST_F(Reductions, GoOnWhereTheyWereInterrupted) {
  const auto whole = reduce({});
  ASSERT_TRUE(whole.hasValue());
  EXPECT_TRUE(words_.contains("static modes"));
  EXPECT_TRUE(words_.contains("interface modes"));
  EXPECT_EQ(countFiles(), 0);

  const auto stopped = reduce(pieces(), 0.72);
  ASSERT_FALSE(stopped.hasValue());
  EXPECT_EQ(stopped.failure().kind, base::FailureKind::kOther);
  EXPECT_EQ(countFiles(), 2);  // static modes and normal modes

  const auto continued = reduce(pieces());
  ASSERT_TRUE(continued.hasValue());
  EXPECT_FALSE(words_.contains("static modes"));
  EXPECT_FALSE(words_.contains("interface modes"));
  EXPECT_GE(first_, 0.7);
  expectSame(continued.value(), whole.value());
  EXPECT_EQ(countFiles(), 3);
  pieces().remove();
  EXPECT_EQ(countFiles(), 0);
}

TEST_F(Reductions, ArePutTogetherFromWholePiecesOfTheirOwnOnly) {
  const auto whole = reduce(pieces());
  ASSERT_TRUE(whole.hasValue());
  // Another part, under the same name.
  ASSERT_TRUE(reduce(pieces("other")).hasValue());
  EXPECT_TRUE(words_.contains("static modes"));
  ASSERT_TRUE(reduce(pieces("other")).hasValue());
  EXPECT_TRUE(words_.empty());
  for (const auto& entry : fs::directory_iterator(folder_.file(""))) {
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(entry.path()) / 2));
    file.put('\x55').put('\x55');
  }
  const auto again = reduce(pieces("other"));
  ASSERT_TRUE(again.hasValue());
  EXPECT_TRUE(words_.contains("static modes"));
  EXPECT_TRUE(words_.contains("finding modes"));
  expectSame(again.value(), whole.value());
}

TEST_F(Reductions, DoWithoutAFolder) {
  const ReductionPieces nowhere(folder_.file("none/part-1.h5"), "key", 0.0);
  EXPECT_TRUE(reduce(nowhere).hasValue());
  EXPECT_EQ(countFiles(), 0);
}

TEST_F(Reductions, LeaveNothingOfShortStages) {
  const ReductionPieces patient(folder_.file("part-1.h5"), "key", 1e6);
  EXPECT_TRUE(reduce(patient).hasValue());
  EXPECT_EQ(countFiles(), 0);
}

}  // namespace
}  // namespace flexloop::fem
