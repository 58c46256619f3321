#include "linalg/signals/fourier.hpp"

#include <bit>
#include <cassert>
#include <cstdint>
#include <numbers>
#include <unsupported/Eigen/FFT>

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

// Eigen's transform takes time in proportion to the largest prime factor of the length.
constexpr std::size_t kLargestFactor = 64;

std::size_t calcLargestFactor(std::size_t number) {
  std::size_t largest = 1;
  for (std::size_t factor = 2; factor * factor <= number; ++factor) {
    while (number % factor == 0) {
      largest = factor;
      number /= factor;
    }
  }
  return std::max(largest, number);
}

Eigen::FFT<double> makeTransform() {
  return Eigen::FFT<double>(Eigen::default_fft_impl<double>(), Eigen::FFT<double>::HalfSpectrum);
}

// With k n = (k² + n² − (k − n)²)/2 the sum becomes a convolution (Bluestein), whose transforms may
// be of any length that is long enough.
std::vector<Complex> calcByConvolution(const std::vector<double>& values) {
  const std::size_t n = values.size();
  const std::size_t length = std::bit_ceil(2 * n - 1);
  std::vector<Complex> chirp(n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto turns = static_cast<double>(static_cast<std::uint64_t>(k) * k % (2 * n));
    chirp[k] = std::polar(1.0, -std::numbers::pi * turns / static_cast<double>(n));
  }
  std::vector<Complex> signal(length), kernel(length);
  for (std::size_t k = 0; k < n; ++k) {
    signal[k] = values[k] * chirp[k];
    kernel[k] = std::conj(chirp[k]);
    if (k > 0) kernel[length - k] = kernel[k];
  }
  Eigen::FFT<double> transform;
  std::vector<Complex> signalTransform, kernelTransform, result;
  transform.fwd(signalTransform, signal);
  transform.fwd(kernelTransform, kernel);
  for (std::size_t k = 0; k < length; ++k) signalTransform[k] *= kernelTransform[k];
  transform.inv(result, signalTransform);
  result.resize(n / 2 + 1);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] *= chirp[k];
  return result;
}

}  // namespace

std::vector<Complex> calcFourier(const std::vector<double>& values) {
  assert(!values.empty());
  if (values.size() == 1) return {values.front()};
  if (calcLargestFactor(values.size()) > kLargestFactor) return calcByConvolution(values);
  std::vector<Complex> result;
  makeTransform().fwd(result, values);
  return result;
}

Correlator::Correlator(const std::vector<double>& record)
    : size_(record.size()), length_(std::bit_ceil(std::max<std::size_t>(size_, 4))) {
  std::vector<double> padded = record;
  padded.resize(length_);
  makeTransform().fwd(transform_, padded);
}

void Correlator::calc(const double* weights, std::size_t count, double* result) const {
  assert(count <= size_);
  Eigen::FFT<double> transform = makeTransform();
  std::vector<double> padded(weights, weights + count);
  padded.resize(length_);
  std::vector<Complex> product;
  transform.fwd(product, padded);
  for (std::size_t k = 0; k < product.size(); ++k) {
    product[k] = transform_[k] * std::conj(product[k]);
  }
  transform.inv(padded, product);
  std::copy_n(padded.begin(), size_ - count + 1, result);
}

}  // namespace flexloop::linalg
