#include "view/scene/surface.hpp"

#include "view/scene/body_shape.hpp"
#include "view/scene/scene_parts.hpp"
#include "view/scene/section_outline.hpp"

namespace flexloop::view {
namespace {

using math::Vec3;
using mechanics::BeamLayout;
using Outlines = std::vector<std::vector<OutlinePoint>>;

class SurfaceMaker {
 public:
  void addBody(const std::string& name, int node, const BodyShape& shape) {
    const Mesh mesh = makeBodyMesh(shape);
    const std::uint32_t first = count();
    for (std::size_t i = 0; i + 2 < mesh.positions.size(); i += 3) {
      const float* p = &mesh.positions[i];
      addPoint(node, {p[0], p[1], p[2]});
    }
    SurfacePart& part = surface_.parts.emplace_back();
    part.name = name;
    part.isBody = true;
    part.isGuess = !shape.isGiven;
    for (const std::uint32_t index : mesh.indices) part.triangles.push_back(first + index);
    part.segments.assign(part.triangles.size() / 3, -1);
  }

  void addBeam(const BeamLayout& beam, const Outlines& outlines, int firstSegment) {
    const std::uint32_t first = count();
    for (std::size_t i = 0; i < beam.nodes.size(); ++i) {
      for (const auto& outline : outlines) {
        for (const OutlinePoint& p : outline) {
          addPoint(beam.nodes[i].value, beam.axes[i] * Vec3<double>(0.0, p[0], p[1]));
        }
      }
    }
    surface_.parts.emplace_back().name = beam.name;
    const std::uint32_t ring = (count() - first) / static_cast<std::uint32_t>(beam.nodes.size());
    for (int segment = 0; segment < beam.segments(); ++segment) {
      addSides(outlines, first + static_cast<std::uint32_t>(segment) * ring, ring,
               firstSegment + segment);
    }
    addCap(outlines, first, firstSegment);
    addCap(outlines, count() - ring, firstSegment + beam.segments() - 1);
  }

  void addFlexible(const mechanics::PartLayout& layout) {
    const mechanics::PartSurface& drawn = layout.recovery->surface;
    const std::uint32_t first = count();
    surface_.deformations.push_back({layout, first, surface_.parts.size()});
    for (const Eigen::Vector3d& point : drawn.points) addPoint(layout.place.nodes[0].value, point);
    surface_.parts.emplace_back().name = layout.name;
    for (const auto& t : drawn.triangles) {
      addTriangle(first + static_cast<std::uint32_t>(t[0]),
                  first + static_cast<std::uint32_t>(t[1]),
                  first + static_cast<std::uint32_t>(t[2]), -1);
    }
  }

  Surface take() { return std::move(surface_); }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(surface_.points.size()); }

  void addPoint(int node, const Vec3<double>& point) {
    surface_.nodeOfPoint.push_back(node);
    surface_.points.push_back(point);
  }

  void addTriangle(std::uint32_t a, std::uint32_t b, std::uint32_t c, int segment) {
    SurfacePart& part = surface_.parts.back();
    part.triangles.insert(part.triangles.end(), {a, b, c});
    part.segments.push_back(segment);
  }

  void addSides(const Outlines& outlines, std::uint32_t first, std::uint32_t ring, int segment) {
    for (const auto& outline : outlines) {
      const auto size = static_cast<std::uint32_t>(outline.size());
      for (std::uint32_t k = 0; k < size; ++k) {
        const std::uint32_t a = first + k, b = first + (k + 1) % size;
        addTriangle(a, b, b + ring, segment);
        addTriangle(a, b + ring, a + ring, segment);
      }
      first += size;
    }
  }

  // Outlines are convex; a hole has as many points as the outside of a tube.
  void addCap(const Outlines& outlines, std::uint32_t first, int segment) {
    if (outlines.empty()) return;
    const auto size = static_cast<std::uint32_t>(outlines.front().size());
    if (outlines.size() == 1) {
      for (std::uint32_t k = 1; k + 1 < size; ++k) {
        addTriangle(first, first + k, first + k + 1, segment);
      }
    } else if (outlines.size() == 2 && outlines[1].size() == size) {
      for (std::uint32_t k = 0; k < size; ++k) {
        const std::uint32_t a = first + k, b = first + (k + 1) % size;
        addTriangle(a, b, b + size, segment);
        addTriangle(a, b + size, a + size, segment);
      }
    }
  }

  Surface surface_;
};

Outlines outlinesOf(const SceneSource& source, const BeamLayout& beam) {
  const system::Item* item = source.findItem("beams", beam.name);
  const system::Item* section =
      item != nullptr ? source.findItem("sections", item->text("section")) : nullptr;
  return section != nullptr ? makeOutline(*section).outlines : Outlines{};
}

}  // namespace

Surface makeSurface(const model::Model& model, const model::SourceFiles* files) {
  const SceneSource source(model, files);
  SurfaceMaker maker;
  int firstSegment = 0;
  for (const BeamLayout& beam : source.beams) {
    maker.addBeam(beam, outlinesOf(source, beam), firstSegment);
    firstSegment += beam.segments();
  }
  for (const mechanics::PartLayout& part : mechanics::findParts(model.system())) {
    maker.addFlexible(part);
  }
  forEachItem(model, "bodies", [&](const system::Item& item) {
    maker.addBody(item.name(), source.findNode(item.text("node")), findBodyShape(source, item));
  });
  return maker.take();
}

}  // namespace flexloop::view
