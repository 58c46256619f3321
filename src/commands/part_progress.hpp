// Progress of long work on a part, and the user's wish to stop it.
#pragma once

#include "commands/console.hpp"
#include "linalg/symmetric/lowest_modes.hpp"
#include "results/progress.hpp"

namespace flexloop::commands {

class PartProgress {
 public:
  explicit PartProgress(const Console& console)
      : console_(console),
        progress_({.end = 1.0,
                   .stream = console.quiet ? nullptr : console.errors,
                   .isTerminal = console.isTerminal}) {}

  // To be called while this exists.
  linalg::Progress callback() {
    return [this](double fraction, const char* what) {
      progress_.update(fraction, what);
      return !console_.isStopRequested();
    };
  }
  void finish() { progress_.finish(); }

 private:
  const Console& console_;
  results::Progress progress_;
};

}  // namespace flexloop::commands
