#include "measurement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <cblas.h>

#include "api/registry.hpp"
#include "language/model_reader.hpp"
#include "model/build.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/time/time_stepper.hpp"
#include "system/assembler.hpp"

namespace flexloop::bench {

namespace {

constexpr double kKilobytesPerMegabyte = 1024.0;

double cpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

bool runOnce(const model::Model& model, int mostSteps, Measurement& result) {
  const model::TimeSettings& settings = *model.time();
  const solve::MachineLoan machine = model.borrowMachine();
  system::State state = model.system().start();
  solve::StepperOptions options;
  options.scheme = settings.scheme;
  options.tolerance = settings.newtonTolerance;
  solve::TimeStepper stepper(*machine, options, state);
  if (!solve::makeConsistent(*machine, state).ok()) return false;
  stepper.start(state, settings.step);
  result.steps = std::min(static_cast<int>(std::lround(settings.end / settings.step)), mostSteps);
  long iterations = 0, factorizations = 0;
  const double begin = cpuSeconds();
  for (int k = 0; k < result.steps; ++k) {
    const solve::StepReport report = stepper.step(state, settings.step);
    if (!report.converged()) return false;
    iterations += report.iterations;
    factorizations += report.factorizations;
  }
  const double perStep = 1e6 * (cpuSeconds() - begin) / result.steps;
  result.microsecondsPerStep = result.ok ? std::min(result.microsecondsPerStep, perStep) : perStep;
  result.iterationsPerStep = static_cast<double>(iterations) / result.steps;
  result.factorizationsPerStep = static_cast<double>(factorizations) / result.steps;
  result.unknowns = model.system().unknowns();
  std::vector<double> tip;
  model.outputs().calc(machine->assembler().calcMotion(state), tip);
  std::copy_n(tip.begin(), 3, result.tip.begin());
  return true;
}

Measurement measureHere(const std::string& modelText, int repeats, int mostSteps) {
  openblas_set_num_threads(1);
  const system::Registry registry = api::makeRegistry();
  const model::Model model =
      model::buildModel(language::readModelText(modelText, "benchmark", registry), registry);
  Measurement result;
  for (int k = 0; k < repeats; ++k) result.ok = runOnce(model, mostSteps, result);
  return result;
}

}  // namespace

Measurement measure(const std::string& modelText, int repeats, int mostSteps) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const Measurement result = measureHere(modelText, repeats, mostSteps);
    const bool written = write(ends[1], &result, sizeof result) == sizeof result;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Measurement result;
  const bool received = read(ends[0], &result, sizeof result) == sizeof result;
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  result.peakMegabytes = static_cast<double>(usage.ru_maxrss) / kKilobytesPerMegabyte;
  result.ok = result.ok && received;
  return result;
}

double calibrate() {
  // The very command that calibrated the peers, so that the ratio needs no further assumption.
  constexpr const char* kCommand =
      "OPENBLAS_NUM_THREADS=1 /usr/bin/python3 -c '"
      "import numpy, time\n"
      "g = numpy.random.default_rng(0); A = g.standard_normal((3000, 3000)); b = "
      "g.standard_normal(3000)\n"
      "best = 1e9\n"
      "for k in range(3):\n"
      "    t = time.process_time(); numpy.linalg.solve(A, b); best = min(best, time.process_time() "
      "- t)\n"
      "print(best)'";
  double seconds = NAN;
  FILE* output = popen(kCommand, "r");
  if (output == nullptr) return seconds;
  if (std::fscanf(output, "%lf", &seconds) != 1) seconds = NAN;
  pclose(output);
  return seconds;
}

}  // namespace flexloop::bench
