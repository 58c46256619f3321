#include "analysis/time/bend_watch.hpp"

#include "base/text_format.hpp"

namespace flexloop::analysis {

namespace {

constexpr int kEvery = 8;        // steps
constexpr double kSmall = 0.15;  // rad: an error of one percent

}  // namespace

BendWatch::BendWatch(const system::System& system)
    : parts_(mechanics::findParts(system)), largest_(parts_.size()) {}

void BendWatch::add(const system::State& state) {
  if (parts_.empty() || steps_++ % kEvery != 0) return;
  look(state);
}

void BendWatch::look(const system::State& state) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const double angle = mechanics::calcBend(parts_[i], state);
    if (angle > largest_[i].angle) largest_[i] = {angle, state.time};
  }
}

std::vector<std::string> BendWatch::notes(bool withTime) const {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Largest& largest = largest_[i];
    if (largest.angle < kSmall) continue;
    const std::string when =
        withTime ? base::formatText(" at t = %.6g s", largest.time) : std::string();
    notes.push_back(base::formatText(
        "part '%s' bends by about %.2g rad%s, but deformation of parts is assumed to be small: "
        "forces "
        "and shapes err by about %.2g %%; divide it into several parts, or use a beam",
        parts_[i].name.c_str(), largest.angle, when.c_str(), 50.0 * largest.angle * largest.angle));
  }
  return notes;
}

}  // namespace flexloop::analysis
