// Tables and matrices of numbers from files.
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "api/load.hpp"
#include "api/registry.hpp"
#include "files/hdf5_file.hpp"
#include "files/mat_file.hpp"
#include "files/number_table.hpp"
#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::test {
namespace {

using files::NumberTable;
using files::parseTextTable;

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(NumberTableTest, SeparatorsNamesAndComments) {
  for (const char* text :
       {"# wind\ntime,speed\n0,1.5\n1, -2e3\n", "time;speed\r\n0;1.5\r\n\r\n1;-2e3\r\n",
        "% c\ntime speed\n 0   1.5\n1\t-2e3",
        "\xEF\xBB\xBF\"time\",\"speed\"\n0,1.5\n+1,-2000\n"}) {
    const auto table = parseTextTable(text);
    ASSERT_TRUE(table) << text;
    EXPECT_EQ(table.value().names, (std::vector<std::string>{"time", "speed"})) << text;
    EXPECT_EQ(table.value().values, (std::vector<double>{0, 1.5, 1, -2e3})) << text;
  }
  const auto plain = parseTextTable("1 2 3\n4 5 6\n");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain.value().rows, 2u);
  EXPECT_EQ(plain.value().columns, 3u);
  EXPECT_TRUE(plain.value().names.empty());
}

TEST(NumberTableTest, WhatIsWrongIsToldWithItsLine) {
  const auto failureOf = [](const char* text) { return parseTextTable(text).failure().message; };
  EXPECT_EQ(failureOf("a,b\n1,2\n3\n"), "line 3: 1 values, where the lines before have 2");
  EXPECT_EQ(failureOf("1,2\n3,x\n"), "line 2: 'x' is not a number");
  EXPECT_EQ(failureOf("1,2\n3,\n"), "line 2: a value is missing");
  EXPECT_EQ(failureOf("1,2\n3,nan\n"), "line 2: 'nan' is not a finite number");
  EXPECT_EQ(failureOf("1,2\n3,1e999\n"), "line 2: '1e999' is not a finite number");
  EXPECT_EQ(failureOf("# nothing\n"), "there are no numbers in it");
  EXPECT_EQ(failureOf("a,b\n"), "there are no numbers in it");
  EXPECT_EQ(parseTextTable("1;2\n1,5;2\n").failure().hint, "use a point as the decimal separator");
}

TEST(NumberTableTest, MatrixMarket) {
  const auto array = files::parseMatrixMarket(
      "%%MatrixMarket matrix array real general\n% c\n2 3\n1\n2\n3\n4\n5\n6\n");
  ASSERT_TRUE(array);
  EXPECT_EQ(array.value().values, (std::vector<double>{1, 3, 5, 2, 4, 6}));
  const auto sparse = files::parseMatrixMarket(
      "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 -1\n");
  ASSERT_TRUE(sparse);
  EXPECT_EQ(sparse.value().values, (std::vector<double>{4, -1, -1, 0}));
  EXPECT_FALSE(files::parseMatrixMarket("%%MatrixMarket matrix array complex general\n1 1\n1 0\n"));
  EXPECT_FALSE(
      files::parseMatrixMarket("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n"));
  EXPECT_FALSE(
      files::parseMatrixMarket("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n"));
}

class NumberFilesTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }

  // What is said of a wrong model; empty if it is right.
  std::string mistakesOfFile() const {
    try {
      api::loadModel({path("m.yaml"), {}, {}});
      return {};
    } catch (const base::InputError& error) {
      return error.what();
    }
  }

  void writeModel(const std::string& blocks) const {
    write(path("m.yaml"), "flexloop: 1\nblocks:\n" + blocks +
                              "outputs: [y]\nanalysis: {time: {end: 1, step: 0.25}}\n");
  }

  flexloop::testing::TemporaryFolder folder_;
};

