// What the program itself costs, its start included: modes from a hundred to hundreds of thousands of unknowns.
#pragma once

#include <string>
#include <vector>

namespace flexloop::bench {

struct ProgramCost {
  bool ok = false;
  double seconds = 0.0;     // by the clock
  double cpuSeconds = 0.0;  // the smallest of all repeats, as is the time by the clock
  double peakMegabytes = 0.0;
};

// `flexloop` stands beside this program. The words are its command and options.
ProgramCost runProgram(std::vector<std::string> words, int repeats);

struct ModesRow {
  int elements = 0;
  ProgramCost cost;
};

// A cantilever with an acceleration loop at its tip: 6 unknowns per element and 4.
std::vector<ModesRow> measureModes();

// One body: from the start of the program to its end. A beam pendulum of 160 elements, with every frame of every step
// recorded and with nothing recorded.
struct ProcessCost {
  ProgramCost check, run, silent, recorded;
};
ProcessCost measureProcess();

// The modes of 24 such cantilevers of 200 elements, one by one and as many at once as there are cores.
struct SweepCost {
  ProgramCost serial, parallel;
};
SweepCost measureSweep();

}  // namespace flexloop::bench
