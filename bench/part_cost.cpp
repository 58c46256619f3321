#include "part_cost.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

namespace flexloop::bench {
namespace {

namespace fs = std::filesystem;

// Corners and middles of edges as steps of half an element, in the order of C3D20.
constexpr std::array<std::array<int, 3>, 20> kNodes{
    {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2},
     {0, 2, 2}, {1, 0, 0}, {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2},
     {1, 2, 2}, {0, 1, 2}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}}};

// 2n × n × n bricks; the set ROOT is at x = 0. Returns the freedoms that are not clamped.
int writeBlock(const fs::path& path, int n) {
  std::ofstream file(path);
  const int across = 2 * n + 1;
  const auto idOf = [&](int i, int j, int k) { return 1 + (i * across + j) * across + k; };
  const auto isNode = [](int i, int j, int k) { return i % 2 + j % 2 + k % 2 <= 1; };
  int free = 0;
  std::string root;
  file << "*NODE\n";
  for (int i = 0; i <= 4 * n; ++i) {
    for (int j = 0; j < across; ++j) {
      for (int k = 0; k < across; ++k) {
        if (!isNode(i, j, k)) continue;
        const double h = 0.5 / n;
        file << idOf(i, j, k) << ", " << h * i << ", " << h * j << ", " << h * k << "\n";
        if (i == 0) root += std::to_string(idOf(i, j, k)) + ",\n";
        if (i > 0) free += 3;
      }
    }
  }
  file << "*ELEMENT, TYPE=C3D20, ELSET=ALL\n";
  int element = 0;
  for (int i = 0; i < 2 * n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        file << ++element;
        for (std::size_t m = 0; m < kNodes.size(); ++m) {
          const auto& [x, y, z] = kNodes[m];
          file << (m == 12 ? ",\n" : ", ") << idOf(2 * i + x, 2 * j + y, 2 * k + z);
        }
        file << "\n";
      }
    }
  }
  file << "*NSET, NSET=ROOT\n" << root;
  return free;
}

}  // namespace

std::vector<BlockRow> measureBlocks() {
  // Bricks across, and what CalculiX took.
  constexpr std::array<std::pair<int, double>, 3> kBlocks{{{13, 36.0}, {16, 95.0}, {20, 416.0}}};
  std::printf("\n%-22s %9s %9s %9s %8s  %s\n", "ten modes of a block", "freedoms", "CPU [s]",
              "clock [s]", "MB", "faster than CalculiX");
  std::vector<BlockRow> rows;
  for (const auto& [n, peer] : kBlocks) {
    const fs::path path =
        fs::temp_directory_path() / ("flexloop_bench_" + std::to_string(getpid()) + ".inp");
    BlockRow row;
    row.freedoms = writeBlock(path, n);
    row.peerSeconds = peer;
    row.cost = runProgram({"part", path, "--E", "210GPa", "--nu", "0.3", "--rho", "7850", "--clamp",
                           "ROOT", "--count", "10", "--quiet"},
                          1);
    fs::remove(path);
    std::printf("%-22s %9d %9.1f %9.1f %8.0f  %6.1fx\n", row.cost.ok ? "" : "failed", row.freedoms,
                row.cost.cpuSeconds, row.cost.seconds, row.cost.peakMegabytes,
                peer / row.cost.cpuSeconds);
    std::fflush(stdout);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace flexloop::bench
