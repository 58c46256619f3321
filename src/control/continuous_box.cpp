#include "control/continuous_box.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "control/box_memory.hpp"
#include "control/differences.hpp"
#include "control/slope_search.hpp"

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
    : runner_(std::move(runner)), again_(runner_.settings().outputs) {
  cache_.u.resize(runner_.settings().inputs);
  cache_.y.resize(runner_.settings().outputs);
  cache_.memory.reserve(kUsualMemory);
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
    const std::size_t call = 1 + cache_.u.size() + cache_.y.size();
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

// (16.12): at the time of the last call, that call is made again, so that time never stands still for
// the box.
ContinuousBox::Memory ContinuousBox::memoryAt(double t, const std::vector<double>& record) const {
  if (!runner_.canRestore()) return {};
  const Memory memories = Memory(record).subspan(kMemories);
  const auto before = static_cast<std::size_t>(record[kSizeBefore]);
  if (record[kHasStarted] == 0.0 || !isAfter(t, record)) return memories.first(before);
  return memories.subspan(before);
}

bool ContinuousBox::call(double t, std::span<const double> u, Memory memory,
                         std::span<double> y) const {
  if (runner_.canRestore() && !runner_.restore(memory)) {
    std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
    return false;
  }
  return runner_.output(t, u, y);
}

bool ContinuousBox::callTwice(double t, std::span<const double> u, Memory memory,
                              std::span<double> y) const {
  if (!call(t, u, memory, again_) || !call(t, u, memory, y)) return false;
  if (std::equal(y.begin(), y.end(), again_.begin())) return true;
  std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
  return failForMemory();
}

bool ContinuousBox::failForMemory() const {
  if (runner_.canRestore()) {
    return runner_.fail("gives another output after block_restore than before",
                        "block_save and block_restore must carry all that the output depends on; "
                        "none of it may be in static variables");
  }
  return runner_.fail(
      "has memory but no block_save and block_restore: the same inputs at the same time gave "
      "another output",
      "give it a 'sample:', or export both from the library");
}

bool ContinuousBox::isCached(double t, std::span<const double> u, Memory memory) const {
  return cache_.isFull && cache_.t == t &&
         std::equal(u.begin(), u.end(), cache_.u.begin(), cache_.u.end()) &&
         std::equal(memory.begin(), memory.end(), cache_.memory.begin(), cache_.memory.end());
}

void ContinuousBox::calc(const BlockPorts<double>& p) const {
  const Memory memory = memoryAt(p.t, *p.record);
  if (isCached(p.t, p.u, memory)) {
    std::copy(cache_.y.begin(), cache_.y.end(), p.y.begin());
    return;
  }
  cache_.isFull = isChecked_ ? call(p.t, p.u, memory, p.y) : callTwice(p.t, p.u, memory, p.y);
  isChecked_ = true;
  cache_.t = p.t;
  cache_.u.assign(p.u.begin(), p.u.end());
  cache_.memory.assign(memory.begin(), memory.end());
  cache_.y.assign(p.y.begin(), p.y.end());
}

void ContinuousBox::calcPartials(const BlockPorts<double>& p, Eigen::MatrixXd& J) const {
  const Memory memory = memoryAt(p.t, *p.record);
  std::vector<double> u(p.u.begin(), p.u.end());
  for (std::size_t c = 0; c < u.size(); ++c) {
    const double middle = u[c];
    const Slopes slopes = calcSlopes(middle, p.y.size(), [&](double value, std::span<double> y) {
      u[c] = value;
      if (runner_.canRestore()) {
        call(p.t, u, memory, y);
      } else {
        runner_.probe(p.t, u, y);
      }
    });
    u[c] = middle;
    std::copy(slopes.values.begin(), slopes.values.end(),
              J.col(static_cast<Eigen::Index>(c)).begin());
  }
}

void ContinuousBox::calcAlong(const BlockPorts<math::Taylor2>& p) const {
  const Memory memory = memoryAt(p.t.value, *p.record);
  std::vector<double> u(p.u.size());
  calcAlongPath(timeStepAlong(p.u), p.y, [&](double time, std::span<double> y) {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = valueAfter(p.u[i], time);
    call(p.t.value + time, u, memory, y);
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
  if (!call(p.t, p.u, memory, p.y) || !runner_.save(after)) return;
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
    if (!call(record[0], last.subspan(1, p.u.size()), {}, p.y)) return;
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

void ContinuousBox::switchModes(const BlockPorts<double>& p, BlockMemory m) const {
  if (runner_.canRestore() && (*m.record)[kHasStarted] == 0.0) advance(p, *m.record);
}

}  // namespace flexloop::control
