// Runs a harness over its samples and over random changes of them (README.md):
//
//     flexloop_fuzz NAME [--runs N | --seconds S] [--seed K] [--keep FOLDER] FOLDER_OR_FILE…
//
// Where the readers are built with -fsanitize-coverage=trace-pc (`make fuzz`), bytes that lead to places in the code
// where none led before become samples too. The bytes that end the process are left in `crash-NAME`.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/time.h>
#include <unistd.h>

#include "harness.hpp"
#include "mutator.hpp"

namespace flexloop::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr Harness kHarnesses[] = {{"model", runModel},
                                  {"result", runResult},
                                  {"checkpoint", runCheckpoint},
                                  {"mesh", runMesh},
                                  {"part_mesh", runPartMesh},
                                  {"record", runRecord},
                                  {"request", runRequest},
                                  {"table", runTable},
                                  {"lpv", runLpv},
                                  {"part_file", runPartFile},
                                  {"controller", runController},
                                  {"tyre", runTyre},
                                  {"robot", runRobot},
                                  {"wrap", runWrap},
                                  {"fmu", runFmu},
                                  {"fmu_description", runFmuDescription},
                                  {"fmu_state", runFmuState}};
constexpr int kLongestRun = 20;  // [s] of computing, after which bytes count as hanging

const std::string* current = nullptr;
std::string crashFile;

void saveCurrent() {
  if (current == nullptr) return;
  const int file = open(crashFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  const ssize_t written = write(file, current->data(), current->size());
  static_cast<void>(written);
  close(file);
  constexpr char kText[] = "\nThe bytes are in crash-NAME of this folder.\n";
  static_cast<void>(!write(STDERR_FILENO, kText, sizeof(kText) - 1));
}

void onSignal(int signal) {
  saveCurrent();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::string readFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

struct Options {
  const Harness* harness = nullptr;
  std::uint64_t runs = 0, seed = 1;
  double seconds = 0.0;
  std::string keep;
  std::vector<std::string> samples;
};

void addSamples(const fs::path& path, std::vector<std::string>& samples) {
  if (!fs::is_directory(path)) return samples.push_back(readFile(path));
  std::vector<fs::path> files;  // in an order that does not depend on the folder
  for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) samples.push_back(readFile(file));
}

Options readOptions(int count, char** words) {
  Options options;
  for (const Harness& harness : kHarnesses) {
    if (count > 1 && std::strcmp(words[1], harness.name) == 0) options.harness = &harness;
  }
  if (options.harness == nullptr) {
    std::fprintf(stderr,
                 "usage: flexloop_fuzz NAME [--runs N | --seconds S] [--seed K] "
                 "[--keep FOLDER] FOLDER_OR_FILE...\n");
    std::exit(2);
  }
  for (int i = 2; i < count; ++i) {
    const std::string word = words[i];
    const char* value = i + 1 < count ? words[i + 1] : "";
    if (word.starts_with("--")) ++i;
    if (word == "--runs") {
      options.runs = std::strtoull(value, nullptr, 10);
    } else if (word == "--seed") {
      options.seed = std::strtoull(value, nullptr, 10);
    } else if (word == "--seconds") {
      options.seconds = std::strtod(value, nullptr);
    } else if (word == "--keep") {
      options.keep = value;
    } else {
      addSamples(word, options.samples);
    }
  }
  return options;
}

}  // namespace

// Places that were reached, by pairs that follow each other.
constexpr std::size_t kPlaces = std::size_t{1} << 16;
unsigned char reached[kPlaces];
thread_local std::uintptr_t lastPlace = 0;
bool isNew = false;

namespace {

// Not by the clock: others may use the machine.
void limitComputing(int seconds) {
  const itimerval limit{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

// Whether it led anywhere new.
bool runOne(const Harness& harness, const std::string& bytes) {
  current = &bytes;
  isNew = false;
  lastPlace = 0;
  limitComputing(kLongestRun);
  harness.run(bytes);
  limitComputing(0);
  current = nullptr;
  return isNew;
}

void keep(const Options& options, const std::string& bytes) {
  if (options.keep.empty()) return;
  fs::create_directories(options.keep);
  const std::string name = std::to_string(std::hash<std::string>()(bytes));
  std::ofstream(fs::path(options.keep) / name, std::ios::binary) << bytes;
}

int fuzz(Options options) {
  crashFile = std::string("crash-") + options.harness->name;
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGPROF}) {
    std::signal(signal, onSignal);
  }
  std::vector<std::string> samples = makeSamples(options.harness->name);
  samples.insert(samples.end(), options.samples.begin(), options.samples.end());
  if (samples.empty()) {
    std::fprintf(stderr, "there are no samples\n");
    return 2;
  }
  for (const std::string& sample : samples) runOne(*options.harness, sample);
  const std::size_t given = samples.size();
  Mutator mutator(options.seed);
  const auto start = Clock::now();
  std::uint64_t runs = 0;
  const auto isDue = [&] {
    if (options.seconds <= 0.0) return runs < options.runs;
    return std::chrono::duration<double>(Clock::now() - start).count() < options.seconds;
  };
  for (; isDue(); ++runs) {
    std::string bytes = mutator.make(samples);
    if (!runOne(*options.harness, bytes)) continue;
    keep(options, bytes);
    samples.push_back(std::move(bytes));
  }
  std::printf("%s: samples %zu, changed %llu, led to new places %zu\n", options.harness->name,
              given, static_cast<unsigned long long>(runs), samples.size() - given);
  return 0;
}

}  // namespace
}  // namespace flexloop::fuzz

// Called by the code of the readers at every branch.
extern "C" __attribute__((visibility("default"))) void __sanitizer_cov_trace_pc() {
  using namespace flexloop::fuzz;
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  unsigned char& mark = reached[(place ^ lastPlace) % kPlaces];
  isNew = isNew || mark == 0;
  mark = 1;
  lastPlace = place >> 1;
}

// ASan ends the process without a signal.
extern "C" void __asan_set_death_callback(void (*callback)()) __attribute__((weak));
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=4096:allocator_may_return_null=0:detect_stack_use_after_return=1";
}

int main(int count, char** words) {
  if (__asan_set_death_callback != nullptr) {
    __asan_set_death_callback(flexloop::fuzz::saveCurrent);
  }
  return flexloop::fuzz::fuzz(flexloop::fuzz::readOptions(count, words));
}
