// Simulates a controlled mass, then raises the integral gain until its loop is unstable.
#include <cstdio>
#include <flexloop/flexloop.hpp>

int main(int count, char** words) {
  if (count < 2) return std::printf("usage: %s models/pid_integral/model.yaml\n", words[0]), 2;
  try {
    flexloop::Model model = flexloop::Model::load(words[1]);
    const flexloop::Run run = model.run({.end = 2.0});
    std::printf("x is %.6f m after %g s\n", run["x"].back(), run.times.back());
    for (const double ki : {80.0, 160.0, 320.0}) {
      model.set("ki", ki);
      const flexloop::Modes found = model.modes();
      const bool isStable = found.verdict == flexloop::Modes::Verdict::kStable;
      std::printf("ki = %3g is %s:", ki, isStable ? "stable" : "unstable");
      for (const flexloop::Mode& mode : found.modes) {
        std::printf("  %.6f Hz, damping %.6f", mode.frequencyHz, mode.dampingRatio);
      }
      std::printf("\n");
    }
  } catch (const flexloop::Error& error) {
    std::fprintf(stderr, "%s\n%s\n", error.what(), error.hint().c_str());
    return static_cast<int>(error.kind());
  }
}
