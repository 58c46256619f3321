#include "mechanics/guides/guide_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace flexloop::mechanics {

using math::Frame;
using math::Vec3;

namespace {

// Parts of a piece in which the nearest point is looked for; a cubic turns back at most twice.
constexpr int kParts = 8;
constexpr int kMostSteps = 60;  // of a bisection, to the last digit

// (36.3): a cubic that touches an arc of the angle α in its middle too.
double calcReach(double length, const Vec3<double>& t_A, const Vec3<double>& t_B) {
  const double quarter = 0.25 * std::atan2(math::cross<double>(t_A, t_B).norm(), t_A.dot(t_B));
  return quarter > 0.0 ? length * std::tan(quarter) / quarter : length;
}

}  // namespace

GuideCurve::GuideCurve(const BeamLayout& beam, std::vector<Frame<double>> frames)
    : frames_(std::move(frames)) {
  for (int i = 0; i < beam.segments(); ++i) {
    GuidePiece<double> piece;
    piece.begin = beam.fractions[i] * beam.length;
    piece.length = (beam.fractions[i + 1] - beam.fractions[i]) * beam.length;
    piece.t_A = beam.axes[i].col(0);
    piece.t_B = beam.axes[i + 1].col(0);
    piece.z_A = beam.axes[i].col(2);
    piece.z_B = beam.axes[i + 1].col(2);
    piece.reach = calcReach(piece.length, frames_[i].R * piece.t_A, frames_[i + 1].R * piece.t_B);
    constexpr double kEverywhere = std::numeric_limits<double>::infinity();
    piece.lower = i == 0 ? -kEverywhere : piece.begin;
    piece.upper = kEverywhere;
    if (i > 0) pieces_.back().upper = piece.begin;
    pieces_.push_back(piece);
  }
}

Vec3<double> GuideCurve::calcPlace(int piece, double xi) const {
  return combine<double, double>(pieces_[piece], CubicWeights<double>::value(xi), frames_[piece],
                                 frames_[piece + 1]);
}

Vec3<double> GuideCurve::calcTangent(int piece, double xi) const {
  return combine<double, double>(pieces_[piece], CubicWeights<double>::slope(xi), frames_[piece],
                                 frames_[piece + 1])
      .normalized();
}

Vec3<double> GuideCurve::calcSectionZ(int piece, double xi) const {
  return (1.0 - xi) * (frames_[piece].R * pieces_[piece].z_A) +
         xi * (frames_[piece + 1].R * pieces_[piece].z_B);
}

// Where the tangent is perpendicular to the line to x, by bisection around the nearest of some places.
GuidePoint GuideCurve::findNearestOn(int piece, const Vec3<double>& x) const {
  const auto ahead = [&](double xi) {
    return (x - calcPlace(piece, xi)).dot(calcTangent(piece, xi));
  };
  int nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= kParts; ++k) {
    const double distance = (x - calcPlace(piece, static_cast<double>(k) / kParts)).norm();
    if (distance < least) {
      least = distance;
      nearest = k;
    }
  }
  double lower = std::max(nearest - 1, 0) / static_cast<double>(kParts);
  double upper = std::min(nearest + 1, kParts) / static_cast<double>(kParts);
  if (ahead(lower) <= 0.0) upper = lower;
  if (ahead(upper) >= 0.0) lower = upper;
  for (int step = 0; step < kMostSteps && lower < upper; ++step) {
    const double middle = 0.5 * (lower + upper);
    (ahead(middle) > 0.0 ? lower : upper) = middle;
  }
  const double xi = 0.5 * (lower + upper);
  const GuidePiece<double>& own = pieces_[piece];
  return {piece, xi, own.begin + xi * own.length, (x - calcPlace(piece, xi)).norm()};
}

GuidePoint GuideCurve::findNearest(const Vec3<double>& x) const {
  GuidePoint nearest = findNearestOn(0, x);
  for (int i = 1; i < static_cast<int>(pieces_.size()); ++i) {
    const GuidePoint point = findNearestOn(i, x);
    if (point.distance < nearest.distance) nearest = point;
  }
  return nearest;
}

}  // namespace flexloop::mechanics
