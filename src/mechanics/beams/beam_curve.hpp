// The unloaded shape of a beam: a straight line or a circular arc, with section axes that follow
// it.
//
// A line and an arc have constant strain (e_x; κ) in their own section axes, so the section frame
// at arc length s is that of a screw motion, turned by the pretwist τ about its x axis:
//
//     F(s) = F_0 exp(s (e_x; κ)) exp((0; e_x) τ s/L).                                    (7.16)
#pragma once

#include <optional>

#include "base/result.hpp"
#include "math/se3.hpp"

namespace flexloop::mechanics {

// A line or an arc, ground axes.
struct BeamLine {
  math::Vec3<double> origin;
  math::Vec3<double> tangent;    // unit, at the start
  math::Vec3<double> curvature;  // 1/radius times the axis about which the tangent turns
  double length = 0.0;           // arc length
};

base::Result<BeamLine> makeStraightLine(const math::Vec3<double>& from,
                                        const math::Vec3<double>& to);
// From `from` through `via` to `to`.
base::Result<BeamLine> makeArc(const math::Vec3<double>& from, const math::Vec3<double>& via,
                               const math::Vec3<double>& to);

struct BeamCurve {
  math::Frame<double> start;  // F_0
  math::Vec6<double> strain;  // (e_x; κ)
  double length = 0.0;
  double twist = 0.0;  // τ, rad

  // The section frame at a fraction of the length.
  math::Frame<double> at(double fraction) const;
  // The angle by which the section turns along a fraction of the length.
  double turnOf(double fraction) const;
};

// `yAxis` is the section's y at the start; only its part normal to the beam counts. Nothing if
// there is no such part.
std::optional<BeamCurve> makeCurve(const BeamLine& line, const math::Vec3<double>& yAxis,
                                   double twist);

// Some direction normal to the line at its start.
math::Vec3<double> chooseNormal(const BeamLine& line);

}  // namespace flexloop::mechanics
