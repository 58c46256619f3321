// Every shipped machine with a controller moves in time as its modes say: frequencies within 0.1 %, damping
// ratios within 1 %, for all that a simulated free response shows (`free_responses` of expected.yaml).
#include "analysis/records/free_response.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "api/load.hpp"
#include "support/built_sample.hpp"
#include "support/expected_file.hpp"
#include "support/mode_start.hpp"
#include "support/model_run.hpp"
#include "support/places.hpp"
#include "support/shipped_models.hpp"

namespace flexloop::test {
namespace {

namespace fs = std::filesystem;
using Complex = std::complex<double>;

constexpr double kFrequency = 1e-3;
constexpr double kDamping = 1e-2;
// Of a mode without damping: what the scheme takes from it at most.
constexpr double kSchemeDamping = 2e-6;

double dampingOf(const Complex& s) {
  return -s.real() / std::abs(s);
}

// A decay has a rate in place of a frequency and a damping.
bool agrees(const Complex& seen, const Complex& mode) {
  if (mode == 0.0 || (seen.imag() == 0.0) != (mode.imag() == 0.0)) return false;
  if (mode.imag() == 0.0) return std::abs(seen - mode) <= kDamping * std::abs(mode);
  return std::abs(seen.imag() - mode.imag()) <= kFrequency * mode.imag() &&
         std::abs(dampingOf(seen) - dampingOf(mode)) <=
             std::max(kDamping * std::abs(dampingOf(mode)), kSchemeDamping);
}

bool isAmong(const std::vector<analysis::Mode>& modes, const Complex& seen) {
  return std::any_of(modes.begin(), modes.end(),
                     [&](const analysis::Mode& mode) { return agrees(seen, mode.eigenvalue); });
}

Complex findNearest(const std::vector<analysis::Mode>& modes, const Complex& seen) {
  Complex nearest = 0.0;
  for (const analysis::Mode& mode : modes) {
    if (std::abs(mode.eigenvalue - seen) < std::abs(nearest - seen)) nearest = mode.eigenvalue;
  }
  return nearest;
}

std::vector<analysis::Mode> modesOf(const model::Model& model, const system::State& state,
                                    int count, analysis::LoopView loop) {
  analysis::ModeOptions options;
  options.count = count;
  options.view.loop = loop;
  analysis::ModeResult result = analysis::findModes(model, state, options);
  if (!result.ok()) throw std::runtime_error(messageOf(result.failure));
  return std::move(result.modes);
}

// Mean square of what a mode contributes over a time.
double calcPower(const analysis::DampedMode& mode, double duration) {
  const double growth = 2.0 * mode.eigenvalue.real() * duration;
  const double mean = std::abs(growth) > 1e-9 ? std::expm1(growth) / growth : 1.0;
  const bool isPair = mode.eigenvalue.imag() > 0.0;
  return mode.amplitude * mode.amplitude * mean * (isPair ? 0.5 : 1.0);
}

std::vector<Complex> findRoots(const FreeRecord& wanted, const Record& record) {
  std::vector<double> values;
  const double from = std::max(wanted.range.from, record.times().front());
  const double to = std::min(wanted.range.to, record.times().back());
  for (int i = 0; from + i * wanted.interval <= to + Range::kRoundOff; ++i) {
    values.push_back(record.at(std::min(from + i * wanted.interval, to), wanted.output));
  }
  const analysis::FreeResponse response = analysis::fitFreeResponse(values, wanted.interval);
  double power = 0.0;
  for (const analysis::DampedMode& mode : response.modes) power += calcPower(mode, to - from);
  std::vector<Complex> roots;
  for (const analysis::DampedMode& mode : response.modes) {
    if (calcPower(mode, to - from) < std::pow(wanted.weight, 2) * power) continue;
    roots.push_back(mode.eigenvalue);
  }
  return roots;
}

struct ResponseCase {
  std::string folder;
  int number = 0;
  ExpectedFreeResponse expected;
};

std::ostream& operator<<(std::ostream& stream, const ResponseCase& c) {
  return stream << c.folder << " free response " << c.number;
}

// All modes, so that each finds its own.
constexpr int kAllModes = 1000;

void compareRecords(const ResponseCase& c, const model::Model& model, const system::State& start) {
  const auto modes = modesOf(model, start, kAllModes, analysis::LoopView::kClosed);
  const auto open = modesOf(model, start, kAllModes, analysis::LoopView::kOpen);
  const ModelRun run = runModel(model);
  for (const FreeRecord& wanted : c.expected.records) {
    const std::vector<Complex> roots = findRoots(wanted, run.record);
    EXPECT_EQ(static_cast<int>(roots.size()), wanted.roots) << wanted.output;
    bool isOpen = true;
    for (const Complex& root : roots) {
      EXPECT_TRUE(isAmong(modes, root)) << wanted.output << ": the simulation has the root " << root
                                        << ", the nearest mode is " << findNearest(modes, root);
      isOpen = isOpen && isAmong(open, root);
    }
    EXPECT_FALSE(isOpen) << wanted.output << " moves as if no controller were there";
  }
}

void compareStarts(const ResponseCase& c, const model::Model& model, const system::State& start) {
  const auto modes = modesOf(model, start, c.expected.modes, analysis::LoopView::kClosed);
  int compared = 0;
  for (const analysis::Mode& mode : modes) {
    if (mode.eigenvalue == 0.0) continue;
    const Complex seen = measureEigenvalue(model, start, mode, c.expected.size);
    EXPECT_TRUE(agrees(seen, mode.eigenvalue))
        << "the simulation has the root " << seen << ", the mode is " << mode.eigenvalue;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

class FreeResponses : public ::testing::TestWithParam<ResponseCase> {};
TEST_P(FreeResponses, ShowTheModes) {
  const ResponseCase& c = GetParam();
  try {
    const std::string file = inProject("models/" + c.folder + "/model.yaml");
    const model::Model model = api::loadModel({file, c.expected.overrides});
    const analysis::OperatingState start = analysis::findOperatingPoint(model, {});
    ASSERT_TRUE(start.ok()) << messageOf(start.failure);
    if (!c.expected.records.empty()) compareRecords(c, model, start.state);
    if (c.expected.modes > 0) compareStarts(c, model, start.state);
  } catch (const std::exception& exception) {
    FAIL() << exception.what();
  }
}

// Files that cannot be read are reported by the tests of models.
std::vector<ExpectedFreeResponse> readResponses(const fs::path& folder) {
  try {
    return readExpectedFile((folder / "expected.yaml").string()).freeResponses;
  } catch (const std::exception&) {
    return {};
  }
}

std::vector<ResponseCase> findCases() {
  std::vector<ResponseCase> cases;
  for (const fs::path& folder : findShippedModels()) {
    int number = 0;
    for (const ExpectedFreeResponse& expected : readResponses(folder)) {
      cases.push_back({folder.filename().string(), number++, expected});
    }
  }
  return cases;
}

std::string nameOf(const ::testing::TestParamInfo<ResponseCase>& info) {
  return info.param.folder + "_" + std::to_string(info.param.number);
}

INSTANTIATE_TEST_SUITE_P(All, FreeResponses, ::testing::ValuesIn(findCases()), nameOf);

TEST(FreeResponsesOfModels, AreThereForEveryController) {
  for (const fs::path& folder : findShippedModels()) {
    const model::Description model =
        language::readModelFile((folder / "model.yaml").string(), fullRegistry());
    const bool hasActuators =
        std::any_of(model.items.begin(), model.items.end(),
                    [](const system::Item& item) { return item.section() == "actuators"; });
    // Valves with two slopes at rest, and a controller with a dead band: the machine has no modes there.
    const bool isSmooth = folder.filename() != "car_semiactive";
    if (!hasActuators || !isSmooth) continue;
    EXPECT_FALSE(readResponses(folder).empty())
        << folder << " has actuators, but its expected.yaml no `free_responses`";
  }
}

}  // namespace
}  // namespace flexloop::test
