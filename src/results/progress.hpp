// How far a run has come, how fast it goes and when it will be done: a bar that redraws itself on a
// terminal, a line now and then elsewhere. The log gets the lines in both cases.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "base/log.hpp"

namespace flexloop::results {

struct ProgressOptions {
  double end = 0.0;                    // simulated time at which the run is done
  std::ostream* stream = nullptr;      // null: nothing is shown
  bool isTerminal = false;             // draw a bar instead of lines
  base::Log* log = nullptr;            // null: no log
  std::function<double()> clock = {};  // wall time in seconds; the system's unless given
};

class Progress {
 public:
  explicit Progress(ProgressOptions options);

  // Cheap enough to be called after every step. Work that is no simulation gives a word for what it does, and its share
  // as the time, of an end at 1.
  void update(double time, const char* task = nullptr);
  // Removes the bar, so that what follows starts on a clean line.
  void finish();
  double elapsed() const;

 private:
  std::string describe(double time, double wall) const;
  void drawBar(double time, double wall);

  const char* task_ = nullptr;

  ProgressOptions options_;
  double startWall_ = 0.0;
  double lastBar_ = 0.0;        // wall time
  double lastLine_ = 0.0;       // wall time
  double lastLineShare_ = 0.0;  // of the way
  std::size_t barLength_ = 0;   // characters on the screen
};

}  // namespace flexloop::results
