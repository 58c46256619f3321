#include "fem/elements/solid_tables.hpp"

#include <array>
#include <cassert>
#include <vector>

#include <Eigen/QR>

#include "fem/elements/solid_shapes.hpp"
#include "math/quadrature.hpp"

namespace flexloop::fem {
namespace {

using Eigen::Vector3d;

struct Point {
  Vector3d xi;
  double weight;
};
using Rule = std::vector<Point>;

struct LinePoint {
  double x, weight;
};

template <int n>
std::vector<LinePoint> linePoints() {
  constexpr math::Quadrature<n> gauss = math::gaussPoints<n>();
  std::vector<LinePoint> points;
  for (int i = 0; i < n; ++i) points.push_back({gauss.points[i], gauss.weights[i]});
  return points;
}

template <int n>
Rule cubeRule() {
  Rule rule;
  for (const LinePoint& z : linePoints<n>()) {
    for (const LinePoint& y : linePoints<n>()) {
      for (const LinePoint& x : linePoints<n>()) {
        rule.push_back({{x.x, y.x, z.x}, x.weight * y.weight * z.weight});
      }
    }
  }
  return rule;
}

// Three points with barycentric coordinates (1 − 2a, a, a).
void addTriangleOrbit(Rule& rule, double a, double weight) {
  rule.push_back({{a, a, 0.0}, weight});
  rule.push_back({{1.0 - 2.0 * a, a, 0.0}, weight});
  rule.push_back({{a, 1.0 - 2.0 * a, 0.0}, weight});
}

// Exact for polynomials of this degree: 1, 2 or 4 (Strang and Fix; Dunavant 1985).
Rule triangleRule(int degree) {
  Rule rule;
  if (degree == 1) rule.push_back({{1.0 / 3.0, 1.0 / 3.0, 0.0}, 0.5});
  if (degree == 2) addTriangleOrbit(rule, 1.0 / 6.0, 1.0 / 6.0);
  if (degree == 4) {
    addTriangleOrbit(rule, 0.44594849091596488632, 0.5 * 0.22338158967801146570);
    addTriangleOrbit(rule, 0.091576213509770743460, 0.5 * 0.10995174365532186764);
  }
  return rule;
}

Rule wedgeRule(const Rule& triangle, const std::vector<LinePoint>& line) {
  Rule rule;
  for (const LinePoint& z : line) {
    for (const Point& p : triangle) {
      rule.push_back({{p.xi.x(), p.xi.y(), z.x}, p.weight * z.weight});
    }
  }
  return rule;
}

// Four points with barycentric coordinates (1 − 3a, a, a, a).
void addTetOrbit(Rule& rule, double a, double weight) {
  rule.push_back({{a, a, a}, weight});
  for (int k = 0; k < 3; ++k) {
    Vector3d xi = Vector3d::Constant(a);
    xi[k] = 1.0 - 3.0 * a;
    rule.push_back({xi, weight});
  }
}

Rule tetRule(int degree) {
  Rule rule;
  if (degree == 1) rule.push_back({Vector3d::Constant(0.25), 1.0 / 6.0});
  if (degree == 2) addTetOrbit(rule, 0.13819660112501051518, 1.0 / 24.0);  // (5 − √5)/20
  if (degree == 5) {  // 14 points, all weights positive (Walkington 2000)
    addTetOrbit(rule, 0.31088591926330060980, 0.018781320953002641800);
    addTetOrbit(rule, 0.092735250310891226402, 0.012248840519393658257);
    const double a = 0.045503704125649649492, b = 0.5 - a, weight = 0.0070910034628469110730;
    for (const Vector3d& xi : {Vector3d(a, a, b), Vector3d(a, b, a), Vector3d(b, a, a),
                               Vector3d(a, b, b), Vector3d(b, a, b), Vector3d(b, b, a)}) {
      rule.push_back({xi, weight});
    }
  }
  return rule;
}

RuleTable makeRuleTable(ElementShape shape, const Rule& rule) {
  RuleTable table;
  const int nodes = nodeCount(shape);
  table.points = static_cast<int>(rule.size());
  assert(table.points <= kMostSolidPoints);
  table.weights.resize(table.points);
  table.xi.resize(3, table.points);
  table.N.resize(nodes, table.points);
  table.dN.resize(3 * table.points, nodes);
  for (int q = 0; q < table.points; ++q) {
    const ShapeValues values = calcSolidShape(shape, rule[q].xi);
    table.weights[q] = rule[q].weight;
    table.xi.col(q) = rule[q].xi;
    table.N.col(q) = values.N.head(nodes);
    table.dN.middleRows<3>(3 * q) = values.dN.topRows(nodes).transpose();
  }
  return table;
}

// Polynomials that stresses are fitted with: as many as the points determine.
Eigen::VectorXd stressPolynomials(ElementShape shape, const Vector3d& xi) {
  const double x = xi.x(), y = xi.y(), z = xi.z();
  Eigen::VectorXd p;
  switch (shape) {
    case ElementShape::kTet4:
      p = Eigen::VectorXd::Ones(1);
      break;
    case ElementShape::kTet10:
      p = Eigen::Vector4d(1, x, y, z);
      break;
    case ElementShape::kPyramid5:  // linear in space: the collapsed coordinates are not
      p = Eigen::Vector4d(1, x * (1 - z), y * (1 - z), z);
      break;
    case ElementShape::kWedge6:
      p = Eigen::Vector2d(1, z);
      break;
    case ElementShape::kWedge15:
      p.resize(6), p << 1, x, y, z, x * z, y * z;
      break;
    default:
      p.resize(8), p << 1, x, y, z, x * y, y * z, z * x, x * y * z;
      break;
  }
  return p;
}

Eigen::MatrixXd makeFit(ElementShape shape, const Rule& rule) {
  const int terms = static_cast<int>(stressPolynomials(shape, Vector3d::Zero()).size());
  Eigen::MatrixXd atPoints(rule.size(), terms), atNodes(nodeCount(shape), terms);
  for (int q = 0; q < atPoints.rows(); ++q) {
    atPoints.row(q) = stressPolynomials(shape, rule[q].xi).transpose();
  }
  for (int i = 0; i < atNodes.rows(); ++i) {
    atNodes.row(i) = stressPolynomials(shape, referencePoint(shape, i)).transpose();
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> factors(atPoints);
  return atNodes *
         factors.solve(Eigen::MatrixXd::Identity(atPoints.rows(), atPoints.rows())).eval();
}

struct Rules {
  Rule stiffness, mass, stress;
  Vector3d centre;
};

// Stiffness points as in CalculiX where its elements are sound, so that the same mesh gives the same answer.
Rules chooseRules(ElementShape shape) {
  const Vector3d origin = Vector3d::Zero();
  switch (shape) {
    case ElementShape::kTet4:
      return {tetRule(1), tetRule(2), tetRule(1), Vector3d::Constant(0.25)};
    case ElementShape::kTet10:
      return {tetRule(2), tetRule(5), tetRule(2), Vector3d::Constant(0.25)};
    case ElementShape::kPyramid5:
      return {cubeRule<2>(), cubeRule<3>(), cubeRule<2>(), origin};
    case ElementShape::kWedge6:
      // One point in the triangle, as elsewhere, leaves a seventh motion without energy.
      return {wedgeRule(triangleRule(2), linePoints<2>()),
              wedgeRule(triangleRule(2), linePoints<2>()),
              wedgeRule(triangleRule(1), linePoints<2>()),
              {1.0 / 3.0, 1.0 / 3.0, 0.0}};
    case ElementShape::kWedge15:
      return {wedgeRule(triangleRule(2), linePoints<3>()),
              wedgeRule(triangleRule(4), linePoints<3>()),
              wedgeRule(triangleRule(2), linePoints<2>()),
              {1.0 / 3.0, 1.0 / 3.0, 0.0}};
    case ElementShape::kHex8:
      return {cubeRule<2>(), cubeRule<2>(), cubeRule<2>(), origin};
    default:
      return {cubeRule<3>(), cubeRule<3>(), cubeRule<2>(), origin};
  }
}

SolidTable makeSolidTable(ElementShape shape) {
  const Rules rules = chooseRules(shape);
  SolidTable table;
  table.nodes = nodeCount(shape);
  table.stiffness = makeRuleTable(shape, rules.stiffness);
  table.mass = makeRuleTable(shape, rules.mass);
  table.stress = makeRuleTable(shape, rules.stress);
  table.toNodes = makeFit(shape, rules.stress);
  table.centre = makeRuleTable(shape, {{rules.centre, 1.0}});
  table.hasIncompatibleModes = shape == ElementShape::kHex8;
  return table;
}

constexpr std::array kSolids = {
    ElementShape::kTet4,    ElementShape::kTet10, ElementShape::kPyramid5, ElementShape::kWedge6,
    ElementShape::kWedge15, ElementShape::kHex8,  ElementShape::kHex20};

}  // namespace

const SolidTable& solidTable(ElementShape shape) {
  assert(isSolid(shape));
  static const std::array<SolidTable, kSolids.size()> tables = [] {
    std::array<SolidTable, kSolids.size()> all;
    for (std::size_t i = 0; i < kSolids.size(); ++i) all[i] = makeSolidTable(kSolids[i]);
    return all;
  }();
  static_assert(static_cast<int>(ElementShape::kHex20) - static_cast<int>(ElementShape::kTet4) ==
                static_cast<int>(kSolids.size()) - 1);
  return tables[static_cast<int>(shape) - static_cast<int>(ElementShape::kTet4)];
}

}  // namespace flexloop::fem
