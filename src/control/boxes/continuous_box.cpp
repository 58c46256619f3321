#include "control/boxes/continuous_box.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "control/boxes/box_memory.hpp"
#include "control/boxes/box_slopes.hpp"
#include "control/boxes/differences.hpp"

namespace flexloop::control {
namespace {

enum Record { kHasStarted, kTime, kStep, kSizeBefore, kMemories };

// Share of a step: times that are closer are the same.
constexpr double kSameTime = 1e-6;
constexpr std::size_t kUsualMemory = 1024;  // numbers for which there is room from the start

bool isAfter(double t, const std::vector<double>& record) {
  return t - record[kTime] > kSameTime * record[kStep];
}

}  // namespace

ContinuousBox::ContinuousBox(BoxRunner runner)
    : runner_(std::move(runner)),
      last_(runner_.settings().outputs),
      again_(runner_.settings().outputs) {
  lastPoint_.reserve(runner_.settings().inputs + kUsualMemory);
}

std::vector<double> ContinuousBox::makeRecord(const std::vector<double>& memory) {
  std::vector<double> record(kMemories, 0.0);
  record[kSizeBefore] = static_cast<double>(memory.size());
  record.insert(record.end(), memory.begin(), memory.end());
  return record;
}

bool ContinuousBox::isRecord(const std::vector<double>& record) const {
  // Without memory: the last call, or nothing before it.
  if (!runner_.canRestore()) {
    const auto call =
        static_cast<std::size_t>(1 + runner_.settings().inputs + runner_.settings().outputs);
    return record.empty() || record.size() == call;
  }
  if (record.size() < kMemories) return false;
  const Memory memories = Memory(record).subspan(kMemories);
  const double before = record[kSizeBefore];
  if (!(before >= 0.0 && before <= static_cast<double>(memories.size()))) return false;
  const auto first = static_cast<std::size_t>(before);
  const bool hasStarted = record[kHasStarted] != 0.0;
  return std::isfinite(record[kTime]) && std::isfinite(record[kStep]) &&
         arePacked(memories.first(first)) &&
         (hasStarted ? arePacked(memories.subspan(first)) : first == memories.size());
}

BlockSize ContinuousBox::size() const {
  return {.inputs = runner_.settings().inputs,
          .outputs = runner_.settings().outputs,
          .hasRecord = true};
}

// (16.12): at the time of the last call, that call is made again, so that time never stops for
// the box.
ContinuousBox::Memory ContinuousBox::memoryAt(double t, const std::vector<double>& record) const {
  if (!runner_.canRestore()) return {};
  const Memory memories = Memory(record).subspan(kMemories);
  const auto before = static_cast<std::size_t>(record[kSizeBefore]);
  if (record[kHasStarted] == 0.0 || !isAfter(t, record)) return memories.first(before);
  return memories.subspan(before);
}

bool ContinuousBox::callTwice(double t, std::span<const double> u, Memory memory,
                              std::span<double> y) const {
  const std::array<BoxTrial, 2> both{BoxTrial{t, {}, u, again_}, BoxTrial{t, {}, u, y}};
  if (!runner_.outputs(both, memory, false)) return false;
  if (std::equal(y.begin(), y.end(), again_.begin())) return true;
  std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
  return failForMemory();
}

bool ContinuousBox::failForMemory() const {
  if (runner_.canRestore()) {
    return runner_.fail("returns a different output after block_restore than before",
                        "block_save and block_restore must cover everything that the output "
                        "depends on; none of it may be in static variables");
  }
  return runner_.fail(
      "has memory but no block_save and block_restore: the same inputs at the same time gave a "
      "different output",
      "give it a 'sample:', or export both from the library");
}

void ContinuousBox::calc(const BlockPorts<double>& p) const {
  const Memory memory = memoryAt(p.t, *p.record);
  if (lastPoint_.is(p.t, {p.u, memory})) {
    runner_.forgetOutside();
    std::copy(last_.begin(), last_.end(), p.y.begin());
    return;
  }
  lastPoint_.forget();
  const bool ok =
      isChecked_ ? runner_.output({p.t, {}, p.u, p.y}, memory) : callTwice(p.t, p.u, memory, p.y);
  isChecked_ = true;
  if (!ok) return;
  lastPoint_.set(p.t, {p.u, memory});
  last_.assign(p.y.begin(), p.y.end());
}

void ContinuousBox::calcPartials(const BlockPorts<double>& p, Eigen::MatrixXd& J) const {
  const Memory memory = memoryAt(p.t, *p.record);
  if (lastPartialsPoint_.is(p.t, {p.u, memory})) {
    runner_.forgetOutside();
    J = lastPartials_;
    return;
  }
  lastPartialsPoint_.forget();
  calcColumns({p.u, p.y.size()}, J, [&](const Variations& all) {
    trials_.clear();
    for (std::size_t k = 0; k < all.count(); ++k) {
      trials_.push_back({p.t, {}, all.arguments(k), all.results(k)});
    }
    static_cast<void>(runner_.outputs(trials_, memory, true));
  });
  if (runner_.firstFault()) return;
  lastPartialsPoint_.set(p.t, {p.u, memory});
  lastPartials_ = J;
}

void ContinuousBox::calcAlong(const BlockPorts<math::Taylor2>& p) const {
  const Memory memory = memoryAt(p.t.value, *p.record);
  flatten(p.u, flat_);
  if (lastAlongPoint_.is(p.t.value, {flat_, memory})) {
    runner_.forgetOutside();
    std::copy(lastAlong_.begin(), lastAlong_.end(), p.y.begin());
    return;
  }
  lastAlongPoint_.forget();
  evaluateAlong(p, memory);
  if (runner_.firstFault()) return;
  lastAlongPoint_.set(p.t.value, {flat_, memory});
  lastAlong_.assign(p.y.begin(), p.y.end());
}

void ContinuousBox::evaluateAlong(const BlockPorts<math::Taylor2>& p, Memory memory) const {
  calcAlongPath(timeStepAlong(p.u), p.y, [&](std::span<const double> times, std::span<double> y) {
    std::vector<double> u;
    for (const double time : times) {
      for (const math::Taylor2& input : p.u) u.push_back(valueAfter(input, time));
    }
    trials_.clear();
    for (std::size_t k = 0; k < times.size(); ++k) {
      trials_.push_back({p.t.value + times[k],
                         {},
                         std::span(u).subspan(k * p.u.size(), p.u.size()),
                         y.subspan(k * p.y.size(), p.y.size())});
    }
    static_cast<void>(runner_.outputs(trials_, memory, false));
  });
}

void ContinuousBox::remember(const BlockPorts<double>& p, BlockMemory m) const {
  if (runner_.canRestore()) {
    advance(p, *m.record);
  } else {
    compare(p, *m.record);
  }
}

void ContinuousBox::advance(const BlockPorts<double>& p, std::vector<double>& record) const {
  const Memory memory = memoryAt(p.t, record);
  std::vector<double> after;
  if (!runner_.outputAndSave({p.t, {}, p.u, p.y}, memory, after)) return;
  std::vector<double> next = makeRecord({memory.begin(), memory.end()});
  const bool isLater = record[kHasStarted] != 0.0 && isAfter(p.t, record);
  next[kHasStarted] = 1.0;
  next[kTime] = p.t;
  next[kStep] = isLater ? p.t - record[kTime] : record[kStep];
  next.insert(next.end(), after.begin(), after.end());
  record = std::move(next);
}

// A box that cannot be restored must not remember: neither at once, nor from one step to the next.
void ContinuousBox::compare(const BlockPorts<double>& p, std::vector<double>& record) const {
  if (!callTwice(p.t, p.u, {}, p.y)) return;
  std::vector<double> next{p.t};
  next.insert(next.end(), p.u.begin(), p.u.end());
  next.insert(next.end(), p.y.begin(), p.y.end());
  if (!record.empty()) {
    const Memory last(record);
    const Memory y = last.last(p.y.size());
    if (!runner_.output({record[0], {}, last.subspan(1, p.u.size()), p.y}, {})) return;
    if (!std::equal(y.begin(), y.end(), p.y.begin())) {
      static_cast<void>(failForMemory());
      return;
    }
  }
  record = std::move(next);
}

void ContinuousBox::calcIndicators(const BlockPorts<double>& p, double* values) const {
  // A box that cannot be restored has no branch and no such record.
  if (!runner_.canRestore()) return;
  values[0] = (*p.record)[kHasStarted] != 0.0 ? 1.0 : -1.0;
}

void ContinuousBox::switchBranches(const BlockPorts<double>& p, BlockMemory m) const {
  if (runner_.canRestore() && (*m.record)[kHasStarted] == 0.0) advance(p, *m.record);
}

}  // namespace flexloop::control
