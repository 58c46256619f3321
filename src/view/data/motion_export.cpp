#include "view/data/motion_export.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

#include "analysis/modes/node_shape.hpp"
#include "base/text_format.hpp"
#include "files/glb_file.hpp"
#include "files/make_folder.hpp"
#include "files/vtu_file.hpp"
#include "math/quaternion.hpp"
#include "reports/mode_json.hpp"
#include "view/data/fields.hpp"
#include "view/scene/scene_parts.hpp"
#include "view/scene/surface.hpp"

namespace flexloop::view {
namespace {

namespace fs = std::filesystem;
using Frames = std::vector<math::Frame<double>>;
using math::Vec3;

constexpr int kPhases = 24;         // of a cycle of a mode
constexpr double kAmplitude = 0.1;  // of a mode, by the size of the machine
constexpr std::array<float, 4> kBeamColour{0.36F, 0.52F, 0.68F, 1.0F};
constexpr std::array<float, 4> kBodyColour{0.85F, 0.55F, 0.25F, 1.0F};
constexpr std::array<float, 4> kGuessColour{0.85F, 0.55F, 0.25F, 0.5F};

Frames framesAt(const ResultSource& result, std::size_t record) {
  const std::vector<double> numbers = result.readFrames(record, 1);
  Frames frames;
  for (std::size_t i = 0; i < numbers.size(); i += kFrameNumbers) {
    const double* f = &numbers[i];
    frames.push_back({math::calcRotation({f[3], f[4], f[5], f[6]}), {f[0], f[1], f[2]}});
  }
  return frames;
}

void addFrame(const math::Frame<double>& frame, std::vector<float>& numbers) {
  for (int i = 0; i < 3; ++i) numbers.push_back(static_cast<float>(frame.x[i]));
  for (const double entry : math::calcQuaternion(frame.R)) {
    numbers.push_back(static_cast<float>(entry));
  }
}

void addVector(const Vec3<double>& v, std::vector<float>& numbers) {
  for (int i = 0; i < 3; ++i) numbers.push_back(static_cast<float>(v[i]));
}

Vec3<double> placeOf(const Surface& surface, std::size_t point, const Frames& frames) {
  const math::Frame<double>& frame = frames[static_cast<std::size_t>(surface.nodeOfPoint[point])];
  return frame.x + frame.R * surface.points[point];
}

files::VtuSurface makeVtu(const Surface& surface, const Frames& frames) {
  files::VtuSurface vtu;
  for (std::size_t i = 0; i < surface.points.size(); ++i) {
    addVector(placeOf(surface, i, frames), vtu.points);
  }
  for (const SurfacePart& part : surface.parts) {
    vtu.triangles.insert(vtu.triangles.end(), part.triangles.begin(), part.triangles.end());
  }
  return vtu;
}

files::VtuArray displacementsOf(const Surface& surface, const Frames& frames, const Frames& start) {
  files::VtuArray array{"displacement [m]", 3, {}};
  for (std::size_t i = 0; i < surface.points.size(); ++i) {
    addVector(placeOf(surface, i, frames) - placeOf(surface, i, start), array.values);
  }
  return array;
}

// Bodies have no section forces; ParaView leaves out what is no number.
files::VtuArray fieldOf(const Surface& surface, const Field& field,
                        const std::vector<float>& values) {
  files::VtuArray array{base::formatText("%s [%s]", field.label, field.unit), 1, {}};
  for (const SurfacePart& part : surface.parts) {
    for (const int segment : part.segments) {
      array.values.push_back(segment < 0 ? std::numeric_limits<float>::quiet_NaN()
                                         : values[static_cast<std::size_t>(segment)]);
    }
  }
  return array;
}

files::GlbMachine makeGlb(const model::Model& model, const Frames& frames,
                          const model::SourceFiles* files) {
  const Surface surface = makeSurface(model, files);
  files::GlbMachine machine;
  machine.title = model.description().title.empty() ? "machine" : model.description().title;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    machine.nodes.push_back(model.system().nodes()[i].name);
    addFrame(frames[i], machine.frames);
  }
  for (std::size_t i = 0; i < surface.points.size(); ++i) {
    addVector(placeOf(surface, i, frames), machine.points);
    machine.nodeOfPoint.push_back(static_cast<std::uint16_t>(surface.nodeOfPoint[i]));
  }
  for (const SurfacePart& part : surface.parts) {
    const auto& colour = part.isGuess ? kGuessColour : part.isBody ? kBodyColour : kBeamColour;
    machine.parts.push_back({part.name, colour, part.triangles});
  }
  return machine;
}

// Displacements and rotations of all nodes, in ground axes.
std::vector<analysis::NodeShape> shapesOf(const model::Model& model, const system::State& state,
                                          const analysis::Mode& mode) {
  std::vector<analysis::NodeShape> shapes;
  for (std::size_t i = 0; i < state.frames.size(); ++i) {
    shapes.push_back(analysis::calcNodeShape(model.system(), state, mode.shape, i));
  }
  return shapes;
}

// Re(φ e^{iθ}) on top of the linearised state.
files::GlbAnimation animate(const std::string& name, const std::vector<analysis::NodeShape>& shapes,
                            const Frames& frames, double scale) {
  files::GlbAnimation animation{name, {}, {}};
  for (int k = 0; k <= kPhases; ++k) {
    const std::complex<double> turn = scale * std::polar(1.0, 2.0 * std::numbers::pi * k / kPhases);
    animation.times.push_back(static_cast<float>(k) / kPhases);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const Vec3<double> rotation = (turn * shapes[i].rotation).real();
      addFrame({math::expSO3<double>(rotation) * frames[i].R,
                frames[i].x + Vec3<double>((turn * shapes[i].displacement).real())},
               animation.frames);
    }
  }
  return animation;
}

