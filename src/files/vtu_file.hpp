// Surfaces for ParaView and others that read the formats of VTK: one .vtu per instant, and a .pvd
// that names them with their times.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace flexloop::files {

struct VtuArray {
  std::string name;
  int components = 1;
  std::vector<float> values;
};

struct VtuSurface {
  std::vector<float> points;             // x y z
  std::vector<std::uint32_t> triangles;  // three points each
  std::vector<VtuArray> pointArrays, cellArrays;
};

// Throw std::runtime_error where they cannot be written.
void writeVtu(const std::string& path, const VtuSurface& surface);
// Files are named relative to the .pvd.
void writePvd(const std::string& path,
              const std::vector<std::pair<double, std::string>>& filesByTime);

}  // namespace flexloop::files