TEST_F(NumberFilesTest, ATableFromColumns) {
  write(path("wind.csv"), "time,other,speed\n0,9,1\n1,9,3\n");
  writeModel("  y: {type: table, file: wind.csv, columns: [time, speed]}\n");
  const ModelRun run = runModel(api::loadModel({path("m.yaml"), {}, {}}));
  EXPECT_DOUBLE_EQ(run.at(0.25, "y"), 1.5);
  EXPECT_DOUBLE_EQ(run.last("y"), 3.0);
  writeModel("  y: {type: table, time: {file: wind.csv, column: 1}, value: [5, 6]}\n");
  EXPECT_DOUBLE_EQ(runModel(api::loadModel({path("m.yaml"), {}, {}})).at(0.5, "y"), 5.5);
}

TEST_F(NumberFilesTest, MatricesOfMatFiles) {
  {
    files::MatFile file(path("plant.mat"));
    Eigen::MatrixXd A(2, 2);
    A << 0, 1, -4, -1;
    file.write("A", A);
    file.write("B", Eigen::MatrixXd(Eigen::Vector2d(0, 1)));
    file.close();
  }
  writeModel(
      "  u: {type: constant, value: 1}\n"
      "  y: {type: state_space, inputs: [u], A: {file: plant.mat, variable: A}, B: {file: "
      "plant.mat, "
      "variable: B}, C: [[1, 0]]}\n");
  const ModelRun a = runModel(api::loadModel({path("m.yaml"), {}, {}}));
  writeModel(
      "  u: {type: constant, value: 1}\n"
      "  y: {type: state_space, inputs: [u], A: [[0, 1], [-4, -1]], B: [[0], [1]], C: [[1, 0]]}\n");
  const ModelRun b = runModel(api::loadModel({path("m.yaml"), {}, {}}));
  EXPECT_EQ(a.column("y"), b.column("y"));
  writeModel(
      "  y: {type: state_space, inputs: [1], A: {file: plant.mat}, B: [[0], [1]], C: [[1, 0]]}\n");
  EXPECT_TRUE(says(mistakesOfFile(), "add 'variable: ...' with one of A, B"));
  writeModel(
      "  y: {type: state_space, inputs: [1], A: {file: plant.mat, variable: AA}, B: [[0], [1]], C: "
      "[[1, 0]]}\n");
  EXPECT_TRUE(says(mistakesOfFile(), "it has no variable 'AA'"));
}

