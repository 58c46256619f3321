#include "mechanics/beams/beam_curve.hpp"

#include <cmath>
#include <numbers>

namespace flexloop::mechanics {
namespace {

using math::cross;
using math::Frame;
using math::Vec3;
using math::Vec6;

// Points closer than this, relative to their coordinates, are the same point.
constexpr double kCoincident = 1e-12;
// Directions with a smaller sine between them are the same direction.
constexpr double kParallel = 1e-6;

bool coincide(const Vec3<double>& a, const Vec3<double>& b) {
  return (b - a).norm() <= kCoincident * (a.norm() + b.norm());
}

const base::Failure kSameEnds{"its two ends are at the same point",
                              "a beam needs a length; check the positions of 'from' and 'to'"};

}  // namespace

base::Result<BeamLine> makeStraightLine(const Vec3<double>& from, const Vec3<double>& to) {
  if (coincide(from, to)) return kSameEnds;
  BeamLine line;
  line.origin = from;
  line.length = (to - from).norm();
  line.tangent = (to - from) / line.length;
  line.curvature.setZero();
  return line;
}

base::Result<BeamLine> makeArc(const Vec3<double>& from, const Vec3<double>& via,
                               const Vec3<double>& to) {
  if (coincide(from, to)) return kSameEnds;
  const Vec3<double> a = via - from;
  const Vec3<double> b = to - from;
  const Vec3<double> normal = cross<double>(a, b);
  if (normal.norm() <= kParallel * a.norm() * b.norm()) {
    return base::Failure{"'via' lies on the line through its ends, so there is no arc",
                         "choose a point off that line, or omit 'via'"};
  }
  // From the start to the centre of the circle through the three points.
  const Vec3<double> toCentre = cross<double>(a.squaredNorm() * b - b.squaredNorm() * a, normal) /
                                (2.0 * normal.squaredNorm());
  const double radius = toCentre.norm();
  const Vec3<double> axis = normal.normalized();
  const Vec3<double> radial = -toCentre / radius;
  BeamLine line;
  line.origin = from;
  line.tangent = cross<double>(axis, radial);
  line.curvature = axis / radius;
  const Vec3<double> end = b - toCentre;
  double angle = std::atan2(end.dot(line.tangent), end.dot(radial));
  if (angle <= 0.0) angle += 2.0 * std::numbers::pi;
  line.length = radius * angle;
  return line;
}

Frame<double> BeamCurve::at(double fraction) const {
  Frame<double> frame = compose(start, math::expSE3<double>(fraction * length * strain));
  frame.R = frame.R * math::expSO3<double>(Vec3<double>(fraction * twist, 0.0, 0.0));
  return frame;
}

double BeamCurve::turnOf(double fraction) const {
  return fraction * std::hypot(length * math::secondOf(strain).norm(), twist);
}

std::optional<BeamCurve> makeCurve(const BeamLine& line, const Vec3<double>& yAxis, double twist) {
  const Vec3<double> direction = yAxis.normalized();
  const Vec3<double> y = direction - direction.dot(line.tangent) * line.tangent;
  if (y.norm() <= kParallel) return std::nullopt;
  BeamCurve curve;
  curve.start.x = line.origin;
  curve.start.R.col(0) = line.tangent;
  curve.start.R.col(1) = y.normalized();
  curve.start.R.col(2) = cross<double>(line.tangent, y.normalized());
  curve.strain =
      math::joined<double>(Vec3<double>::UnitX(), curve.start.R.transpose() * line.curvature);
  curve.length = line.length;
  curve.twist = twist;
  return curve;
}

Vec3<double> chooseNormal(const BeamLine& line) {
  int smallest = 0;
  line.tangent.cwiseAbs().minCoeff(&smallest);
  const Vec3<double> axis = Vec3<double>::Unit(smallest);
  return axis - axis.dot(line.tangent) * line.tangent;
}

}  // namespace flexloop::mechanics
