#include "solve/time/step_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/number_reader.hpp"

namespace flexloop::solve {
namespace {

// Relative difference of weights. An iteration with such a difference contracts by the same factor.
constexpr double kSameWeights = 0.01;

bool isSame(const WeightKey& a, const WeightKey& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) > kSameWeights * std::abs(b[i])) return false;
  }
  return true;
}

// Slower than this, factors of the step's own length are worth their cost.
constexpr double kBorrowContraction = 0.15;
// Faster than this, what slows the iteration down is not the distance.
constexpr double kGood = 0.05;
// Of what is known about borrowing, each time that nothing is learnt.
constexpr double kForgetting = 0.97;
constexpr int kYoung = 5;  // steps
// Matrices with more entries than this take much memory with their factors, so that fewer of them are kept.
constexpr std::size_t kLargeMatrix = 2'000'000;
constexpr int kFewSlots = 3;

// How much of stiffness and damping beside the mass the factors of one step have too much or too little for another.
double calcDistance(const WeightKey& factors, const WeightKey& step) {
  const double scale = factors[2] / step[2], stateScale = factors[4] / step[4];
  return std::max({std::abs(1.0 - scale * step[0] / factors[0]),
                   std::abs(1.0 - scale * step[1] / factors[1]),
                   std::abs(1.0 - stateScale * step[3] / factors[3])});
}

}  // namespace

StepFactors* StepFactorCache::findOwn(const WeightKey& key) {
  StepFactors* own = nullptr;
  for (StepFactors& slot : slots_) {
    if (slot.lastUse > 0 && slot.key == key) own = &slot;
  }
  for (StepFactors& slot : slots_) {
    if (own == nullptr && slot.isValid && isSame(slot.key, key)) own = &slot;
  }
  return own;
}

// The valid factors that are nearest, unless they are too far to contract fast enough.
StepFactors* StepFactorCache::borrow(const WeightKey& key) {
  StepFactors* nearest = nullptr;
  for (StepFactors& slot : slots_) {
    if (!slot.isValid) continue;
    const double distance = calcDistance(slot.key, key);
    if (nearest != nullptr && distance >= distance_) continue;
    nearest = &slot;
    distance_ = distance;
    nativeContraction_ = slot.contraction;
  }
  if (nearest == nullptr) return nullptr;
  if (expectedContraction() > kBorrowContraction) {
    gain_ *= kForgetting;
    return nullptr;
  }
  motionScale_ = nearest->key[2] / key[2];
  stateScale_ = nearest->key[4] / key[4];
  return nearest;
}

StepFactors& StepFactorCache::select(const WeightKey& key) {
  isBorrowed_ = false;
  StepFactors* best = findOwn(key);
  if (best == nullptr && lends_) {
    best = borrow(key);
    isBorrowed_ = best != nullptr;
  }
  if (best == nullptr) return claim(key);
  best->lastUse = ++uses_;
  return *best;
}

StepFactors& StepFactorCache::claim(const WeightKey& key) {
  isBorrowed_ = false;
  const bool isLarge = slots_.front().matrix.values().size() > kLargeMatrix;
  const auto end = isLarge ? slots_.begin() + kFewSlots : slots_.end();
  StepFactors& oldest = *std::min_element(
      slots_.begin(), end, [](const auto& a, const auto& b) { return a.lastUse < b.lastUse; });
  oldest.key = key;
  oldest.isValid = false;
  oldest.contraction = 0.0;
  oldest.lastUse = ++uses_;
  return oldest;
}

// Of a young lender the distance is to blame; an old one has aged.
void StepFactorCache::learn(StepFactors& lender, double contraction) {
  if (lender.steps > kYoung) {
    if (contraction > kBorrowContraction) lender.isValid = false;
    return;
  }
  const double more = contraction > kGood ? std::max(contraction - nativeContraction_, 0.0) : 0.0;
  // No mode feels more than the whole of the distance.
  gain_ = std::max(more / std::max(distance_, more), kForgetting * gain_);
}

void StepFactorCache::invalidate() {
  for (StepFactors& slot : slots_) slot.isValid = false;
}

std::vector<std::vector<double>> StepFactorCache::record() const {
  std::vector<std::vector<double>> records{
      {isBorrowed_ ? 1.0 : 0.0, motionScale_, stateScale_, distance_, nativeContraction_, gain_}};
  for (const StepFactors& slot : slots_) {
    std::vector<double> numbers(slot.key.begin(), slot.key.end());
    numbers.insert(numbers.end(),
                   {slot.isValid ? 1.0 : 0.0, slot.contraction, slot.force,
                    static_cast<double>(slot.lastUse), static_cast<double>(slot.steps)});
    numbers.insert(numbers.end(), slot.softness.begin(), slot.softness.end());
    records.push_back(numbers);
    records.emplace_back(slot.noise.begin(), slot.noise.end());
    records.push_back(slot.matrix.record());
    records.push_back(slot.signals == nullptr ? std::vector<double>{} : slot.signals->record());
  }
  return records;
}

void StepFactorCache::restore(const std::vector<std::vector<double>>& records,
                              const linalg::SparseMatrix& pattern, linalg::SolverChoice choice,
                              const std::vector<int>& groups) {
  constexpr std::size_t kPerSlot = 4;
  constexpr std::int64_t kMost = std::int64_t{1} << 52;
  const auto check = [](bool fits) {
    if (!fits) throw std::invalid_argument("records of another machine");
  };
  check(records.size() >= 1 + kPerSlot * slots_.size());
  uses_ = 0;
  base::NumberReader loan(records[0]);
  isBorrowed_ = loan.takeFlag();
  for (double* number : {&motionScale_, &stateScale_, &distance_, &nativeContraction_, &gain_}) {
    *number = loan.take();
  }
  check(loan.isDone());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    StepFactors& slot = slots_[i];
    base::NumberReader numbers(records[1 + kPerSlot * i]);
    numbers.take(slot.key);
    slot.isValid = numbers.takeFlag();
    slot.contraction = numbers.take();
    slot.force = numbers.take();
    slot.lastUse = numbers.takeWhole(0, kMost);
    slot.steps = static_cast<int>(numbers.takeWhole(0, std::numeric_limits<int>::max()));
    uses_ = std::max(uses_, slot.lastUse);
    slot.softness.resize(static_cast<Eigen::Index>(numbers.left()));
    numbers.take({slot.softness.data(), numbers.left()});
    check(numbers.isDone());
    const std::vector<double>& noise = records[2 + kPerSlot * i];
    check(noise.empty() || noise.size() == static_cast<std::size_t>(pattern.rows()));
    slot.noise =
        Eigen::Map<const Eigen::VectorXd>(noise.data(), static_cast<Eigen::Index>(noise.size()));
    check((slot.noise.array() >= 0.0).all());
    slot.matrix.restore(records[3 + kPerSlot * i], pattern, choice, groups);
    check(!slot.isValid || (slot.matrix.hasSolver() && !noise.empty()));
    slot.scaling = slot.matrix.scaling();
    if (slot.matrix.hasSolver()) slot.scaledKey = slot.key;
    const std::vector<double>& signals = records[4 + kPerSlot * i];
    check(slot.signals != nullptr || signals.empty());
    if (slot.signals != nullptr) slot.signals->restore(signals);
  }
}

}  // namespace flexloop::solve
