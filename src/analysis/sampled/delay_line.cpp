#include "analysis/sampled/delay_line.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace flexloop::analysis {
namespace {

using linalg::SparseMatrix;
using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

constexpr double kSameInstant = 1e-6;  // of the shortest time between two instants
constexpr std::size_t kMostInstants = 10000;
constexpr int kLongest = 1000;

// Follows signals through the pencil.
class SignalWalk {
 public:
  SignalWalk(const LinearModel& linear, const system::System& system,
             const std::vector<SampledPorts>& blocks)
      : linear_(linear), system_(system), blocks_(blocks) {
    rows_ = {linear.pencil.K, linear.pencil.C, linear.pencil.M};
  }

  // Whether a signal depends on held outputs and on nothing else at the same time; then on those of which clocks and
  // delays.
  bool isHeld(int signal, DelayLine& line) const {
    std::set<int> seen;
    return isHeld(signal, line, seen);
  }

  // Whether nothing but sampled blocks reads a signal, at once or by other signals; then those of which clocks.
  bool isOnlySampled(int signal, DelayLine& line) const {
    std::set<int> reached{signal};
    std::vector<int> open{signal};
    while (!open.empty()) {
      const int column = open.back();
      open.pop_back();
      if (hasEntries(linear_.pencil.C, column) || hasEntries(linear_.pencil.M, column))
        return false;
      for (SparseMatrix::InnerIterator it(linear_.pencil.K, column); it; ++it) {
        const int row = static_cast<int>(it.row());
        if (it.value() == 0.0 || !reached.insert(row).second) continue;
        if (!isSignal(row)) return false;
        open.push_back(row);
      }
    }
    const auto isReached = [&](int u) { return reached.contains(u); };
    for (const linalg::DelayTerm& delay : linear_.delays) {
      if (isReached(delay.column)) return false;
    }
    for (const SampledPorts& block : blocks_) {
      if (std::any_of(block.inputs.begin(), block.inputs.end(), isReached)) {
        line.clocks[block.clock] = true;
      }
    }
    return true;
  }

 private:
  bool isHeld(int signal, DelayLine& line, std::set<int>& seen) const {
    if (!seen.insert(signal).second) return true;
    for (const SampledPorts& block : blocks_) {
      if (std::find(block.outputs.begin(), block.outputs.end(), signal) == block.outputs.end()) {
        continue;
      }
      line.clocks[block.clock] = true;
      return true;
    }
    for (std::size_t j = 0; j < linear_.delays.size(); ++j) {
      if (linear_.delays[j].row != signal) continue;
      line.sources.push_back(static_cast<int>(j));
      return true;  // if that delay is held; the caller orders them
    }
    if (!isSignal(signal)) return false;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      for (RowMatrix::InnerIterator it(rows_[k], signal); it; ++it) {
        if (it.value() == 0.0) continue;
        if (k > 0 || !isHeld(static_cast<int>(it.col()), line, seen)) return false;
      }
    }
    return true;
  }

  bool isSignal(int unknown) const {
    const int u = linear_.unknowns[unknown];
    return u >= 0 && system_.kinds()[u] == system::Kind::kSignal;
  }

  static bool hasEntries(const SparseMatrix& matrix, int column) {
    for (SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
      if (it.value() != 0.0) return true;
    }
    return false;
  }

  const LinearModel& linear_;
  const system::System& system_;
  const std::vector<SampledPorts>& blocks_;
  std::vector<RowMatrix> rows_;  // K, C, M
};

// An instant at which a number goes into a line or comes out.
struct Mark {
  double time = 0.0;
  int instant = -1;  // of the new cycle
};

struct Passage {
  int line = 0;
  Mark in, out;
};

class CycleBuilder {
 public:
  CycleBuilder(std::vector<DelayLine>& lines, SampleCycle& cycle) : lines_(lines), cycle_(cycle) {
    double shortest = cycle.period;
    for (const SampleInstant& instant : cycle.instants) {
      shortest = std::min(shortest, instant.wait);
    }
    same_ = kSameInstant * shortest;
  }

