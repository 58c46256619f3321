#include "model/start/guide_track.hpp"

#include <utility>

namespace flexloop::model {

using math::Frame;
using math::Vec3;
using math::Vec6;
using mechanics::GuideCurve;
using Frames = std::vector<Frame<double>>;

namespace {

// Of the length of the beam: a difference for the turning of a clamped node.
constexpr double kDifference = 1e-6;

Vec3<double> velocityAt(const Vec3<double>& place, const Vec6<double>& field) {
  return field.head<3>() + math::cross<double>(field.tail<3>(), place);
}

}  // namespace

GuideTrack::GuideTrack(mechanics::BeamLayout beam, system::NodeIndex sliding, bool isClamped,
                       system::UnknownIndex position, const Frames& drawn)
    : beam_(std::move(beam)), sliding_(sliding), isClamped_(isClamped), position_(position) {
  origin_ = find(drawn).point.position;
}

GuideTrack::Local GuideTrack::find(const Frames& frames) const {
  Frames own;
  for (const system::NodeIndex node : beam_.nodes) own.push_back(frames[node.value]);
  GuideCurve curve(beam_, std::move(own));
  const mechanics::GuidePoint point = curve.findNearest(frames[sliding_.value].x);
  return {std::move(curve), point, beam_.nodes[point.piece], beam_.nodes[point.piece + 1]};
}

double GuideTrack::calcPosition(const Frames& frames) const {
  return find(frames).point.position - origin_;
}

Frame<double> GuideTrack::calcSection(const GuideCurve& curve, int piece, double xi) const {
  Frame<double> section;
  section.x = curve.calcPlace(piece, xi);
  section.R = math::Mat3<double>::Identity();
  if (!isClamped_) return section;
  const Vec3<double> t = curve.calcTangent(piece, xi), z = curve.calcSectionZ(piece, xi);
  const Vec3<double> across = (z - z.dot(t) * t).normalized();
  section.R.col(0) = t;
  section.R.col(1) = math::cross<double>(across, t);
  section.R.col(2) = across;
  return section;
}

Frame<double> GuideTrack::calcMove(const Frames& frames, double by) const {
  const Local at = find(frames);
  const double target = at.point.position + by;
  const auto& pieces = at.curve.pieces();
  int piece = 0;
  while (piece + 1 < static_cast<int>(pieces.size()) && target >= pieces[piece].upper) ++piece;
  const Frame<double> from = calcSection(at.curve, at.point.piece, at.point.xi);
  const Frame<double> to =
      calcSection(at.curve, piece, (target - pieces[piece].begin) / pieces[piece].length);
  return math::compose<double>(to, math::inverse<double>(from));
}

Vec6<double> GuideTrack::calcField(const Frames& frames) const {
  const Local at = find(frames);
  const Vec3<double> tangent = at.curve.calcTangent(at.point.piece, at.point.xi);
  if (!isClamped_) return math::joined<double>(tangent, Vec3<double>::Zero());
  const double step = kDifference * beam_.length;
  const Vec6<double> moved = math::logSE3<double>(calcMove(frames, step));
  const Vec3<double> turn = moved.tail<3>() / step;
  return math::joined<double>(tangent - math::cross<double>(turn, frames[sliding_.value].x), turn);
}

// q' p' is what is left of the velocity of the node beside that of the guide, (36.1).
double GuideTrack::calcRate(const Local& at, const Frames& frames, const Vec6<double>& C,
                            const Vec6<double>& A, const Vec6<double>& B) const {
  const auto& piece = at.curve.pieces()[at.point.piece];
  const auto w = mechanics::CubicWeights<double>::value(at.point.xi);
  const Frame<double>&F_A = frames[at.first.value], &F_B = frames[at.second.value];
  const Vec3<double> turned = w.g0 * math::cross<double>(A.tail<3>(), F_A.R * piece.t_A) +
                              w.g1 * math::cross<double>(B.tail<3>(), F_B.R * piece.t_B);
  const Vec3<double> guide =
      w.h0 * velocityAt(F_A.x, A) + w.h1 * velocityAt(F_B.x, B) + piece.reach * turned;
  const auto slope = mechanics::CubicWeights<double>::slope(at.point.xi);
  const Vec3<double> along =
      mechanics::combine<double, double>(piece, slope, F_A, F_B) / piece.length;
  return along.dot(velocityAt(frames[sliding_.value].x, C) - guide) / along.squaredNorm();
}

}  // namespace flexloop::model
