#include "solve/step_factors.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

StepFactors& StepFactorCache::select(const WeightKey& key) {
  StepFactors* best = nullptr;
  for (StepFactors& slot : slots_) {
    if (slot.lastUse > 0 && slot.key == key) best = &slot;
  }
  for (StepFactors& slot : slots_) {
    if (best == nullptr && slot.isValid && isSame(slot.key, key)) best = &slot;
  }
  if (best == nullptr) {
    best = &*std::min_element(slots_.begin(), slots_.end(),
                              [](const auto& a, const auto& b) { return a.lastUse < b.lastUse; });
    best->key = key;
    best->isValid = false;
    best->contraction = 0.0;
  }
  best->lastUse = ++uses_;
  return *best;
}

void StepFactorCache::invalidate() {
  for (StepFactors& slot : slots_) slot.isValid = false;
}

std::vector<std::vector<double>> StepFactorCache::record() const {
  std::vector<std::vector<double>> records;
  for (const StepFactors& slot : slots_) {
    std::vector<double> numbers(slot.key.begin(), slot.key.end());
    numbers.insert(numbers.end(), {slot.isValid ? 1.0 : 0.0, slot.contraction, slot.force,
                                   static_cast<double>(slot.lastUse)});
    numbers.insert(numbers.end(), slot.softness.begin(), slot.softness.end());
    records.push_back(numbers);
    records.push_back(slot.matrix.record());
    records.push_back(slot.signals == nullptr ? std::vector<double>{} : slot.signals->record());
  }
  return records;
}

void StepFactorCache::restore(const std::vector<std::vector<double>>& records,
                              const linalg::SparseMatrix& pattern, linalg::SolverChoice choice,
                              const std::vector<int>& groups) {
  uses_ = 0;
  auto next = records.begin();
  for (StepFactors& slot : slots_) {
    const std::vector<double>& numbers = *next++;
    std::copy_n(numbers.begin(), slot.key.size(), slot.key.begin());
    slot.isValid = numbers.at(slot.key.size()) != 0.0;
    slot.contraction = numbers.at(slot.key.size() + 1);
    slot.force = numbers.at(slot.key.size() + 2);
    slot.lastUse = static_cast<std::int64_t>(numbers.at(slot.key.size() + 3));
    uses_ = std::max(uses_, slot.lastUse);
    const auto softness = static_cast<long>(slot.key.size() + 4);
    slot.softness.resize(std::ssize(numbers) - softness);
    std::copy(numbers.begin() + softness, numbers.end(), slot.softness.begin());
    slot.matrix.restore(*next++, pattern, choice, groups);
    slot.scaling = slot.matrix.scaling();
    if (slot.matrix.hasSolver()) slot.scaledKey = slot.key;
    if (slot.signals != nullptr) slot.signals->restore(*next);
    ++next;
  }
}

}  // namespace flexloop::solve