  void build() {
    for (int j = 0; j < static_cast<int>(lines_.size()); ++j) addPassages(j);
    if (passages_.size() > kMostInstants) {
      fail("the delays add more than 10000 instants to the cycle of all clocks");
      return;
    }
    mergeInstants();
    for (const Passage& passage : passages_) {
      auto& entries = cycle_.instants[passage.in.instant].entries;
      if (std::find(entries.begin(), entries.end(), passage.line) == entries.end()) {
        entries.push_back(passage.line);
      }
    }
    for (const Passage& passage : passages_) addArrival(passage);
    const auto first =
        std::find_if(cycle_.instants.begin(), cycle_.instants.end(), [](const SampleInstant& i) {
          return std::find(i.dueClocks.begin(), i.dueClocks.end(), true) != i.dueClocks.end();
        });
    std::rotate(cycle_.instants.begin(), first, cycle_.instants.end());
  }

 private:
  double wrap(double time) const {
    double wrapped = std::fmod(time, cycle_.period);
    if (wrapped < 0.0) wrapped += cycle_.period;
    return cycle_.period - wrapped < same_ ? 0.0 : wrapped;
  }

  // (25.15) and (25.16)
  void addPassages(int j) {
    const DelayLine& line = lines_[j];
    std::vector<double> times;
    for (const SampleInstant& instant : cycle_.instants) {
      bool isDue = false;
      for (std::size_t c = 0; c < line.clocks.size(); ++c) {
        isDue = isDue || (line.clocks[c] && instant.dueClocks[c]);
      }
      if (isDue) times.push_back(instant.time);
    }
    const std::vector<Passage> before = passages_;
    for (const Passage& passage : before) {
      const auto& sources = line.sources;
      if (std::find(sources.begin(), sources.end(), passage.line) != sources.end()) {
        times.push_back(passage.out.time);
      }
    }
    for (const double time : times) {
      const double in = line.isHeld ? time : time - line.delay;
      passages_.push_back({j, {wrap(in)}, {wrap(in + line.delay)}});
    }
  }

  void mergeInstants() {
    std::vector<SampleInstant> all = std::move(cycle_.instants);
    const std::size_t clocks = all[0].dueClocks.size();
    for (const Passage& passage : passages_) {
      all.push_back({passage.in.time, 0.0, std::vector<bool>(clocks, false)});
      all.push_back({passage.out.time, 0.0, std::vector<bool>(clocks, false)});
    }
    std::stable_sort(all.begin(), all.end(), [](const SampleInstant& a, const SampleInstant& b) {
      return a.time < b.time;
    });
    std::vector<SampleInstant>& merged = cycle_.instants;
    merged.clear();
    for (SampleInstant& instant : all) {
      if (merged.empty() || instant.time - merged.back().time > same_) {
        merged.push_back(std::move(instant));
        continue;
      }
      for (std::size_t c = 0; c < clocks; ++c) {
        if (instant.dueClocks[c]) merged.back().dueClocks[c] = true;
      }
    }
    for (std::size_t i = 0; i < merged.size(); ++i) {
      const bool isLast = i + 1 == merged.size();
      const double next = isLast ? cycle_.period + merged[0].time : merged[i + 1].time;
      merged[i].wait = next - merged[i].time;
    }
    for (Passage& passage : passages_) {
      for (Mark* mark : {&passage.in, &passage.out}) mark->instant = findInstant(mark->time);
    }
  }

  int findInstant(double time) const {
    const auto& all = cycle_.instants;
    const auto after =
        std::upper_bound(all.begin(), all.end(), time,
                         [](double t, const SampleInstant& instant) { return t < instant.time; });
    return static_cast<int>(after - all.begin()) - 1;
  }

  // The number that comes out is the one that went in before, so many entries ago.
  void addArrival(const Passage& passage) {
    DelayLine& line = lines_[passage.line];
    auto& arrivals = cycle_.instants[passage.out.instant].arrivals;
    for (const SampleInstant::Arrival& known : arrivals) {
      if (known.line == passage.line) return;
    }
    const auto cycles = static_cast<int>(
        std::llround((passage.in.time + line.delay - passage.out.time) / cycle_.period));
    int perCycle = 0, before = 0, upTo = 0;
    for (int i = 0; i < static_cast<int>(cycle_.instants.size()); ++i) {
      const auto& entries = cycle_.instants[i].entries;
      if (std::find(entries.begin(), entries.end(), passage.line) == entries.end()) continue;
      ++perCycle;
      if (i < passage.in.instant) ++before;
      if (i < passage.out.instant) ++upTo;
    }
    const int age = cycles * perCycle + upTo - before;
    arrivals.push_back({passage.line, age});
    line.length = std::max(line.length, age);
    if (age < 1) fail("a delay is too short to be distinguished from zero");
    if (age > kLongest) fail("a delay is longer than 1000 sampling periods of its input");
  }

