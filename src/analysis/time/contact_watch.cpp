#include "analysis/time/contact_watch.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/time/inner_state.hpp"
#include "base/text_format.hpp"
#include "math/so3.hpp"

namespace flexloop::analysis {

namespace {

using system::State;

// Steps of an impact below which its force is not known to a few per cent, and those that a remedy aims at.
constexpr int kFewSteps = 8, kGoodSteps = 40;
// Of a step: the shortest part that is looked at.
constexpr double kShortestPart = 1.0 / 64.0;

// How far the points of a node within a distance move at most.
double calcWay(const State& from, const State& to, int node, double distance) {
  const auto &a = from.frames[node], &b = to.frames[node];
  return (b.x - a.x).norm() +
         distance * math::logSO3<double>(math::Mat3<double>(a.R.transpose() * b.R)).norm();
}

}  // namespace

ContactWatch::ContactWatch(const system::System& system) {
  for (const auto& set : system.sets()) {
    const auto* touching = dynamic_cast<const system::Touching*>(set.get());
    if (touching == nullptr) continue;
    for (int e = 0; e < set->size(); ++e) contacts_.push_back({set.get(), touching, e});
  }
  lasting_ = contacts_.size();
}

// Those that come and go, of which the ones that stay are known by their nodes.
void ContactWatch::takeListed(const State& from, system::Assembler& assembler) {
  if (!assembler.gathers()) return;
  const system::Motion& motion = assembler.calcMotion(from);
  if (patternCount_ == assembler.patternCount()) return;
  patternCount_ = assembler.patternCount();
  std::map<Key, Contact> known;
  for (std::size_t i = lasting_; i < contacts_.size(); ++i)
    known[keys_[i - lasting_]] = contacts_[i];
  contacts_.resize(lasting_);
  keys_.clear();
  for (std::size_t s = assembler.system().sets().size(); s < assembler.sets().size(); ++s) {
    const system::ElementSet* set = assembler.sets()[s];
    const auto* touching = dynamic_cast<const system::Touching*>(set);
    for (int e = 0; touching != nullptr && e < set->size(); ++e) {
      keys_.push_back({set->name(e), set->type(), set->node(e, 0).value, set->node(e, 1).value});
      const auto found = known.find(keys_.back());
      Contact contact = found != known.end() ? found->second : Contact{};
      contact.set = set;
      contact.touching = touching;
      contact.element = e;
      if (found == known.end()) contact.depth = touching->depth(motion, e);
      contacts_.push_back(contact);
    }
  }
}

// Looks along the straight motion of the step, by parts in which the gap cannot close unseen.
bool ContactWatch::arePassed(const Contact& contact, const State& from, const State& to,
                             system::Assembler& assembler) const {
  const int first = contact.set->node(contact.element, 0).value;
  const int second = contact.set->node(contact.element, 1).value;
  const double distance =
      (to.frames[first].x - to.frames[second].x).norm() + contact.touching->size(contact.element);
  const double way = calcWay(from, to, first, distance) + calcWay(from, to, second, distance);
  if (-(contact.before + contact.depth) >= way) return false;
  double share = 0.0, gap = -contact.before;
  while (true) {
    share += std::max(gap / way, kShortestPart);
    if (share >= 1.0) return false;
    const State inner = interpolate(from, to, share);
    gap = -contact.touching->depth(assembler.calcMotion(inner), contact.element);
    if (gap < 0.0) return true;
  }
}

void ContactWatch::addStep(const State& from, const State& to, system::Assembler& assembler) {
  takeListed(from, assembler);
  if (contacts_.empty()) return;
  const system::Motion& motion = assembler.calcMotion(to);
  for (Contact& contact : contacts_) {
    contact.before = contact.depth;
    contact.depth = contact.touching->depth(motion, contact.element);
  }
  for (Contact& contact : contacts_) judge(contact, from, to, assembler);
  isFirst_ = false;
}

void ContactWatch::judge(Contact& contact, const State& from, const State& to,
                         system::Assembler& assembler) {
  const double h = to.time - from.time;
  const std::string& name = contact.set->name(contact.element);
  const bool touches = contact.depth > 0.0;
  const bool isApart = !touches && !isFirst_ && contact.before <= 0.0;
  if (isApart && missed_.name.empty() && arePassed(contact, from, to, assembler)) {
    missed_ = {name, 0, to.time, h};
  }
  const bool wasBrief = !touches && contact.steps > 0 && contact.steps < kFewSteps;
  if (wasBrief && (brief_.name.empty() || contact.steps < brief_.steps)) {
    brief_ = {name, contact.steps, to.time, h};
  }
  contact.steps = touches ? contact.steps + 1 : 0;
}

std::vector<std::string> ContactWatch::notes() const {
  std::vector<std::string> notes;
  if (!missed_.name.empty()) {
    notes.push_back(base::formatText(
        "the shapes of contact '%s' have passed through each other, or touched, within the step "
        "before t = %.6g s, unnoticed; use steps of %.2g s or less",
        missed_.name.c_str(), missed_.time, missed_.step / kGoodSteps));
  }
  if (!brief_.name.empty()) {
    notes.push_back(base::formatText(
        "contact '%s' lasted %d steps until t = %.6g s: too few to resolve the impact; use steps "
        "of %.2g s or less",
        brief_.name.c_str(), brief_.steps, brief_.time, brief_.step * brief_.steps / kGoodSteps));
  }
  return notes;
}

}  // namespace flexloop::analysis
