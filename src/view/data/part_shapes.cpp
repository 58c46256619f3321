#include "view/data/part_shapes.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>

#include "analysis/modes/node_shape.hpp"
#include "math/quaternion.hpp"
#include "view/data/content.hpp"

namespace flexloop::view {

using Eigen::VectorXd;
using mechanics::PartLayout;
using mechanics::PartSurface;

namespace {

using Frames = std::vector<math::Frame<double>>;

Frames framesOf(const std::vector<double>& numbers, std::size_t record, std::size_t nodes) {
  Frames frames;
  for (std::size_t n = 0; n < nodes; ++n) {
    const double* f = numbers.data() + (record * nodes + n) * kFrameNumbers;
    frames.push_back({math::calcRotation({f[3], f[4], f[5], f[6]}), {f[0], f[1], f[2]}});
  }
  return frames;
}

// Columns of the coordinates, each whole, one after the other; the first interface has none.
void addColumns(const Eigen::MatrixXf& rows, int coordinates, std::vector<float>& numbers) {
  const Eigen::MatrixXf own = rows.rightCols(coordinates);
  numbers.insert(numbers.end(), own.data(), own.data() + own.size());
}

std::vector<float> stressColumns(const PartSurface& surface, int coordinates) {
  if (surface.stressBelow.rows() == 0) {
    std::vector<float> numbers;
    addColumns(surface.stress, coordinates, numbers);
    return numbers;
  }
  Eigen::MatrixXf both(2 * surface.stress.rows(), surface.stress.cols());
  both << surface.stress, surface.stressBelow;
  std::vector<float> numbers;
  addColumns(both, coordinates, numbers);
  return numbers;
}

}  // namespace

PartShapes::PartShapes(const model::Model& model) : parts_(mechanics::findParts(model.system())) {}

bool PartShapes::hasStress() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const PartLayout& part) {
    return part.recovery->surface.stress.rows() > 0;
  });
}

bool PartShapes::isRecorded(const ResultSource& result) const {
  if (mechanics::countModes(parts_) == 0) return true;
  return result.records() > 0 && result.readPartModes(0, 1).size() ==
                                     static_cast<std::size_t>(mechanics::countModes(parts_));
}

std::vector<double> PartShapes::calcFrom(const Frames& frames, const double* modes) const {
  std::vector<double> all;
  for (const PartLayout& part : parts_) {
    const VectorXd z = mechanics::calcCoordinates(part, frames, modes);
    all.insert(all.end(), z.begin(), z.end());
  }
  return all;
}

std::vector<double> PartShapes::calcCoordinates(const ResultSource& result, std::size_t first,
                                                std::size_t count) const {
  const std::size_t width = coordinates(), modes = mechanics::countModes(parts_);
  std::vector<double> all;
  if (width == 0) return all;
  if (!isRecorded(result)) return std::vector<double>(count * width, 0.0);
  const std::vector<double> frames = result.readFrames(first, count);
  const std::vector<double> own = result.readPartModes(first, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> z =
        calcFrom(framesOf(frames, i, result.nodes().size() + 1), own.data() + i * modes);
    all.insert(all.end(), z.begin(), z.end());
  }
  return all;
}

std::vector<double> PartShapes::calcCoordinates(const system::State& state) const {
  return calcFrom(state.frames, mechanics::readModes(parts_, state).data());
}

std::vector<std::complex<double>> PartShapes::calcShape(const system::System& system,
                                                        const system::State& state,
                                                        const Eigen::VectorXcd& shape) const {
  std::vector<std::complex<double>> all;
  for (const PartLayout& part : parts_) {
    std::array<std::vector<mechanics::NodeChange>, 2> changes;
    for (const system::NodeIndex node : part.place.nodes) {
      const auto moved = analysis::calcNodeShape(system, state, shape, node.value);
      changes[0].push_back({moved.displacement.real(), moved.rotation.real()});
      changes[1].push_back({moved.displacement.imag(), moved.rotation.imag()});
    }
    Eigen::VectorXcd modes(part.place.modes.size());
    for (Eigen::Index j = 0; j < modes.size(); ++j) modes[j] = shape[part.place.modes[j].value];
    const VectorXd re =
        mechanics::calcCoordinateChange(part, state.frames, changes[0], modes.real());
    const VectorXd im =
        mechanics::calcCoordinateChange(part, state.frames, changes[1], modes.imag());
    for (Eigen::Index i = 0; i < re.size(); ++i) all.emplace_back(re[i], im[i]);
  }
  return all;
}

std::optional<std::string> PartShapes::findBytes(std::size_t index, const std::string& what) const {
  if (index >= parts_.size()) return std::nullopt;
  const PartLayout& part = parts_[index];
  const PartSurface& surface = part.recovery->surface;
  std::vector<float> numbers;
  if (what == "points") {
    for (const Eigen::Vector3d& point : surface.points) {
      for (int i = 0; i < 3; ++i) numbers.push_back(static_cast<float>(point[i]));
    }
  } else if (what == "shapes") {
    addColumns(surface.displacement, part.coordinates(), numbers);
  } else if (what == "stress") {
    numbers = stressColumns(surface, part.coordinates());
  } else if (what == "triangles") {
    std::vector<std::uint32_t> corners;
    for (const auto& triangle : surface.triangles) {
      corners.insert(corners.end(), triangle.begin(), triangle.end());
    }
    return toBytes(corners);
  } else {
    return std::nullopt;
  }
  return toBytes(numbers);
}

std::vector<std::string> PartShapes::listNames() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    for (const char* what : {"points", "triangles", "shapes", "stress"}) {
      names.push_back("part/" + std::to_string(i) + "/" + what);
    }
  }
  return names;
}

}  // namespace flexloop::view
