#include "solve/time/step_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

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
    if (nearest != nullptr && distance >= loan_.distance) continue;
    nearest = &slot;
    loan_.distance = distance;
    loan_.nativeContraction = slot.contraction;
  }
  if (nearest == nullptr) return nullptr;
  if (expectedContraction() > kBorrowContraction) {
    loan_.gain *= kForgetting;
    return nullptr;
  }
  loan_.motionScale = nearest->key[2] / key[2];
  loan_.stateScale = nearest->key[4] / key[4];
  return nearest;
}

StepFactors& StepFactorCache::select(const WeightKey& key) {
  loan_.isBorrowed = false;
  StepFactors* best = findOwn(key);
  if (best == nullptr && lends_) {
    best = borrow(key);
    loan_.isBorrowed = best != nullptr;
  }
  if (best == nullptr) return claim(key);
  best->lastUse = ++uses_;
  return *best;
}

StepFactors& StepFactorCache::claim(const WeightKey& key) {
  loan_.isBorrowed = false;
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
  const double more =
      contraction > kGood ? std::max(contraction - loan_.nativeContraction, 0.0) : 0.0;
  // No mode feels more than the whole of the distance.
  loan_.gain = std::max(more / std::max(loan_.distance, more), kForgetting * loan_.gain);
}

void StepFactorCache::invalidate() {
  for (StepFactors& slot : slots_) slot.isValid = false;
}

StepFactorCache::Record StepFactorCache::record() const {
  Record record;
  record.loan = loan_;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const StepFactors& slot = slots_[i];
    record.slots[i] = {slot.key,     slot.isValid,  slot.force, slot.contraction,     slot.steps,
                       slot.lastUse, slot.softness, slot.noise, slot.matrix.record(), {}};
    if (slot.signals != nullptr) record.slots[i].signals = slot.signals->record();
  }
  return record;
}

void StepFactorCache::restore(const Record& record, const linalg::SparseMatrix& pattern,
                              linalg::SolverChoice choice, const std::vector<int>& groups) {
  const auto check = [](bool fits) {
    if (!fits) throw std::invalid_argument("records of another machine");
  };
  loan_ = record.loan;
  uses_ = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const StepFactorsRecord& kept = record.slots[i];
    StepFactors& slot = slots_[i];
    check(kept.lastUse >= 0 && kept.steps >= 0);
    check(kept.noise.size() == 0 || kept.noise.size() >= pattern.rows());
    check((kept.noise.array() >= 0.0).all());
    check(slot.signals != nullptr || kept.signals.values.empty());
    slot.key = kept.key;
    slot.isValid = kept.isValid;
    slot.force = kept.force;
    slot.contraction = kept.contraction;
    slot.steps = kept.steps;
    slot.lastUse = kept.lastUse;
    uses_ = std::max(uses_, slot.lastUse);
    slot.softness = kept.softness;
    slot.noise = kept.noise;
    slot.matrix.restore(kept.matrix, pattern, choice, groups);
    check(!slot.isValid || (slot.matrix.hasSolver() && slot.noise.size() > 0));
    slot.scaling = slot.matrix.scaling();
    if (slot.matrix.hasSolver()) slot.scaledKey = slot.key;
    if (slot.signals != nullptr) slot.signals->restore(kept.signals);
  }
}

}  // namespace flexloop::solve
