#include "fem/mesh/quality/quality.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include <Eigen/Geometry>

#include "base/text_format.hpp"
#include "fem/mesh/connectivity.hpp"
#include "fem/mesh/quality/jacobian_samples.hpp"

namespace flexloop::fem {
namespace {

using Eigen::Vector3d;

constexpr double kDistorted = 0.1, kSlender = 50.0, kWarped = 0.1;
// Of the cube of the longest edge: below, an element has no volume; far below what a thin layer has.
constexpr double kNoVolume = 1e-12;

enum class Defect { kNone, kRepeatedNode, kInverted, kFlat, kTangled, kTurnedCorner };

struct Measures {
  Defect defect = Defect::kNone;
  double jacobian = 1.0, aspect = 1.0, warp = 0.0;
};

class ElementMeasurer {
 public:
  ElementMeasurer(const Mesh& mesh, const MeshElement& element) : element_(element) {
    const int* nodes = mesh.nodesOf(element);
    count_ = nodeCount(element.shape);
    for (int i = 0; i < count_; ++i) {
      points_.col(i) = mesh.points[nodes[i]];
      for (int k = 0; k < i; ++k) hasRepeatedNode_ = hasRepeatedNode_ || nodes[k] == nodes[i];
    }
    const int corners = cornerCount(element.shape);
    for (int i = 0; i < corners; ++i) {
      for (int k = 0; k < i; ++k)
        longest_ = std::max(longest_, (points_.col(i) - points_.col(k)).norm());
    }
  }

  Measures measure() {
    Measures result;
    if (hasRepeatedNode_) {
      result.defect = Defect::kRepeatedNode;
      return result;
    }
    if (element_.shape == ElementShape::kBeam2) {
      if (!(longest_ > 0.0)) result.defect = Defect::kFlat;
      return result;
    }
    measureJacobian(result);
    measureShape(result);
    return result;
  }

 private:
  void measureJacobian(Measures& result) const {
    const JacobianSamples& samples = samplesOf(element_.shape);
    const auto points = points_.leftCols(count_);
    const bool isFace = isShell(element_.shape);
    Vector3d normal = Vector3d::Zero();
    if (isFace) {
      for (int i = 0; i < samples.integrationPoints; ++i) {
        const Eigen::Matrix<double, 3, 2> J = points * samples.derivatives[i];
        normal += J.col(0).cross(J.col(1));
      }
      normal.normalize();
    }
    double least = std::numeric_limits<double>::infinity(), most = -least, leastInside = least;
    for (std::size_t i = 0; i < samples.derivatives.size(); ++i) {
      double value = 0.0;
      if (isFace) {
        const Eigen::Matrix<double, 3, 2> J = points * samples.derivatives[i];
        value = J.col(0).cross(J.col(1)).dot(normal);
      } else {
        const Eigen::Matrix3d J = points * samples.derivatives[i];
        value = J.determinant();
      }
      least = std::min(least, value);
      most = std::max(most, value);
      if (static_cast<int>(i) < samples.integrationPoints)
        leastInside = std::min(leastInside, value);
    }
    const double zero = kNoVolume * std::pow(longest_, isFace ? 2 : 3);
    result.jacobian = most > 0.0 ? least / most : -1.0;
    // Not a number counts as flat.
    if (!(std::max(most, -least) > zero)) {
      result.defect = Defect::kFlat;
      result.jacobian = 0.0;
    } else if (most <= zero) {
      result.defect = Defect::kInverted;
    } else if (!(leastInside > zero)) {
      result.defect = Defect::kTangled;
    } else if (!(least > zero)) {
      result.defect = Defect::kTurnedCorner;
    }
  }

  void measureShape(Measures& result) const {
    const auto at = [&](int i) -> Vector3d { return points_.col(i); };
    const int corners = cornerCount(element_.shape);
    if (corners == 3) {
      const double area = (at(1) - at(0)).cross(at(2) - at(0)).norm();
      result.aspect = longest_ * longest_ / area * std::sqrt(0.75);
    } else if (corners == 4 && isSolid(element_.shape)) {
      const double volume = std::abs((at(1) - at(0)).cross(at(2) - at(0)).dot(at(3) - at(0)));
      double face = 0.0;  // twice the largest
      for (int i = 0; i < 4; ++i) {
        const Vector3d a = at((i + 1) % 4), b = at((i + 2) % 4), c = at((i + 3) % 4);
        face = std::max(face, (b - a).cross(c - a).norm());
      }
      result.aspect = longest_ * face / volume * std::sqrt(2.0 / 3.0);
    } else {
      result.aspect = longestEdge() / shortestEdge();
    }
    if (corners == 4 && isShell(element_.shape)) {
      const Vector3d normal = (at(2) - at(0)).cross(at(3) - at(1));  // twice the area
      const double distance =
          0.25 * std::abs((at(0) - at(1) + at(2) - at(3)).dot(normal.normalized()));
      result.warp = distance / std::sqrt(0.5 * normal.norm());
    }
  }

