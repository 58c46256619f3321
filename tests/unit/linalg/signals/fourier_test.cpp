// Transforms and correlations against their definitions, summed directly.
#include "linalg/signals/fourier.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

// Looks random, and is the same everywhere.
std::vector<double> makeValues(std::size_t count) {
  std::vector<double> values;
  double value = 0.3;
  for (std::size_t i = 0; i < count; ++i) {
    value = std::fmod(value * 97.0 + 0.1234567, 1.0);
    values.push_back(value - 0.5);
  }
  return values;
}

Complex sumDirectly(const std::vector<double>& values, std::size_t k) {
  const std::size_t size = values.size();
  Complex sum = 0.0;
  for (std::size_t n = 0; n < size; ++n) {
    const double turns = static_cast<double>(k * n % size) / static_cast<double>(size);
    sum += values[n] * std::polar(1.0, -2.0 * std::numbers::pi * turns);
  }
  return sum;
}

TEST(Fourier, TransformIsTheSumForEveryKindOfLength) {
  // Even, odd, powers, with large prime factors and prime.
  for (const std::size_t size : {1u, 2u, 3u, 4u, 5u, 7u, 64u, 90u, 101u, 135u, 202u, 997u, 1002u}) {
    const std::vector<double> values = makeValues(size);
    const std::vector<Complex> transform = calcFourier(values);
    ASSERT_EQ(transform.size(), size / 2 + 1);
    for (std::size_t k = 0; k < transform.size(); ++k) {
      EXPECT_LT(std::abs(transform[k] - sumDirectly(values, k)), 1e-12) << size << " at " << k;
    }
  }
}

TEST(Fourier, ALongRecordOfPrimeLengthTakesNoLonger) {
  const std::vector<double> values = makeValues(100003);
  const std::vector<Complex> transform = calcFourier(values);
  EXPECT_NEAR(transform[0].real(), std::accumulate(values.begin(), values.end(), 0.0), 1e-8);
  EXPECT_LT(std::abs(transform[4321] - sumDirectly(values, 4321)), 1e-8);
}

TEST(Fourier, CorrelationsAreTheirSums) {
  const std::vector<double> record = makeValues(77), weights = makeValues(20);
  const Correlator correlator(record);
  EXPECT_EQ(correlator.size(), 77u);
  std::vector<double> result(58);
  correlator.calc(weights.data(), weights.size(), result.data());
  for (std::size_t m = 0; m < result.size(); ++m) {
    const double sum = std::inner_product(weights.begin(), weights.end(),
                                          record.begin() + static_cast<std::ptrdiff_t>(m), 0.0);
    EXPECT_NEAR(result[m], sum, 1e-13);
  }
}

}  // namespace
}  // namespace flexloop::linalg
