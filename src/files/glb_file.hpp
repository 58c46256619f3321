// A moving machine as binary glTF (.glb): one skin whose bones are the nodes, morph targets for what is deformed, and animations
// that move them. Three-dimensional programs, slides and browsers show it without further ado.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace flexloop::files {

inline constexpr std::size_t kGlbFrame = 7;  // x y z, w x y z of a node in ground

struct GlbPart {
  std::string name;
  std::array<float, 4> colour{};         // red, green, blue, opacity
  std::vector<std::uint32_t> triangles;  // three points each
};

// A surface that is deformed while it follows a node: points plus the sum of weight × shape.
struct GlbFlexible {
  std::string name;
  std::array<float, 4> colour{};
  std::uint16_t node = 0;
  std::vector<float> points;  // x y z at rest but undeformed, in ground
  std::vector<std::uint32_t> triangles;
  std::vector<std::vector<float>> shapes;  // x y z of every point, ground axes at rest
  std::vector<float> weights;              // of the shapes at rest
  // Equivalent stress of every point, Pa, or none: the attribute _VON_MISES, and its colours from blue (zero) to red (the
  // largest) in place of `colour`.
  std::vector<float> stress;
};

struct GlbAnimation {
  std::string name;
  std::vector<float> times;    // s, increasing
  std::vector<float> frames;   // [times][nodes][7]
  std::vector<float> weights;  // [times][shapes of all flexible surfaces]
};

struct GlbMachine {
  std::string title;
  std::vector<std::string> nodes;
  std::vector<float> frames;               // [nodes][7], at rest
  std::vector<float> points;               // x y z at rest, in ground
  std::vector<std::uint16_t> nodeOfPoint;  // whose motion a point follows
  std::vector<GlbPart> parts;
  std::vector<GlbFlexible> flexibles;
  std::vector<GlbAnimation> animations;
};

// Throws std::runtime_error if it cannot be written. The model's z points upwards.
void writeGlb(const std::string& path, const GlbMachine& machine);

}  // namespace flexloop::files
