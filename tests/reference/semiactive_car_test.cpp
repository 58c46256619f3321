// models/car_semiactive: its dampers as C functions and as formulas, and steps of 10 ms across their valves.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "api/load.hpp"
#include "support/model_run.hpp"
#include "support/places.hpp"

namespace flexloop::test {
namespace {

ModelRun runCar(const std::string& file) {
  return runModel(api::loadModel(
      {inProject("models/car_semiactive/" + file), {{}, {"analysis.time.end=1.6"}}}));
}

// Half of the first curve. Both have the same equations and slopes, and the same tolerance of the iteration, 1e-7.
TEST(SemiactiveCar, DampersInCAndAsFormulasAreTheSame) {
  const ModelRun code = runCar("model.yaml"), formulas = runCar("equations.yaml");
  // Before states of steep laws were settled by themselves, every second step was halved.
  EXPECT_EQ(code.report.failedSteps, 0);
  EXPECT_EQ(formulas.report.failedSteps, 0);
  EXPECT_LT(code.report.iterations, 4 * code.report.steps);
  for (const char* name : {"ay", "roll", "fl.load", "strut_fl.force", "strut_rr.force",
                           "strut_rr.current", "strut_rr.rebound", "strut_rr.compression"}) {
    const auto &a = code.column(name), &b = formulas.column(name);
    double largest = 0.0, difference = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::abs(a[i]));
      difference = std::max(difference, std::abs(a[i] - b[i]));
    }
    EXPECT_LT(difference, 1e-6 * largest) << name;
  }
}

}  // namespace
}  // namespace flexloop::test
