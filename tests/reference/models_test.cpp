// Every folder of models/ does what its expected.yaml says. The names of tests are those of the
// folders, with the number of the case.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/operating_point.hpp"
#include "analysis/records/free_response.hpp"
#include "api/load.hpp"
#include "support/expected_file.hpp"
#include "support/model_run.hpp"
#include "support/places.hpp"
#include "support/shipped_models.hpp"

namespace flexloop::test {
namespace {

namespace fs = std::filesystem;

struct ModelCase {
  std::string folder;
  int number = 0;
  bool isSlow = false;
  bool isEquilibrium = false;
  bool hasRun = true;
  ExpectedCase expected;
  std::string obstacle;  // why there is nothing to compare; empty if there is

  std::string file(const std::string& name) const {
    return inProject("models/" + folder + "/" + name);
  }
};

// For messages of GoogleTest.
std::ostream& operator<<(std::ostream& stream, const ModelCase& c) {
  return stream << c.folder << " case " << c.number;
}

void addCases(const fs::path& folder, std::vector<ModelCase>& cases) {
  ModelCase c;
  c.folder = folder.filename().string();
  try {
    const ExpectedFile file = readExpectedFile((folder / "expected.yaml").string());
    c.isSlow = file.isSlow;
    c.isEquilibrium = file.isEquilibrium;
    c.hasRun = file.hasRun;
    for (const ExpectedCase& expected : file.cases) {
      c.expected = expected;
      cases.push_back(c);
      ++c.number;
    }
  } catch (const std::exception& exception) {
    c.obstacle = exception.what();
    cases.push_back(c);
  }
}

std::vector<ModelCase> findCases(bool slow) {
  std::vector<ModelCase> cases;
  for (const fs::path& folder : findShippedModels()) addCases(folder, cases);
  std::erase_if(cases, [&](const ModelCase& c) { return c.isSlow != slow; });
  return cases;
}

std::string nameOf(const ::testing::TestParamInfo<ModelCase>& info) {
  std::string name = info.param.folder + "_" + std::to_string(info.param.number);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

double pickValue(const ExpectedValue& check, const Record& record) {
  if (check.pick == Pick::kAt) return record.at(check.at, check.output);
  const std::vector<double>& all = record.column(check.output);
  std::vector<double> values;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (check.range.contains(record.times()[i])) values.push_back(all[i]);
  }
  if (values.empty()) throw std::out_of_range("nothing was recorded in this range");
  if (check.pick == Pick::kMinimum) return *std::min_element(values.begin(), values.end());
  if (check.pick == Pick::kMaximum) return *std::max_element(values.begin(), values.end());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void compareCurve(const ExpectedCurve& curve, const Record& record, const Record& reference) {
  const std::vector<double>& wanted = reference.column(curve.column);
  double largest = 0.0, error = 0.0, when = 0.0;
  int points = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double time = reference.times()[i];
    if (!curve.range.contains(time)) continue;
    const double difference = std::abs(record.at(time, curve.output) - wanted[i]);
    largest = std::max(largest, std::abs(wanted[i]));
    ++points;
    if (!(difference <= error)) {  // also where it is not a number
      error = difference;
      when = time;
    }
  }
  EXPECT_GT(points, 0) << curve.output << ": no point of the reference is in the range";
  EXPECT_LE(error, curve.tolerance.of(largest))
      << curve.output << " against '" << curve.column << "', worst at t = " << when << " s";
}

void compareRoots(const ExpectedRoots& expected, const Record& record) {
  std::vector<double> values;
  const double from = std::max(expected.range.from, record.times().front());
  const double to = std::min(expected.range.to, record.times().back());
  for (int i = 0; from + i * expected.interval <= to + Range::kRoundOff; ++i) {
    values.push_back(record.at(std::min(from + i * expected.interval, to), expected.output));
  }
  int count = 0;
  for (const auto& root : expected.values) count += root.imag() > 0.0 ? 2 : 1;
  const auto roots = analysis::calcEigenvalues(values, expected.interval, count);
  for (const auto& wanted : expected.values) {
    const auto nearest = *std::min_element(
        roots.begin(), roots.end(),
        [&](const auto& a, const auto& b) { return std::abs(a - wanted) < std::abs(b - wanted); });
    EXPECT_LE(std::abs(nearest - wanted), expected.tolerance.of(std::abs(wanted)))
        << expected.output << ": " << nearest << " instead of " << wanted;
  }
}

void compareRun(const ModelCase& c, const model::Model& model) {
  ASSERT_TRUE(model.time().has_value()) << "the model has no 'analysis: time'";
  const ModelRun run = runModel(model);
  const Record& record = run.record;
  for (const ExpectedValue& check : c.expected.checks) {
    EXPECT_NEAR(pickValue(check, record), check.value, check.tolerance.of(std::abs(check.value)))
        << check.output << (check.pick == Pick::kAt ? " at t = " + std::to_string(check.at) : "");
  }
  for (const ExpectedCurve& curve : c.expected.curves) {
    compareCurve(curve, record, readRecord(c.file(curve.file)));
  }
  for (const ExpectedRoots& roots : c.expected.roots) compareRoots(roots, record);
  if (!c.expected.dissipation) return;
  EXPECT_TRUE(run.report.energy.isConservative) << "the machine does not keep its energy";
  EXPECT_LE(std::abs(run.report.energy.dissipatedShare), *c.expected.dissipation);
}

void compareEquilibrium(const ModelCase& c, const model::Model& model) {
  const analysis::EquilibriumResult result = analysis::findEquilibrium(model);
  ASSERT_TRUE(result.report.ok()) << messageOf(result.report.failure);
  Record record(model.outputs().names());
  record.add(0.0, result.outputs);
  for (const ExpectedValue& check : c.expected.checks) {
    EXPECT_NEAR(record.at(0.0, check.output), check.value,
                check.tolerance.of(std::abs(check.value)))
        << check.output;
  }
}

void compareModes(const ExpectedModes& expected, const model::Model& model) {
  const analysis::OperatingState point = analysis::findOperatingPoint(model, expected.about);
  ASSERT_TRUE(point.ok()) << messageOf(point.failure);
  const analysis::ModeResult result = analysis::findModes(model, point.state, expected.options);
  ASSERT_TRUE(result.ok()) << messageOf(result.failure);
  const auto expectFound = [&](double size, const auto& distance, const std::string& what) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const analysis::Mode& mode : result.modes) nearest = std::min(nearest, distance(mode));
    EXPECT_LE(nearest, expected.tolerance.of(size)) << "no mode has " << what;
  };
  for (const double f : expected.frequencies) {
    expectFound(
        f, [&](const analysis::Mode& mode) { return std::abs(mode.frequencyHz() - f); },
        std::to_string(f) + " Hz");
  }
  for (const std::complex<double> s : expected.roots) {
    expectFound(
        std::abs(s), [&](const analysis::Mode& mode) { return std::abs(mode.eigenvalue - s); },
        "the root " + std::to_string(s.real()) + " + " + std::to_string(s.imag()) + "i");
  }
  for (const analysis::Mode& mode : result.modes) EXPECT_LT(mode.residual, 1e-8);
}

