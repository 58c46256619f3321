#include "program_cost.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "problems.hpp"

namespace flexloop::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kKilobytesPerMegabyte = 1024.0;

double toSeconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

ProgramCost runOnce(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0) execv(pointers[0], pointers.data());
    std::_Exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, elapsed.count(),
          toSeconds(usage.ru_utime) + toSeconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) / kKilobytesPerMegabyte};
}

// A model file that is gone with it.
class ModelFile {
 public:
  explicit ModelFile(int elements) : ModelFile(makeCantilever(elements)) {}
  explicit ModelFile(const std::string& text)
      : path_(fs::temp_directory_path() /
              ("flexloop_bench_" + std::to_string(getpid()) + ".yaml")) {
    std::ofstream(path_) << text;
  }
  ~ModelFile() { fs::remove(path_); }
  ModelFile(const ModelFile&) = delete;
  ModelFile& operator=(const ModelFile&) = delete;

  std::string path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

ProgramCost runProgram(std::vector<std::string> words, int repeats) {
  words.insert(words.begin(), fs::read_symlink("/proc/self/exe").parent_path() / "flexloop");
  ProgramCost best = runOnce(words);
  for (int k = 1; k < repeats; ++k) {
    const ProgramCost cost = runOnce(words);
    best.ok = best.ok && cost.ok;
    best.seconds = std::min(best.seconds, cost.seconds);
    best.cpuSeconds = std::min(best.cpuSeconds, cost.cpuSeconds);
    best.peakMegabytes = std::max(best.peakMegabytes, cost.peakMegabytes);
  }
  return best;
}

std::vector<ModesRow> measureModes() {
  std::printf("\n%-22s %9s %9s %9s %9s %8s  %s\n", "modes with a loop", "elements", "unknowns",
              "CPU [s]", "clock [s]", "MB", "growth of CPU");
  std::vector<ModesRow> rows;
  for (const int elements : {16, 1000, 10000, 100000}) {
    const ModelFile file(elements);
    const int repeats = elements < 100 ? 20 : elements < 100000 ? 3 : 1;
    rows.push_back({elements, runProgram({"modes", file.path(), "--quiet"}, repeats)});
    const ProgramCost& cost = rows.back().cost;
    std::printf("%-22s %9d %9d %9.3f %9.3f %8.0f", cost.ok ? "" : "failed", elements,
                6 * elements + 4, cost.cpuSeconds, cost.seconds, cost.peakMegabytes);
    if (elements > 1000) {
      std::printf("  %.1f", cost.cpuSeconds / rows[rows.size() - 2].cost.cpuSeconds);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  return rows;
}

ProcessCost measureProcess() {
  const fs::path folder =
      fs::temp_directory_path() / ("flexloop_bench_" + std::to_string(getpid()));
  const std::string out = folder;
  ProcessCost cost;
  {
    const ModelFile top(makeHeavyTop("se3"));
    cost.check = runProgram({"check", top.path()}, 50);
    cost.run = runProgram({"run", top.path(), "--quiet", "--end", "0.01", "--out", out}, 50);
  }
  {
    const ModelFile pendulum(makeBeamPendulum(160, 1));
    const std::vector<std::string> words{"run", pendulum.path(), "--quiet", "--out", out, "--set"};
    const auto record = [&](const std::string& what) {
      std::vector<std::string> all = words;
      all.push_back("analysis.time.record=" + what);
      return runProgram(all, 5);
    };
    cost.silent = record("{every: 1000000, frames: false}");
    cost.recorded = record("{frames: true}");
  }
  fs::remove_all(folder);
  const bool ok = cost.check.ok && cost.run.ok && cost.silent.ok && cost.recorded.ok;
  std::printf("\nprocess: check of one body %.1f ms of CPU, %.0f MB; run of ten steps %.1f ms%s\n",
              1e3 * cost.check.cpuSeconds, cost.check.peakMegabytes, 1e3 * cost.run.cpuSeconds,
              ok ? "" : " (failed)");
  std::printf("recording all frames of 160 elements in every step: %.1f %% of the run without\n",
              100.0 * (cost.recorded.cpuSeconds / cost.silent.cpuSeconds - 1.0));
  return cost;
}

SweepCost measureSweep() {
  const ModelFile file(200);
  const std::vector<std::string> words{"sweep", file.path(), "--set",
                                       "materials.steel.rho=7000:9000:24", "--quiet"};
  std::vector<std::string> serial = words;
  serial.insert(serial.end(), {"--jobs", "1"});
  const SweepCost cost{runProgram(serial, 3), runProgram(words, 3)};
  std::printf(
      "\nmodes of 24 cantilevers: %.2f s by the clock one by one, %.2f s at once: %.2f times "
      "faster%s\n",
      cost.serial.seconds, cost.parallel.seconds, cost.serial.seconds / cost.parallel.seconds,
      cost.serial.ok && cost.parallel.ok ? "" : " (failed)");
  return cost;
}

}  // namespace flexloop::bench
