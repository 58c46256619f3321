#include "view/data/motion_export.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
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
#include "view/data/part_shapes.hpp"
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

// Of one part, among those of all.
Eigen::VectorXd coordinatesOf(const mechanics::PartLayout& part, const std::vector<double>& z) {
  return Eigen::Map<const Eigen::VectorXd>(z.data() + part.firstCoordinate, part.coordinates());
}

using Places = std::vector<Vec3<double>>;

// Of all points in ground axes, from the frames of the nodes and the coordinates of the parts.
Places placesOf(const Surface& surface, const Frames& frames, const std::vector<double>& z) {
  Places places = surface.points;
  for (const SurfaceDeformation& deformation : surface.deformations) {
    const Eigen::Matrix3Xd moved =
        mechanics::calcSurfaceDisplacements(deformation.part, coordinatesOf(deformation.part, z));
    for (Eigen::Index i = 0; i < moved.cols(); ++i) {
      places[deformation.firstPoint + static_cast<std::size_t>(i)] += moved.col(i);
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const math::Frame<double>& frame = frames[static_cast<std::size_t>(surface.nodeOfPoint[i])];
    places[i] = frame.x + frame.R * places[i];
  }
  return places;
}

files::VtuSurface makeVtu(const Surface& surface, const Places& places) {
  files::VtuSurface vtu;
  for (const Vec3<double>& place : places) addVector(place, vtu.points);
  for (const SurfacePart& part : surface.parts) {
    vtu.triangles.insert(vtu.triangles.end(), part.triangles.begin(), part.triangles.end());
  }
  return vtu;
}

files::VtuArray displacementsOf(const Places& places, const Places& start) {
  files::VtuArray array{"displacement [m]", 3, {}};
  for (std::size_t i = 0; i < places.size(); ++i) addVector(places[i] - start[i], array.values);
  return array;
}

// At the points of parts; ParaView leaves out what is no number.
files::VtuArray stressesOf(const Surface& surface, const std::vector<double>& z) {
  files::VtuArray array{"von Mises stress [Pa]", 1, {}};
  array.values.assign(surface.points.size(), std::numeric_limits<float>::quiet_NaN());
  for (const SurfaceDeformation& deformation : surface.deformations) {
    const Eigen::VectorXd stress =
        mechanics::calcSurfaceStress(deformation.part, coordinatesOf(deformation.part, z));
    for (Eigen::Index i = 0; i < stress.size(); ++i) {
      array.values[deformation.firstPoint + static_cast<std::size_t>(i)] =
          static_cast<float>(stress[i]);
    }
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

// A part as it is at rest, with a shape for each of its coordinates; both in ground axes, as the skin wants them.
files::GlbFlexible makeFlexible(const SurfaceDeformation& deformation, const Surface& surface,
                                const Frames& frames, const std::vector<double>& z) {
  const mechanics::PartLayout& part = deformation.part;
  const int node = part.place.nodes[0].value;
  const math::Frame<double>& frame = frames[static_cast<std::size_t>(node)];
  files::GlbFlexible flexible;
  flexible.name = part.name;
  flexible.colour = kBeamColour;
  flexible.node = static_cast<std::uint16_t>(node);
  const std::size_t count = part.recovery->surface.points.size();
  for (std::size_t i = 0; i < count; ++i) {
    addVector(frame.x + frame.R * surface.points[deformation.firstPoint + i], flexible.points);
  }
  for (const std::uint32_t corner : surface.parts[deformation.surfacePart].triangles) {
    flexible.triangles.push_back(corner - static_cast<std::uint32_t>(deformation.firstPoint));
  }
  for (int j = 0; j < part.coordinates(); ++j) {
    const Eigen::Matrix3Xd shape =
        mechanics::calcSurfaceDisplacements(part, Eigen::VectorXd::Unit(part.coordinates(), j));
    std::vector<float>& target = flexible.shapes.emplace_back();
    for (Eigen::Index i = 0; i < shape.cols(); ++i) addVector(frame.R * shape.col(i), target);
    flexible.weights.push_back(static_cast<float>(z[part.firstCoordinate + j]));
  }
  return flexible;
}

files::GlbMachine makeGlb(const model::Model& model, const Frames& frames,
                          const std::vector<double>& z, const model::SourceFiles* files) {
  const Surface surface = makeSurface(model, files);
  files::GlbMachine machine;
  machine.title = model.description().title.empty() ? "machine" : model.description().title;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    machine.nodes.push_back(model.system().nodes()[i].name);
    addFrame(frames[i], machine.frames);
  }
  std::vector<char> isFlexible(surface.parts.size(), 0);
  for (const SurfaceDeformation& deformation : surface.deformations) {
    isFlexible[deformation.surfacePart] = 1;
    machine.flexibles.push_back(makeFlexible(deformation, surface, frames, z));
  }
  const Places places = placesOf(surface, frames, z);
  for (std::size_t i = 0; i < places.size(); ++i) {
    addVector(places[i], machine.points);
    machine.nodeOfPoint.push_back(static_cast<std::uint16_t>(surface.nodeOfPoint[i]));
  }
  for (std::size_t i = 0; i < surface.parts.size(); ++i) {
    if (isFlexible[i] != 0) continue;
    const SurfacePart& part = surface.parts[i];
    const auto& colour = part.isGuess ? kGuessColour : part.isBody ? kBodyColour : kBeamColour;
    machine.parts.push_back({part.name, colour, part.triangles});
  }
  return machine;
}

// To those of a record where they are larger.
void raiseStresses(const std::vector<mechanics::PartLayout>& parts, const std::vector<double>& z,
                   files::GlbMachine& machine) {
  for (files::GlbFlexible& flexible : machine.flexibles) {
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& layout) {
      return layout.place.nodes[0].value == flexible.node && layout.name == flexible.name;
    });
    if (part == parts.end()) continue;
    const Eigen::VectorXd stress = mechanics::calcSurfaceStress(*part, coordinatesOf(*part, z));
    flexible.stress.resize(static_cast<std::size_t>(stress.size()), 0.0F);
    for (std::size_t i = 0; i < flexible.stress.size(); ++i) {
      flexible.stress[i] =
          std::max(flexible.stress[i], static_cast<float>(stress[static_cast<Eigen::Index>(i)]));
    }
  }
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

using Coordinates = std::vector<std::complex<double>>;

// Re(φ e^{iθ}) on top of the linearised state.
files::GlbAnimation animate(const std::string& name, const std::vector<analysis::NodeShape>& shapes,
                            const Coordinates& partShape, const Frames& frames,
                            const std::vector<double>& z, double scale) {
  files::GlbAnimation animation{name, {}, {}, {}};
  for (int k = 0; k <= kPhases; ++k) {
    const std::complex<double> turn = scale * std::polar(1.0, 2.0 * std::numbers::pi * k / kPhases);
    animation.times.push_back(static_cast<float>(k) / kPhases);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const Vec3<double> rotation = (turn * shapes[i].rotation).real();
      addFrame({math::expSO3<double>(rotation) * frames[i].R,
                frames[i].x + Vec3<double>((turn * shapes[i].displacement).real())},
               animation.frames);
    }
    for (std::size_t i = 0; i < z.size(); ++i) {
      animation.weights.push_back(static_cast<float>(z[i] + (turn * partShape[i]).real()));
    }
  }
  return animation;
}