  void fail(const char* message) {
    cycle_.failure = base::numericalFailure(message, "give it a Padé approximation ('pade: 4')");
  }

  std::vector<DelayLine>& lines_;
  SampleCycle& cycle_;
  double same_ = 0.0;
  std::vector<Passage> passages_;
};

// Lines with held inputs in an order in which each comes after its sources; nothing if there is none.
bool sortLines(std::vector<DelayLine>& lines) {
  std::vector<int> place(lines.size(), -1);
  std::vector<DelayLine> sorted;
  while (sorted.size() < lines.size()) {
    const std::size_t before = sorted.size();
    for (std::size_t j = 0; j < lines.size(); ++j) {
      const auto isThere = [&](int source) { return place[source] >= 0; };
      const auto& sources = lines[j].sources;
      if (place[j] >= 0 || !std::all_of(sources.begin(), sources.end(), isThere)) continue;
      place[j] = static_cast<int>(sorted.size());
      sorted.push_back(lines[j]);
      for (int& source : sorted.back().sources) source = place[source];
    }
    if (sorted.size() == before) return false;
  }
  lines = std::move(sorted);
  return true;
}

}  // namespace

DelayLines findDelayLines(const LinearModel& linear, const system::System& system,
                          const std::vector<SampledPorts>& blocks) {
  DelayLines found;
  const SignalWalk walk(linear, system, blocks);
  const auto reject = [&](const linalg::DelayTerm& delay) {
    found.failure = base::numericalFailure(
        "in a machine with sampled blocks, the delay of " +
            system.unknownName({linear.unknowns[delay.row]}) +
            " is in a loop of signals that are not held; its modes cannot be found",
        "give it a Padé approximation ('pade: 4'), delay the output of a sampled block, or let "
        "only sampled blocks read the delayed signal");
    return found;
  };
  for (const linalg::DelayTerm& delay : linear.delays) {
    DelayLine line{delay.column, delay.row, -delay.factor, delay.delay};
    line.clocks.assign(system.clocks().size(), false);
    line.isHeld = walk.isHeld(delay.column, line);
    if (!line.isHeld) {
      line.clocks.assign(system.clocks().size(), false);
      line.sources.clear();
      if (!walk.isOnlySampled(delay.row, line)) return reject(delay);
    }
    found.lines.push_back(std::move(line));
  }
  for (std::size_t j = 0; j < found.lines.size(); ++j) {
    for (const int source : found.lines[j].sources) {
      if (!found.lines[source].isHeld) return reject(linear.delays[j]);
    }
  }
  if (!sortLines(found.lines)) return reject(linear.delays[0]);
  return found;
}

std::vector<bool> findHoldingClocks(const LinearModel& linear, const system::System& system,
                                    const std::vector<SampledPorts>& blocks, int signal) {
  DelayLine line;
  line.clocks.assign(system.clocks().size(), false);
  const bool isHeld = SignalWalk(linear, system, blocks).isHeld(signal, line);
  if (!isHeld || !line.sources.empty()) return {};
  return line.clocks;
}

std::vector<bool> findReadingClocks(const LinearModel& linear, const system::System& system,
                                    const std::vector<SampledPorts>& blocks, int signal) {
  DelayLine line;
  line.clocks.assign(system.clocks().size(), false);
  if (!SignalWalk(linear, system, blocks).isOnlySampled(signal, line)) return {};
  return line.clocks;
}

void addDelayLines(std::vector<DelayLine>& lines, SampleCycle& cycle) {
  if (!lines.empty()) CycleBuilder(lines, cycle).build();
}

}  // namespace flexloop::analysis