// The digits with which roots are written down.
constexpr double kDigitsOfRoots = 1e-8;

// What a simulation shows, the modes must have; a constant is the place about which it swings.
void compareWithModes(const ExpectedRoots& roots, const model::Model& model) {
  ExpectedModes modes;
  modes.options.count = 100;
  modes.tolerance.relative = kDigitsOfRoots;
  for (const std::complex<double> root : roots.values) {
    if (root != 0.0) modes.roots.push_back(root);
  }
  compareModes(modes, model);
}

void compare(const ModelCase& c) {
  ASSERT_EQ(c.obstacle, "");
  EXPECT_TRUE(fs::exists(c.file("README.md"))) << "the model is not described";
  try {
    const model::Model model = api::loadModel({c.file("model.yaml"), c.expected.overrides});
    if (c.isEquilibrium) compareEquilibrium(c, model);
    if (c.hasRun) compareRun(c, model);
    for (const ExpectedRoots& roots : c.expected.roots) compareWithModes(roots, model);
    for (const ExpectedModes& modes : c.expected.modes) compareModes(modes, model);
  } catch (const std::exception& exception) {
    FAIL() << exception.what();
  }
}

class Models : public ::testing::TestWithParam<ModelCase> {};
TEST_P(Models, GiveWhatIsExpected) {
  compare(GetParam());
}
INSTANTIATE_TEST_SUITE_P(All, Models, ::testing::ValuesIn(findCases(false)), nameOf);

class SlowModels : public ::testing::TestWithParam<ModelCase> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SlowModels);
TEST_P(SlowModels, GiveWhatIsExpected) {
  compare(GetParam());
}
INSTANTIATE_TEST_SUITE_P(All, SlowModels, ::testing::ValuesIn(findCases(true)), nameOf);

}  // namespace
}  // namespace flexloop::test