// How far a mode moves the points of the surface, at their linearised places: displacements in ground axes.
std::vector<Eigen::Vector3cd> movesOf(const Surface& surface, const Places& places,
                                      const Frames& frames,
                                      const std::vector<analysis::NodeShape>& shapes,
                                      const Coordinates& partShape) {
  std::vector<Eigen::Vector3cd> moves;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto node = static_cast<std::size_t>(surface.nodeOfPoint[i]);
    const Vec3<double> arm = places[i] - frames[node].x;
    // φ × r by hand: the cross product of complex vectors conjugates.
    const Eigen::Vector3cd& t = shapes[node].rotation;
    moves.emplace_back(shapes[node].displacement + Eigen::Vector3cd(t[1] * arm[2] - t[2] * arm[1],
                                                                    t[2] * arm[0] - t[0] * arm[2],
                                                                    t[0] * arm[1] - t[1] * arm[0]));
  }
  for (const SurfaceDeformation& deformation : surface.deformations) {
    const mechanics::PartLayout& part = deformation.part;
    const Eigen::Map<const Eigen::VectorXcd> change(partShape.data() + part.firstCoordinate,
                                                    part.coordinates());
    const Eigen::Matrix3Xd re = mechanics::calcSurfaceDisplacements(part, change.real());
    const Eigen::Matrix3Xd im = mechanics::calcSurfaceDisplacements(part, change.imag());
    const math::Mat3<double>& R = frames[part.place.nodes[0].value].R;
    for (Eigen::Index i = 0; i < re.cols(); ++i) {
      Eigen::Vector3cd& moved = moves[deformation.firstPoint + static_cast<std::size_t>(i)];
      moved.real() += R * re.col(i);
      moved.imag() += R * im.col(i);
    }
  }
  return moves;
}

