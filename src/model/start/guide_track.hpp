// The beam along which a node slides, for a `start` along it: where on the beam the node is, and how what hangs on it moves along.
#pragma once

#include <vector>

#include "mechanics/beams/beam_layout.hpp"
#include "mechanics/guides/guide_curve.hpp"
#include "system/state.hpp"

namespace flexloop::model {

class GuideTrack {
 public:
  // `drawn` are the frames of all nodes as they are placed.
  GuideTrack(mechanics::BeamLayout beam, system::NodeIndex sliding, bool isClamped,
             system::UnknownIndex position, const std::vector<math::Frame<double>>& drawn);

  system::UnknownIndex position() const { return position_; }
  // The coordinate: how far along the beam the node has moved from where it is placed [m].
  double calcPosition(const std::vector<math::Frame<double>>& frames) const;
  // The velocity field of what hangs on the node, for a rate of one, in ground axes.
  math::Vec6<double> calcField(const std::vector<math::Frame<double>>& frames) const;
  // The motion that takes what hangs on the node so far along the beam.
  math::Frame<double> calcMove(const std::vector<math::Frame<double>>& frames, double by) const;
  // The rate of the coordinate where the nodes have these velocity fields.
  template <class FieldOf>
  double calcRate(const std::vector<math::Frame<double>>& frames, const FieldOf& fieldOf) const {
    const Local at = find(frames);
    const math::Vec6<double> C = fieldOf(sliding_), A = fieldOf(at.first), B = fieldOf(at.second);
    return calcRate(at, frames, C, A, B);
  }

 private:
  struct Local {
    mechanics::GuideCurve curve;
    mechanics::GuidePoint point;
    system::NodeIndex first, second;  // of the piece
  };
  Local find(const std::vector<math::Frame<double>>& frames) const;
  double calcRate(const Local& at, const std::vector<math::Frame<double>>& frames,
                  const math::Vec6<double>& C, const math::Vec6<double>& A,
                  const math::Vec6<double>& B) const;
  math::Frame<double> calcSection(const mechanics::GuideCurve& curve, int piece, double xi) const;

  mechanics::BeamLayout beam_;
  system::NodeIndex sliding_;
  bool isClamped_;
  system::UnknownIndex position_;
  double origin_ = 0.0;  // the place along the beam where the coordinate is zero
};

}  // namespace flexloop::model