TEST_F(NumberFilesTest, ListsAndMatricesOfHdf5Files) {
  {
    files::Hdf5File file = files::Hdf5File::create(path("data.h5"));
    file.addGroup("/g");
    const auto add = [&](const char* name, std::vector<std::size_t> shape,
                         const std::vector<double>& rows) {
      file.addTable(name, std::move(shape), 2).append(rows.data(), 2);
    };
    add("/g/t", {}, {0.0, 1.0});
    add("/g/v", {}, {1.0, 3.0});
    add("/g/A", {2}, {0.0, 1.0, -4.0, -1.0});
    file.close();
  }
  writeModel(
      "  u: {type: table, time: {file: data.h5, variable: g/t}, value: {file: data.h5, variable: "
      "/g/v}}\n"
      "  y: {type: state_space, inputs: [u], A: {file: data.h5, variable: g/A}, B: [[0], [1]], C: "
      "[[1, 0]]}\n");
  const ModelRun a = runModel(api::loadModel({path("m.yaml"), {}, {}}));
  // MATLAB's files of version 7.3 are the same behind a header, with matrices by columns.
  std::ifstream stream(path("data.h5"), std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  std::string header = "MATLAB 7.3 MAT-file";
  header.resize(512, ' ');
  write(path("data.mat"), header + bytes);
  writeModel(
      "  u: {type: table, time: [0, 1], value: [1, 3]}\n"
      "  y: {type: state_space, inputs: [u], A: {file: data.mat, variable: g/A}, B: [[1], [0]], C: "
      "[[0, 1]]}\n");
  const ModelRun c = runModel(api::loadModel({path("m.yaml"), {}, {}}));
  writeModel(
      "  u: {type: table, time: [0, 1], value: [1, 3]}\n"
      "  y: {type: state_space, inputs: [u], A: [[0, -4], [1, -1]], B: [[1], [0]], C: [[0, 1]]}\n");
  EXPECT_EQ(c.column("y"), runModel(api::loadModel({path("m.yaml"), {}, {}})).column("y"));
  writeModel(
      "  u: {type: table, time: [0, 1], value: [1, 3]}\n"
      "  y: {type: state_space, inputs: [u], A: [[0, 1], [-4, -1]], B: [[0], [1]], C: [[1, 0]]}\n");
  const ModelRun b = runModel(api::loadModel({path("m.yaml"), {}, {}}));
  EXPECT_EQ(a.column("y"), b.column("y"));
}

TEST_F(NumberFilesTest, Mistakes) {
  write(path("wind.csv"), "time,speed\n0,1\n1,3\n");
  writeModel("  y: {type: table, file: wint.csv}\n");
  EXPECT_TRUE(says(mistakesOfFile(), "m.yaml:3:26: error: blocks.y.time: "));
  EXPECT_TRUE(says(mistakesOfFile(), "wind.csv"));
  writeModel("  y: {type: table, file: wind.csv, columns: [time, sped]}\n");
  EXPECT_TRUE(says(mistakesOfFile(), "there is no column 'sped'"));
  EXPECT_TRUE(says(mistakesOfFile(), "did you mean 'speed'"));
  writeModel("  y: {type: table, file: wind.csv, columns: [time]}\n");
  EXPECT_TRUE(says(mistakesOfFile(), "2 columns are expected, not 1"));
  writeModel("  y: {type: table, file: wind.csv, columns: [time, 3]}\n");
  EXPECT_TRUE(says(mistakesOfFile(), "there is no column '3'"));
  writeModel("  y: {type: table, file: wind.csv, time: [0, 1]}\n");
  EXPECT_TRUE(says(mistakesOfFile(), "'time' cannot be combined with 'file'"));
  writeModel("  y: {type: table, time: {file: wind.csv}, value: [1, 2]}\n");
  EXPECT_TRUE(says(mistakesOfFile(), "add 'column: ...' with one of time or speed"));
  write(path("wind.csv"), "time,speed\n0,1\n1,inf\n");
  writeModel("  y: {type: table, file: wind.csv}\n");
  EXPECT_TRUE(says(mistakesOfFile(), "'wind.csv': line 3: 'inf' is not a finite number"));
}

TEST_F(NumberFilesTest, ARunKeepsItsFiles) {
  write(path("wind.csv"), "time,speed\n0,1\n1,3\n");
  writeModel("  y: {type: table, file: wind.csv}\n");
  const system::Registry registry = api::makeRegistry();
  const api::ModelSource kept = api::withFiles({path("m.yaml"), {}, {}}, registry);
  ASSERT_NE(kept.files->findName("wind.csv"), nullptr);
  write(path("wind.csv"), "time,speed\n0,7\n1,8\n");
  EXPECT_DOUBLE_EQ(runModel(api::loadModel(kept)).last("y"), 3.0);
  EXPECT_DOUBLE_EQ(runModel(api::loadModel({path("m.yaml"), {}, {}})).last("y"), 8.0);
}

TEST_F(NumberFilesTest, AFileInsideAnAssemblyIsRelativeToIt) {
  std::filesystem::create_directory(path("lib"));
  write(path("lib/gain.csv"), "0 1\n1 4\n");
  write(path("lib/parts.yaml"), "assemblies: {a: {blocks: {y: {type: table, file: gain.csv}}}}\n");
  write(path("m.yaml"),
        "flexloop: 1\ninclude: [lib/parts.yaml]\ninstances: {i: {of: a}}\noutputs: [i.y]\n"
        "analysis: {time: {end: 1, step: 0.5}}\n");
  EXPECT_DOUBLE_EQ(runModel(api::loadModel({path("m.yaml"), {}, {}})).last("i.y"), 4.0);
  const api::ModelSource kept = api::withFiles({path("m.yaml"), {}, {}}, api::makeRegistry());
  EXPECT_NE(kept.files->findName("lib/gain.csv"), nullptr);
}

}  // namespace
}  // namespace flexloop::test