  template <class Fold>
  double foldEdges(double start, const Fold& fold) const {
    static constexpr int kQuad[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    static constexpr int kPyramid[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0},
                                          {0, 4}, {1, 4}, {2, 4}, {3, 4}};
    static constexpr int kWedge[][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                        {5, 3}, {0, 3}, {1, 4}, {2, 5}};
    static constexpr int kHex[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                      {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    const auto each = [&](const auto& edges) {
      for (const auto& edge : edges)
        start = fold(start, (points_.col(edge[0]) - points_.col(edge[1])).norm());
    };
    switch (cornerCount(element_.shape)) {
      case 4:
        each(kQuad);
        break;
      case 5:
        each(kPyramid);
        break;
      case 6:
        each(kWedge);
        break;
      default:
        each(kHex);
    }
    return start;
  }
  double longestEdge() const {
    return foldEdges(0.0, [](double a, double b) { return std::max(a, b); });
  }
  double shortestEdge() const {
    return foldEdges(std::numeric_limits<double>::infinity(),
                     [](double a, double b) { return std::min(a, b); });
  }

  const MeshElement& element_;
  Eigen::Matrix<double, 3, 20> points_;
  int count_ = 0;
  bool hasRepeatedNode_ = false;
  double longest_ = 0.0;
};

// "element 3 (tet4, set 'STEEL') and 7 more: 12, 15, …"
std::string listElements(const Mesh& mesh, const std::vector<int>& elements) {
  constexpr std::size_t kMost = 6;
  std::string text = describeElement(mesh, elements[0]);
  if (elements.size() == 1) return text;
  text += " and " + std::to_string(elements.size() - 1) + " more: ";
  for (std::size_t i = 1; i < std::min(kMost, elements.size()); ++i) {
    text += (i == 1 ? "" : ", ") + std::to_string(mesh.elements[elements[i]].id);
  }
  return elements.size() > kMost ? text + ", …" : text;
}

class Checker {
 public:
  explicit Checker(const Mesh& mesh)
      : mesh_(mesh), file_(std::make_shared<const std::string>(mesh.file)) {}

  QualityReport check() {
    report_.extent = calcExtent(mesh_);
    checkElements();
    checkPieces();
    checkNodes();
    checkRepeated();
    checkSize();
    return std::move(report_);
  }

 private:
  base::Place placeOf(int element) const {
    return {file_, element < 0 ? 0 : mesh_.elements[element].line, 0};
  }
  void warn(int element, const std::string& message, const std::string& hint = {}) {
    report_.messages.addWarning(placeOf(element), message, hint);
  }
  void addErrors(const std::vector<int>& elements, const char* what, const char* hint) {
    if (elements.empty()) return;
    report_.messages.addError(placeOf(elements[0]),
                              std::string(what) + ": " + listElements(mesh_, elements), hint);
  }

  void checkElements() {
    std::array<std::vector<int>, 6> found;
    std::vector<int> distorted, slender, warped;
    for (int e = 0; e < static_cast<int>(mesh_.elements.size()); ++e) {
      const MeshElement& element = mesh_.elements[e];
      const Measures measures = ElementMeasurer(mesh_, element).measure();
      found[static_cast<int>(measures.defect)].push_back(e);
      ShapeQuality& quality = report_.shapes[element.shape];
      ++quality.count;
      const auto keepWorst = [&](bool isWorse, double value, double& worst, int& index) {
        if (!isWorse && index >= 0) return;
        worst = value;
        index = e;
      };
      keepWorst(measures.jacobian < quality.worstJacobian, measures.jacobian, quality.worstJacobian,
                quality.worstJacobianElement);
      keepWorst(measures.aspect > quality.worstAspect, measures.aspect, quality.worstAspect,
                quality.worstAspectElement);
      keepWorst(measures.warp > quality.worstWarp, measures.warp, quality.worstWarp,
                quality.worstWarpElement);
      if (measures.defect != Defect::kNone) continue;
      if (measures.jacobian < kDistorted) distorted.push_back(e);
      if (measures.aspect > kSlender) slender.push_back(e);
      if (measures.warp > kWarped) warped.push_back(e);
    }
    const auto of = [&](Defect defect) -> const std::vector<int>& {
      return found[static_cast<int>(defect)];
    };
    addErrors(of(Defect::kRepeatedNode), "an element uses a node twice",
              "write it as an element of fewer nodes: a wedge or a triangle");
    addErrors(of(Defect::kInverted), "inverted, its volume is negative",
              "turn its nodes around: those of the upper face in place of those of the lower one");
    addErrors(of(Defect::kFlat), "flat, it has no volume or area",
              "remove it or move its nodes apart");
    addErrors(of(Defect::kTangled), "tangled, its Jacobian changes sign",
              "move its nodes, or the middles of its edges, or mesh more finely there");
    warnMany(of(Defect::kTurnedCorner), "a corner is turned inside out");
    warnMany(distorted, "distorted, the Jacobian varies by more than a factor of 10");
    warnMany(slender,
             "slender, the longest edge is more than 50 times the smallest height or edge");
    warnMany(warped, "warped, corners are out of plane by more than a tenth of the size");
  }

  void warnMany(const std::vector<int>& elements, const char* what) {
    if (!elements.empty())
      warn(elements[0], std::string(what) + ": " + listElements(mesh_, elements));
  }

  void checkPieces() {
    const std::vector<int> pieceOf = findPieces(mesh_);
    for (int e = 0; e < static_cast<int>(pieceOf.size()); ++e) {
      if (pieceOf[e] == static_cast<int>(report_.pieces.size()))
        report_.pieces.push_back({0, e, {}});
      ++report_.pieces[pieceOf[e]].elements;
    }
    if (report_.pieces.size() < 2) return;
    for (const auto& [name, elements] : mesh_.elementSets) {
      for (const int e : elements) {
        std::vector<std::string>& sets = report_.pieces[pieceOf[e]].sets;
        if (sets.empty() || sets.back() != name) sets.push_back(name);
      }
    }
    std::stable_sort(
        report_.pieces.begin(), report_.pieces.end(),
        [](const MeshPiece& a, const MeshPiece& b) { return a.elements > b.elements; });
    const auto failure = findFloatingPieces(mesh_, report_);
    warn(report_.pieces[1].firstElement, failure->message, failure->hint);
  }

  void checkNodes() {
    const auto id = [&](int node) { return std::to_string(mesh_.nodeIds[node]); };
    const std::vector<int> unused = findUnusedNodes(mesh_);
    if (!unused.empty()) {
      warn(-1, unused.size() == 1 ? "no element uses node " + id(unused[0])
                                  : "no element uses " + std::to_string(unused.size()) +
                                        " nodes, the first is " + id(unused[0]));
    }
    const auto pairs = findCoincidentNodes(mesh_);
    if (pairs.empty()) return;
    warn(-1,
         std::to_string(pairs.size()) + (pairs.size() == 1 ? " pair" : " pairs") +
             " of nodes at the same place are not merged, the first is " + id(pairs[0].first) +
             " and " + id(pairs[0].second),
         "the mesh is open there as along a crack; merge them unless that is meant");
  }

  void checkRepeated() {
    const auto repeated = findRepeatedElements(mesh_);
    if (repeated.empty()) return;
    const auto [first, second] = repeated[0];
    warn(second,
         std::to_string(repeated.size()) +
             (repeated.size() == 1 ? " element has" : " elements have") +
             " the nodes of another one, the first is " + describeElement(mesh_, second) +
             " with those of " + std::to_string(mesh_.elements[first].id),
         "their stiffness and mass count twice");
  }

  void checkSize() {
    const double size = report_.extent.maxCoeff();
    if (size > 1e3) {
      warn(-1, "the part is " + base::formatText("%.3g", size) + " m long",
           "is its unit of length right? `unit: mm` makes it a thousand times smaller");
    } else if (size > 0.0 && size < 1e-6) {
      warn(-1, "the part is " + base::formatText("%.3g", size) + " m long",
           "is its unit of length right? see `unit`");
    }
  }

  const Mesh& mesh_;
  std::shared_ptr<const std::string> file_;
  QualityReport report_;
};

}  // namespace

QualityReport checkQuality(const Mesh& mesh) {
  return Checker(mesh).check();
}

std::string describeElement(const Mesh& mesh, int element) {
  const MeshElement& e = mesh.elements[element];
  std::string text = "element " + std::to_string(e.id) + " (" + nameOf(e.shape);
  if (e.property >= 0) return text + ", set '" + mesh.properties[e.property].name + "')";
  for (const auto& [name, elements] : mesh.elementSets) {
    if (std::binary_search(elements.begin(), elements.end(), element))
      return text + ", set '" + name + "')";
  }
  return text + ")";
}

std::optional<base::Failure> findFloatingPieces(const Mesh& mesh, const QualityReport& report) {
  if (report.pieces.size() < 2) return {};
  const MeshPiece& second = report.pieces[1];
  std::string message = "the mesh has " + std::to_string(report.pieces.size()) +
                        " pieces that nothing connects; the second has " +
                        std::to_string(second.elements) +
                        (second.elements == 1 ? " element, " : " elements, among them ") +
                        describeElement(mesh, second.firstElement);
  return base::Failure{message,
                       "merge coincident nodes, or join the pieces by a rigid or averaging spider"};
}

}  // namespace flexloop::fem
