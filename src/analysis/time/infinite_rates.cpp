#include "analysis/time/infinite_rates.hpp"

#include <cstdio>

#include "control/sources/source.hpp"
#include "control/sources/source_jumps.hpp"

namespace flexloop::analysis {
namespace {

// An equation with the signal besides its own; -1 if there is none.
int findUser(const linalg::SparseMatrix& pattern, int signal) {
  for (linalg::SparseMatrix::InnerIterator entry(pattern, signal); entry; ++entry) {
    if (entry.row() != signal) return static_cast<int>(entry.row());
  }
  return -1;
}

}  // namespace

std::optional<base::Failure> describeInfiniteRate(const system::Assembler& assembler, double from,
                                                  double to) {
  const system::System& system = assembler.system();
  for (const auto& set : system.sets()) {
    const auto* sources = dynamic_cast<const control::SourceSet*>(set.get());
    if (sources == nullptr) continue;
    for (int e = 0; e < sources->size(); ++e) {
      const auto* rate = dynamic_cast<const control::RateOf*>(&sources->function(e));
      if (rate == nullptr) continue;
      const int user = findUser(assembler.pattern(), sources->scalar(e, 0).value);
      if (user < 0) continue;
      const std::optional<double> jump = control::findJump(rate->function(), from, to);
      if (!jump) continue;
      char time[48];
      std::snprintf(time, sizeof time, "%.6g s", *jump);
      return base::numericalFailure(
          "'" + system.equationName(system::UnknownIndex{user}) + "' uses '" + sources->name(e) +
              "', which is infinite where its source jumps, at t = " + time,
          "give the pid a 'filter', such as 'filter: 1 ms', or exclude the reference from its "
          "derivative with 'c: 0'; or use a source without jumps (s_curve, ramp, table)");
    }
  }
  return {};
}

}  // namespace flexloop::analysis