double largestOf(const std::vector<analysis::NodeShape>& shapes) {
  double largest = 0.0;
  for (const analysis::NodeShape& shape : shapes)
    largest = std::max(largest, shape.displacement.norm());
  return largest;
}

std::string nameOf(std::size_t index, const analysis::Mode& mode) {
  return base::formatText("mode %zu: %.6g Hz, damping %.4g", index + 1, mode.frequencyHz(),
                          mode.dampingRatio());
}

}  // namespace

std::vector<std::size_t> chooseRecords(std::size_t records, std::size_t most) {
  std::vector<std::size_t> chosen;
  const std::size_t count = std::min(records, most);
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(count == 1 ? 0 : i * (records - 1) / (count - 1));
  }
  return chosen;
}

void writeMotionPvd(const std::string& path, const model::Model& model, const ResultSource& result,
                    const std::vector<std::size_t>& records, const model::SourceFiles* files) {
  const Surface surface = makeSurface(model, files);
  const Fields fields(&model);
  const Frames& start = model.system().start().frames;
  const std::string folder = fs::path(path).stem().string() + "_files";
  files::makeFolder(fs::path(path).parent_path() / folder);
  std::vector<std::pair<double, std::string>> frameFiles;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const Frames frames = framesAt(result, records[k]);
    files::VtuSurface vtu = makeVtu(surface, frames);
    vtu.pointArrays.push_back(displacementsOf(surface, frames, start));
    for (const Field& field : fields.list(result)) {
      const auto values = fields.calc(field.name, result, records[k], 1);
      if (field.isOfSegments && values) vtu.cellArrays.push_back(fieldOf(surface, field, *values));
    }
    const std::string name = folder + base::formatText("/%06zu.vtu", k);
    files::writeVtu((fs::path(path).parent_path() / name).string(), vtu);
    frameFiles.emplace_back(result.times()[records[k]], name);
  }
  files::writePvd(path, frameFiles);
}

void writeMotionGlb(const std::string& path, const model::Model& model, const ResultSource& result,
                    const std::vector<std::size_t>& records, const model::SourceFiles* files) {
  files::GlbMachine machine = makeGlb(model, framesAt(result, 0), files);
  files::GlbAnimation motion{"run", {}, {}};
  for (const std::size_t record : records) {
    motion.times.push_back(static_cast<float>(result.times()[record]));
    for (const math::Frame<double>& frame : framesAt(result, record)) {
      addFrame(frame, motion.frames);
    }
  }
  machine.animations.push_back(std::move(motion));
  files::writeGlb(path, machine);
}

void writeModesVtu(const std::string& path, const model::Model& model, const system::State& state,
                   const std::vector<analysis::Mode>& modes, const model::SourceFiles* files) {
  const Surface surface = makeSurface(model, files);
  files::VtuSurface vtu = makeVtu(surface, state.frames);
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const std::vector<analysis::NodeShape> shapes = shapesOf(model, state, modes[m]);
    files::VtuArray re{nameOf(m, modes[m]) + ", re", 3, {}},
        im{nameOf(m, modes[m]) + ", im", 3, {}};
    for (std::size_t i = 0; i < surface.points.size(); ++i) {
      const auto node = static_cast<std::size_t>(surface.nodeOfPoint[i]);
      const Eigen::Vector3cd arm =
          (state.frames[node].R * surface.points[i]).cast<std::complex<double>>();
      // φ × r by hand: the cross product of complex vectors conjugates.
      const Eigen::Vector3cd& t = shapes[node].rotation;
      const Eigen::Vector3cd moved =
          shapes[node].displacement + Eigen::Vector3cd(t[1] * arm[2] - t[2] * arm[1],
                                                       t[2] * arm[0] - t[0] * arm[2],
                                                       t[0] * arm[1] - t[1] * arm[0]);
      addVector(moved.real(), re.values);
      addVector(moved.imag(), im.values);
    }
    vtu.pointArrays.push_back(std::move(re));
    vtu.pointArrays.push_back(std::move(im));
  }
  files::writeVtu(path, vtu);
}

void writeModesGlb(const std::string& path, const model::Model& model, const system::State& state,
                   const std::vector<analysis::Mode>& modes, const model::SourceFiles* files) {
  files::GlbMachine machine = makeGlb(model, state.frames, files);
  const double size = calcSize(state.frames);
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const std::vector<analysis::NodeShape> shapes = shapesOf(model, state, modes[m]);
    const double largest = largestOf(shapes);
    const double scale = largest > 0.0 ? kAmplitude * size / largest : 0.0;
    machine.animations.push_back(animate(nameOf(m, modes[m]), shapes, state.frames, scale));
  }
  files::writeGlb(path, machine);
}

}  // namespace flexloop::view
