// `make bench`: the table and JSON of the reference problems, in ratio to peers that were measured with
// the same calibration; `flexloop_bench --rows TEXT [STEPS]` measures the rows alone whose problem and size, as `P1 beam pendulum 10`,
// contain a text, if need be with fewer steps; `flexloop_bench --modes` gives the cost of modes alone,
// `--process` that of the start of the program and of recording, `--parts` that of modes of solid blocks. `flexloop_bench --micro` runs the kernels alone, with Google Benchmark's options.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "measurement.hpp"
#include "part_cost.hpp"
#include "problems.hpp"
#include "program_cost.hpp"

namespace flexloop::bench {
namespace {

// Peers' CPU microseconds per step in the quiet pass, one thread, whose calibration took 0.506 s.
constexpr double kPeerCalibration = 0.506;

struct Row {
  std::string problem;
  int size;
  int order;
  std::string model;
  int repeats;
  double peer;  // best peer, microseconds per step; 0: none was measured
  std::string peerName;
  double step = 0.0;  // s, of a row that is compared with real time
  Measurement result{};
};

Row makeBeamRow(int elements, double peer) {
  return {"P1 beam pendulum",
          elements,
          1,
          makeBeamPendulum(elements, 1),
          elements > 100 ? 2 : 5,
          peer,
          peer > 0.0 ? "MBDyn, modified Newton" : ""};
}

Row makePartRow(int modes) {
  return {"P1 stiffer, modes", modes, 0, makePartPendulum(modes), 5, 0, ""};
}

Row makeChainRow(int links, ChainAxes axes, double peer) {
  const bool planar = axes == ChainAxes::kPlanar;
  return {planar ? "P2 chain, planar" : "P2 chain, spatial",
          links,
          0,
          makeRigidChain(links, axes),
          links > 100 ? 1 : 3,
          peer,
          peer > 0.0 ? "Chrono" : ""};
}

// A shipped model, by its file, with steps of 10 ms.
Row makeCarRow(const std::string& problem, const std::string& file) {
  const std::string path = std::string(FLEXLOOP_SOURCE_DIR) + "/models/" + file;
  return {problem, 4, 0, "flexloop: 1\ninclude: " + path + "\n", 3, 0, "", 0.01};
}

std::vector<Row> makeRows() {
  return {makeBeamRow(10, 70),
          makeBeamRow(40, 315),
          makeBeamRow(160, 1663),
          makeBeamRow(640, 0),
          {"P1 stiffer", 20, 1, makeStiffBeamPendulum(20), 5, 0, ""},
          makePartRow(30),
          makePartRow(100),
          makeChainRow(10, ChainAxes::kPlanar, 89),
          makeChainRow(100, ChainAxes::kPlanar, 921),
          makeChainRow(1000, ChainAxes::kPlanar, 13269),
          makeChainRow(10000, ChainAxes::kPlanar, 0),
          makeChainRow(100, ChainAxes::kSpatial, 1128),
          {"P3 heavy top, SE(3)", 1, 0, makeHeavyTop("se3"), 5, 10.0, "MBDyn, ms 0.6"},
          {"P3 heavy top, R3xSO3", 1, 0, makeHeavyTop("r3xso3"), 5, 10.0, "MBDyn, ms 0.6"},
          {"P4 pendulum, 50 blocks", 160, 1, makeControlledPendulum(160), 2, 0, ""},
          {"P5 blocks alone", 10000, 0, makeDiagram(10000), 1, 0, ""},
          makeCarRow("car, linear dampers", "car/model.yaml"),
          makeCarRow("car, semi-active", "car_semiactive/equations.yaml")};
}

// The meshes of the work-precision figure, with a step whose own error is below theirs.
constexpr const char* kFineStep = "0.25 ms";
std::vector<Row> makePrecisionRows() {
  std::vector<Row> rows;
  for (const int order : {1, 2, 3}) {
    for (const int nodes : {6, 12, 24, 48, 96}) {
      const int elements = nodes / order;
      rows.push_back({"P1 precision", elements, order, makeBeamPendulum(elements, order, kFineStep),
                      1, 0, ""});
    }
  }
  return rows;
}

void printRow(const Row& row, double calibration) {
  const Measurement& m = row.result;
  if (!m.ok) {
    std::printf("%-22s %6d  failed\n", row.problem.c_str(), row.size);
    return;
  }
  std::printf("%-22s %6d %10.1f %8.2f %8.3f %8.1f", row.problem.c_str(), row.size,
              m.microsecondsPerStep, m.iterationsPerStep, m.factorizationsPerStep, m.peakMegabytes);
  if (row.step > 0.0) std::printf("  %6.1fx  real time", 1e6 * row.step / m.microsecondsPerStep);
  if (row.peer > 0.0) {
    const double ratio = row.peer / kPeerCalibration / (m.microsecondsPerStep / calibration);
    std::printf("  %6.1fx  %s", ratio, row.peerName.c_str());
  }
  std::printf("\n");
}

void writeJson(std::ofstream& file, const std::vector<Row>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const Measurement& m = row.result;
    file << "    {\"problem\": \"" << row.problem << "\", \"size\": " << row.size
         << ", \"order\": " << row.order << ", \"ok\": " << (m.ok ? "true" : "false")
         << ", \"unknowns\": " << m.unknowns << ", \"us_per_step\": " << m.microsecondsPerStep
         << ", \"iterations_per_step\": " << m.iterationsPerStep
         << ", \"factorizations_per_step\": " << m.factorizationsPerStep
         << ", \"peak_mb\": " << m.peakMegabytes << ", \"steps\": " << m.steps << ", \"tip\": ["
         << m.tip[0] << ", " << m.tip[1] << ", " << m.tip[2] << "]}"
         << (i + 1 < rows.size() ? ",\n" : "\n");
  }
}

void writeJson(std::ofstream& file, const std::vector<ModesRow>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ProgramCost& cost = rows[i].cost;
    file << "    {\"elements\": " << rows[i].elements
         << ", \"ok\": " << (cost.ok ? "true" : "false") << ", \"cpu_s\": " << cost.cpuSeconds
         << ", \"clock_s\": " << cost.seconds << ", \"peak_mb\": " << cost.peakMegabytes << "}"
         << (i + 1 < rows.size() ? ",\n" : "\n");
  }
}