double largestOf(const std::vector<analysis::NodeShape>& shapes,
                 const std::vector<Eigen::Vector3cd>& moves, const Surface& surface) {
  double largest = 0.0;
  for (const analysis::NodeShape& shape : shapes)
    largest = std::max(largest, shape.displacement.norm());
  for (const SurfaceDeformation& deformation : surface.deformations) {
    const std::size_t count = deformation.part.recovery->surface.points.size();
    for (std::size_t i = 0; i < count; ++i) {
      largest = std::max(largest, moves[deformation.firstPoint + i].norm());
    }
  }
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
  const PartShapes parts(model);
  const system::State& startState = model.system().start();
  const Places start = placesOf(surface, startState.frames, parts.calcCoordinates(startState));
  const std::string folder = fs::path(path).stem().string() + "_files";
  files::makeFolder(fs::path(path).parent_path() / folder);
  std::vector<std::pair<double, std::string>> frameFiles;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const std::vector<double> z = parts.calcCoordinates(result, records[k], 1);
    const Places places = placesOf(surface, framesAt(result, records[k]), z);
    files::VtuSurface vtu = makeVtu(surface, places);
    vtu.pointArrays.push_back(displacementsOf(places, start));
    if (parts.hasStress()) vtu.pointArrays.push_back(stressesOf(surface, z));
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
  const PartShapes parts(model);
  files::GlbMachine machine =
      makeGlb(model, framesAt(result, 0), parts.calcCoordinates(result, 0, 1), files);
  files::GlbAnimation motion{"run", {}, {}, {}};
  const std::vector<mechanics::PartLayout> layouts = mechanics::findParts(model.system());
  for (const std::size_t record : records) {
    raiseStresses(layouts, parts.calcCoordinates(result, record, 1), machine);
    motion.times.push_back(static_cast<float>(result.times()[record]));
    for (const math::Frame<double>& frame : framesAt(result, record)) {
      addFrame(frame, motion.frames);
    }
    for (const double z : parts.calcCoordinates(result, record, 1)) {
      motion.weights.push_back(static_cast<float>(z));
    }
  }
  machine.animations.push_back(std::move(motion));
  files::writeGlb(path, machine);
}

void writeModesVtu(const std::string& path, const model::Model& model, const system::State& state,
                   const std::vector<analysis::Mode>& modes, const model::SourceFiles* files) {
  const Surface surface = makeSurface(model, files);
  const PartShapes parts(model);
  const Places places = placesOf(surface, state.frames, parts.calcCoordinates(state));
  files::VtuSurface vtu = makeVtu(surface, places);
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const auto moves = movesOf(surface, places, state.frames, shapesOf(model, state, modes[m]),
                               parts.calcShape(model.system(), state, modes[m].shape));
    files::VtuArray re{nameOf(m, modes[m]) + ", re", 3, {}},
        im{nameOf(m, modes[m]) + ", im", 3, {}};
    for (const Eigen::Vector3cd& moved : moves) {
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
  const Surface surface = makeSurface(model, files);
  const PartShapes parts(model);
  const std::vector<double> z = parts.calcCoordinates(state);
  const Places places = placesOf(surface, state.frames, z);
  files::GlbMachine machine = makeGlb(model, state.frames, z, files);
  const double size = calcSize(model, state.frames);
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const std::vector<analysis::NodeShape> shapes = shapesOf(model, state, modes[m]);
    const Coordinates change = parts.calcShape(model.system(), state, modes[m].shape);
    const double largest =
        largestOf(shapes, movesOf(surface, places, state.frames, shapes, change), surface);
    const double scale = largest > 0.0 ? kAmplitude * size / largest : 0.0;
    machine.animations.push_back(
        animate(nameOf(m, modes[m]), shapes, change, state.frames, z, scale));
  }
  files::writeGlb(path, machine);
}

}  // namespace flexloop::view
