#include "results/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>
#include <utility>

#include "base/text_format.hpp"

namespace flexloop::results {
namespace {

constexpr double kBarInterval = 0.1;   // seconds between two drawings
constexpr double kLineInterval = 3.0;  // at least, between two lines
constexpr double kLineShare = 0.1;     // of the way between two lines ...
constexpr double kLongSilence = 60.0;  // ... unless it takes longer than this
constexpr int kBarWidth = 30;

double systemClock() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace

Progress::Progress(ProgressOptions options) : options_(std::move(options)) {
  if (!options_.clock) options_.clock = systemClock;
  startWall_ = lastBar_ = lastLine_ = options_.clock();
}

double Progress::elapsed() const {
  return options_.clock() - startWall_;
}

std::string Progress::describe(double time, double wall) const {
  const double share = time / options_.end;
  const std::string left =
      base::formatDuration(wall * (1.0 - share) / std::max(share, 1e-12)) + " left";
  if (task_ != nullptr)
    return base::formatText("%3.0f %%  %s  %s", 100.0 * share, task_, left.c_str());
  const double speed = time / std::max(wall, 1e-9);
  return base::formatText("%3.0f %%  t = %.4g s  %.3g x real time  %s", 100.0 * share, time, speed,
                          left.c_str());
}

void Progress::drawBar(double time, double wall) {
  const int filled = static_cast<int>(std::lround(kBarWidth * std::min(time / options_.end, 1.0)));
  std::string text = "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] " +
                     describe(time, wall);
  const std::size_t length = text.size();
  if (length < barLength_) text.append(barLength_ - length, ' ');
  barLength_ = length;
  *options_.stream << '\r' << text << std::flush;
}

void Progress::update(double time, const char* task) {
  task_ = task;
  const double now = options_.clock();
  const double wall = now - startWall_;
  if (options_.stream != nullptr && options_.isTerminal && now - lastBar_ >= kBarInterval) {
    lastBar_ = now;
    drawBar(time, wall);
  }
  const double silence = now - lastLine_;
  const double share = time / options_.end;
  const bool due = silence >= kLineInterval && share - lastLineShare_ >= kLineShare;
  if (!due && silence < kLongSilence) return;
  lastLine_ = now;
  lastLineShare_ = share;
  const std::string line = describe(time, wall);
  if (options_.stream != nullptr && !options_.isTerminal) *options_.stream << line << std::endl;
  if (options_.log != nullptr) options_.log->info(line);
}

void Progress::finish() {
  if (barLength_ == 0) return;
  *options_.stream << '\r' << std::string(barLength_, ' ') << '\r' << std::flush;
  barLength_ = 0;
}

}  // namespace flexloop::results
