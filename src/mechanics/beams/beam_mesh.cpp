#include "mechanics/beams/beam_mesh.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "math/quadrature.hpp"

namespace flexloop::mechanics {
namespace {

// Gauss–Lobatto points on [0, 1] with weights that sum up to one.
struct UnitRule {
  std::array<double, 4> points{}, weights{};
};

template <int n>
UnitRule makeUnitRule() {
  constexpr math::Quadrature<n> rule = math::lobattoPoints<n>();
  UnitRule unit;
  for (int i = 0; i < n; ++i) {
    unit.points[i] = 0.5 * (1.0 + rule.points[i]);
    unit.weights[i] = 0.5 * rule.weights[i];
  }
  return unit;
}

UnitRule unitRule(int order) {
  assert(order >= 1 && order <= 3);
  return order == 1 ? makeUnitRule<2>() : order == 2 ? makeUnitRule<3>() : makeUnitRule<4>();
}

struct Break {
  double fraction;
  int number;
};

bool same(double a, double b) {
  return std::abs(a - b) <= kSameFraction;
}

// The breaks of one element: its own nodes but the last, and the points between them.
std::vector<Break> makeBreaks(const std::vector<Break>& own, double end,
                              const std::vector<double>& points) {
  std::vector<Break> breaks = own;
  auto point = std::upper_bound(points.begin(), points.end(), own.front().fraction);
  for (; point != points.end() && *point < end; ++point) {
    const bool known =
        same(*point, end) || std::any_of(breaks.begin(), breaks.end(),
                                         [&](const Break& b) { return same(b.fraction, *point); });
    if (!known) breaks.push_back({*point, -1});
  }
  std::sort(breaks.begin(), breaks.end(),
            [](const Break& a, const Break& b) { return a.fraction < b.fraction; });
  return breaks;
}

void addNode(const Break& node, BeamMesh& mesh) {
  mesh.fractions.push_back(node.fraction);
  mesh.numbers.push_back(node.number);
}

}  // namespace

BeamMesh makeBeamMesh(int elements, int order, const std::vector<double>& points) {
  const UnitRule rule = unitRule(order);
  BeamMesh mesh;
  mesh.order = order;
  for (int e = 0; e < elements; ++e) {
    const double start = static_cast<double>(e) / elements;
    const double end = static_cast<double>(e + 1) / elements;
    std::vector<Break> own;
    for (int j = 0; j < order; ++j) {
      own.push_back({start + (end - start) * rule.points[j], e * order + j});
    }
    const std::vector<Break> breaks = makeBreaks(own, end, points);
    if (breaks.size() == own.size()) {
      for (const Break& node : own) addNode(node, mesh);
      continue;
    }
    for (std::size_t i = 0; i < breaks.size(); ++i) {
      const double from = breaks[i].fraction;
      const double to = i + 1 < breaks.size() ? breaks[i + 1].fraction : end;
      addNode(breaks[i], mesh);
      for (int j = 1; j < order; ++j) addNode({from + (to - from) * rule.points[j], -1}, mesh);
    }
  }
  addNode({1.0, elements * order}, mesh);
  return mesh;
}

int findElement(const BeamMesh& mesh, double fraction) {
  const auto after =
      std::upper_bound(mesh.fractions.begin(), mesh.fractions.end(), fraction + kSameFraction);
  const int node = static_cast<int>(after - mesh.fractions.begin()) - 1;
  return std::clamp(node / mesh.order, 0, mesh.elements() - 1);
}

int findMeshNode(const BeamMesh& mesh, double fraction) {
  const auto it =
      std::lower_bound(mesh.fractions.begin(), mesh.fractions.end(), fraction - kSameFraction);
  if (it == mesh.fractions.end() || !same(*it, fraction)) return -1;
  return static_cast<int>(it - mesh.fractions.begin());
}

std::vector<double> calcShares(const BeamMesh& mesh) {
  const UnitRule rule = unitRule(mesh.order);
  std::vector<double> shares(mesh.nodes(), 0.0);
  for (int e = 0; e < mesh.elements(); ++e) {
    const double length = mesh.endOf(e) - mesh.startOf(e);
    for (int j = 0; j <= mesh.order; ++j) {
      shares[e * mesh.order + j] += length * rule.weights[j];
    }
  }
  return shares;
}

}  // namespace flexloop::mechanics
