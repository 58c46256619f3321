// The guide that a beam is, as drawn: its pieces, and the point of it that is nearest to another (docs/theory/36_guides.md).
#pragma once

#include <vector>

#include "mechanics/beams/beam_layout.hpp"
#include "mechanics/guides/guide.hpp"

namespace flexloop::mechanics {

struct GuidePoint {
  int piece = 0;
  double xi = 0.0;
  double position = 0.0;  // along the beam from its first end [m], unloaded
  double distance = 0.0;  // from the point that was asked for [m]
};

class GuideCurve {
 public:
  // `frames` are those of the nodes of the beam, in its order.
  GuideCurve(const BeamLayout& beam, std::vector<math::Frame<double>> frames);

  // The first begins at 0.
  const std::vector<GuidePiece<double>>& pieces() const { return pieces_; }
  math::Vec3<double> calcPlace(int piece, double xi) const;
  math::Vec3<double> calcTangent(int piece, double xi) const;  // a unit vector
  math::Vec3<double> calcSectionZ(int piece, double xi) const;
  GuidePoint findNearest(const math::Vec3<double>& x) const;

 private:
  GuidePoint findNearestOn(int piece, const math::Vec3<double>& x) const;

  std::vector<math::Frame<double>> frames_;
  std::vector<GuidePiece<double>> pieces_;
};

}  // namespace flexloop::mechanics
