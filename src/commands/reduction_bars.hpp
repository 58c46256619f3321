// How far the reductions have come that take place while a command reads its model.
#pragma once

#include <optional>
#include <string>
#include <thread>

#include "commands/console.hpp"
#include "fem/parts/part_maker.hpp"
#include "results/progress.hpp"

namespace flexloop::commands {

// While it exists, on the thread that made it: work on other threads has a progress of its own.
class ReductionBars {
 public:
  explicit ReductionBars(const Console& console) : console_(console) {
    if (console.quiet) return;
    fem::watchReductions([this](const std::string& part, double share, const char* what) {
      if (std::this_thread::get_id() == thread_) update(part, share, what);
    });
  }
  ~ReductionBars() { fem::watchReductions({}); }
  ReductionBars(const ReductionBars&) = delete;
  ReductionBars& operator=(const ReductionBars&) = delete;

 private:
  void update(const std::string& part, double share, const char* what) {
    if (what == nullptr) {
      if (bar_) bar_->finish();
      bar_.reset();
      return;
    }
    if (!bar_) {
      bar_.emplace(results::ProgressOptions{
          .end = 1.0, .stream = console_.errors, .isTerminal = console_.isTerminal});
    }
    bar_->update(share, ("part '" + part + "': " + what).c_str());
  }

  const Console& console_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::optional<results::Progress> bar_;
};

}  // namespace flexloop::commands
