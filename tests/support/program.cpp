#include "support/program.hpp"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::testing {
namespace {

void redirect(int stream, const std::string& file) {
  const int target = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (target < 0 || dup2(target, stream) < 0) std::_Exit(126);
}

pid_t start(std::vector<std::string> words, const std::string& folder, const std::string& out,
            const std::string& errors) {
  words.insert(words.begin(), test::programFile());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  redirect(STDOUT_FILENO, out);
  redirect(STDERR_FILENO, errors);
  if (chdir(folder.c_str()) == 0) execv(pointers.front(), pointers.data());
  std::_Exit(127);
}

double toSeconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

ProgramResult runProgram(const std::vector<std::string>& words, const std::string& folder) {
  const TemporaryFolder streams;
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = start(words, folder, streams.file("out"), streams.file("errors"));
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return {.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = readWhole(streams.file("out")),
          .errors = readWhole(streams.file("errors")),
          .seconds = elapsed.count(),
          .cpuSeconds = toSeconds(usage.ru_utime) + toSeconds(usage.ru_stime),
          .peakMegabytes = static_cast<double>(usage.ru_maxrss) / 1024.0};
}

pid_t startProgram(const std::vector<std::string>& words, const std::string& folder) {
  return start(words, folder, "/dev/null", "/dev/null");
}

}  // namespace flexloop::testing
