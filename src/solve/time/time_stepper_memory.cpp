// What a checkpoint keeps of a TimeStepper, and how it continues from there.
#include <stdexcept>

#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {
namespace {

void check(bool fits) {
  if (!fits) throw std::invalid_argument("the memory of another machine");
}

}  // namespace

template <class Stepper, class Kept, class Visit>
void TimeStepper::eachPair(Stepper& stepper, Kept& memory, Visit&& visit) {
  visit(stepper.digitsAge_, memory.digitsAge);
  visit(stepper.wish_, memory.wish);
  visit(stepper.length_, memory.length);
  visit(stepper.meanMass_, memory.meanMass);
  visit(stepper.inertia_, memory.sizes.inertia);
  visit(stepper.roundOff_, memory.sizes.roundOff);
  visit(stepper.recent_, memory.sizes.recent);
  visit(stepper.gradient_, memory.sizes.gradient);
  visit(stepper.positionTerms_, memory.sizes.positionTerms);
  visit(stepper.seen_, memory.sizes.seen);
  visit(stepper.size_, memory.sizes.size);
  visit(stepper.digits_, memory.sizes.digits);
  visit(stepper.seenByDigits_, memory.sizes.seenByDigits);
  visit(stepper.normWeight_, memory.sizes.normWeight);
}

StepperMemory TimeStepper::memory() const {
  StepperMemory memory;
  memory.last = memory_[0];
  memory.step = step_;
  memory.slot = factors_ == nullptr ? -1 : cache_.indexOf(*factors_);
  eachPair(*this, memory, [](const auto& own, auto& kept) { kept = own; });
  memory.parts = partSizes_.all();
  memory.centres = axes_.centres();
  memory.estimatesError = options_.estimatesError;
  if (options_.estimatesError) memory.reach = reach_.record();
  memory.factors = cache_.record();
  memory.massSystem = massSystem_.record();
  return memory;
}

void TimeStepper::restore(const StepperMemory& memory) {
  const system::System& system = assembler_.system();
  const Eigen::Index n = system.unknowns();
  const StepMemory& last = memory.last;
  check(last.acceleration.allFinite() && last.value.allFinite());
  check(last.slot >= -1 && last.slot < StepFactorCache::kSlots);
  check(last.steady >= 0 && last.sinceRenewal >= 0 && memory.digitsAge >= 0);
  check(memory.slot >= -1 && memory.slot < StepFactorCache::kSlots);
  check(memory.estimatesError == options_.estimatesError);
  check(memory.centres.empty() || memory.centres.size() == system.nodes().size());
  const auto checkSize = [&](const char*, const auto& member) {
    if constexpr (requires { member.allFinite(); }) check(member.size() == n);
  };
  StepMemory::eachField(last, checkSize);
  JudgedSizes::eachField(memory.sizes, checkSize);
  memory_[0] = last;
  eachPair(*this, memory, [](auto& own, const auto& kept) { own = kept; });
  partSizes_.takeBack(memory.parts);
  areWeightsOld_ = true;
  if (options_.estimatesError) reach_.restore(system, assembler_.lastingPattern(), memory.reach);
  axes_.setCentres(memory.centres);
  classifyConstraints();
  if (memory.slot >= 0) fillWeights(memory.step);
  factors_ = memory.slot >= 0 ? &cache_.slots().at(memory.slot) : nullptr;
  cache_.restore(memory.factors, matrix_, options_.solver, assembler_.eliminationGroups());
  for (const StepFactors& factors : cache_.slots()) {
    const bool isUnused = factors.softness.size() == 0 && !factors.matrix.hasSolver();
    check(isUnused || factors.softness.size() == soft_.size());
    check(factors.noise.size() == 0 || factors.noise.size() == n + partSizes_.count());
  }
  check(factors_ == nullptr || factors_->matrix.hasSolver());
  massSystem_.restore(memory.massSystem);
}

}  // namespace flexloop::solve