void writeJson(std::ofstream& file, const std::vector<BlockRow>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ProgramCost& cost = rows[i].cost;
    file << "    {\"freedoms\": " << rows[i].freedoms
         << ", \"ok\": " << (cost.ok ? "true" : "false") << ", \"cpu_s\": " << cost.cpuSeconds
         << ", \"calculix_cpu_s\": " << rows[i].peerSeconds
         << ", \"peak_mb\": " << cost.peakMegabytes << "}" << (i + 1 < rows.size() ? ",\n" : "\n");
  }
}

void printHead() {
  std::printf("%-22s %6s %10s %8s %8s %8s  %s\n", "problem", "size", "us/step", "its", "fact.",
              "MB", "faster than the best implicit peer");
}

// Without calibration there are no ratios to peers.
int runRows(const std::string& text, int mostSteps) {
  printHead();
  for (Row& row : makeRows()) {
    if ((row.problem + " " + std::to_string(row.size)).find(text) == std::string::npos) continue;
    row.peer = 0.0;
    row.result = measure(row.model, row.repeats, mostSteps);
    printRow(row, 1.0);
    std::fflush(stdout);
  }
  return 0;
}

int runTable() {
  const double before = calibrate();
  std::printf("calibration: dense 3000 solve in %.3f s of CPU (peers' quiet pass: %.3f s)\n\n",
              before, kPeerCalibration);
  printHead();
  std::vector<Row> rows = makeRows();
  for (Row& row : rows) {
    row.result = measure(row.model, row.repeats);
    printRow(row, before);
    std::fflush(stdout);
  }
  std::vector<Row> precision = makePrecisionRows();
  for (Row& row : precision) row.result = measure(row.model, row.repeats);
  const std::vector<ModesRow> modes = measureModes();
  const std::vector<BlockRow> blocks = measureBlocks();
  const SweepCost sweep = measureSweep();
  const ProcessCost process = measureProcess();
  const double after = calibrate();
  std::filesystem::create_directories("out");
  std::ofstream file("out/bench.json");
  file.precision(15);
  file << "{\n  \"calibration_s\": [" << before << ", " << after << "],\n  \"rows\": [\n";
  writeJson(file, rows);
  file << "  ],\n  \"precision\": [\n";
  writeJson(file, precision);
  file << "  ],\n  \"modes\": [\n";
  writeJson(file, modes);
  file << "  ],\n  \"blocks\": [\n";
  writeJson(file, blocks);
  file << "  ],\n  \"sweep\": {\"serial_s\": " << sweep.serial.seconds
       << ", \"parallel_s\": " << sweep.parallel.seconds
       << "},\n  \"process\": {\"check_s\": " << process.check.cpuSeconds
       << ", \"check_mb\": " << process.check.peakMegabytes
       << ", \"run_s\": " << process.run.cpuSeconds
       << ", \"silent_s\": " << process.silent.cpuSeconds
       << ", \"recorded_s\": " << process.recorded.cpuSeconds << "}\n}\n";
  std::printf("\ncalibration after: %.3f s; all numbers are in out/bench.json\n", after);
  return 0;
}

}  // namespace
}  // namespace flexloop::bench

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--micro") == 0) {
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
  }
  if (argc > 1 && std::strcmp(argv[1], "--modes") == 0) {
    flexloop::bench::measureModes();
    flexloop::bench::measureSweep();
    return 0;
  }
  if (argc > 1 && std::strcmp(argv[1], "--parts") == 0) {
    flexloop::bench::measureBlocks();
    return 0;
  }
  if (argc > 1 && std::strcmp(argv[1], "--process") == 0) {
    flexloop::bench::measureProcess();
    return 0;
  }
  if (argc > 2 && std::strcmp(argv[1], "--rows") == 0) {
    const int mostSteps = argc > 3 ? std::atoi(argv[3]) : std::numeric_limits<int>::max();
    return flexloop::bench::runRows(argv[2], mostSteps);
  }
  return flexloop::bench::runTable();
}
