// Where a coordinate q is, for what acts on any coordinate: friction, stops and latches. A place gives q and its rate, and takes a force Q on q.
// That of a joint is (6.5) or (6.6), with the wrench W = Q G of (6.7). That of a guide is an unknown of its own (docs/theory/36_guides.md).
#pragma once

#include <array>

#include "mechanics/joints/joint_coordinate.hpp"
#include "system/gather.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

// The coordinate with its derivatives along a motion, and the sums of the terms of its value and of its rate.
struct CoordinateReading {
  double value = 0.0, rate = 0.0, acceleration = 0.0, rateSize = 0.0;
  double size = 0.0;  // of the terms of the value
};

template <class CoordinateType>
struct OnJoint {
  using Coordinate = CoordinateType;
  static constexpr bool kTurns = Coordinate::kTurns;
  static constexpr int kNodes = 2, kScalars = 0;
  static constexpr const char* kWord = kTurns ? "rotation" : "translation";

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
    Thread<S> thread;
  };

  // Whether a slot of an element with that many slots belongs to the coordinate.
  static constexpr bool isOwn(int slot, int) { return slot < kNodes; }

  template <class S, class P>
  class At {
   public:
    template <class LocalView>
    At(const Parameters<P>& place, const LocalView& u)
        : place_(place),
          relative_(calcRelative<S, P>(place.frames, u.frame[0], u.frame[1])),
          G_(Coordinate::calcGradient(relative_)) {}

    // q − target; whole turns make no difference, except to a screw.
    S calcGapTo(const S& target) const {
      return calcGap<Coordinate, S, P>(relative_, place_.thread, target);
    }
    // q, of an angle the one that is nearest to `angle`.
    S calcNearest(const S& angle) const {
      const S q = Coordinate::calcValue(relative_);
      if constexpr (kTurns) return math::nearestTurn<S>(q, angle);
      return q;
    }
    template <class LocalView>
    S calcRate(const LocalView& u) const {
      return G_.dot(calcRelativeTwist<S, P>(place_.frames, relative_, u.twist[0], u.twist[1]));
    }
    template <class ResidualView>
    void addForce(const S& Q, ResidualView& r) const {
      const math::Vec6<S> W = Q * G_;
      addWrench<S, P>(place_.frames, relative_, W, r.node[0], r.node[1]);
    }

   private:
    const Parameters<P>& place_;
    math::Frame<S> relative_;
    math::Vec6<S> G_;
  };

  static CoordinateReading read(const Parameters<double>& place, const system::Motion& motion,
                                const std::array<system::NodeIndex, 2>& nodes,
                                const std::array<system::UnknownIndex, 0>&, double target) {
    using math::Taylor2;
    const auto local =
        system::gatherLocal<0>(motion, nodes, std::array<system::UnknownIndex, 0>{}, 0);
    system::Local<Taylor2, 2, 0> along;
    system::seedTime(local, along);
    const auto flow = calcRelative<Taylor2, double>(place.frames, along.frame[0], along.frame[1]);
    const Taylor2 gap = calcGap<Coordinate, Taylor2, double>(flow, place.thread, Taylor2(target));
    const auto relative =
        calcRelative<double, double>(place.frames, local.frame[0], local.frame[1]);
    const math::Vec6<double> G = Coordinate::calcGradient(relative);
    const math::Vec6<double> none = math::Vec6<double>::Zero();
    const auto first =
        calcRelativeTwist<double, double>(place.frames, relative, local.twist[0], none);
    const auto second =
        calcRelativeTwist<double, double>(place.frames, relative, none, local.twist[1]);
    const double size = G.cwiseAbs().dot(first.cwiseAbs() + second.cwiseAbs());
    const double far = local.frame[0].x.norm() + local.frame[1].x.norm();
    return {target + gap.value, gap.first, gap.second, size, kTurns ? 1.0 : far};
  }
};

// The last scalar of the element is q. Nothing acts on the node: it is the one that slides, by whose motion small rates are judged.
struct AlongGuide {
  static constexpr bool kTurns = false;
  static constexpr int kNodes = 1, kScalars = 1;
  static constexpr const char* kWord = "position";

  template <class S>
  struct Parameters {};

  static constexpr bool isOwn(int slot, int slots) { return slot == slots - 1; }

  template <class S, class P>
  class At {
   public:
    template <class LocalView>
    At(const Parameters<P>&, const LocalView& u) : q_(u.value.back()) {}

    S calcGapTo(const S& target) const { return q_ - target; }
    S calcNearest(const S&) const { return q_; }
    template <class LocalView>
    S calcRate(const LocalView& u) const {
      return u.rate.back();
    }
    template <class ResidualView>
    void addForce(const S& Q, ResidualView& r) const {
      r.scalar.back() += Q;
    }

   private:
    S q_;
  };

  static CoordinateReading read(const Parameters<double>&, const system::Motion& motion,
                                const std::array<system::NodeIndex, 1>& nodes,
                                const std::array<system::UnknownIndex, 1>& own, double) {
    const int q = own[0].value;
    const system::NodeMotion& sliding = motion.nodes[nodes[0].value];
    return {motion.value[q], motion.rate[q], motion.acceleration[q],
            std::abs(motion.rate[q]) + sliding.twist.template head<3>().norm(),
            std::abs(motion.value[q]) + sliding.frame.x.norm()};
  }
};

// The nodes and unknowns of one place.
template <class Place>
struct PlaceInMachine {
  std::array<system::NodeIndex, Place::kNodes> nodes;
  std::array<system::UnknownIndex, Place::kScalars> own;
  typename Place::template Parameters<double> place;
};

// The first of the scalars of an element on a place; those of the place come last.
template <class Place, std::size_t N>
std::array<system::UnknownIndex, N + Place::kScalars> joinScalars(
    const std::array<system::UnknownIndex, N>& first, const PlaceInMachine<Place>& at) {
  std::array<system::UnknownIndex, N + Place::kScalars> all;
  for (std::size_t i = 0; i < N; ++i) all[i] = first[i];
  for (int i = 0; i < Place::kScalars; ++i) all[N + i] = at.own[i];
  return all;
}

// How far the coordinate of a place that is element e of a set is, and how fast.
template <class Place, class Set>
CoordinateReading readPlace(const Set& set, int e,
                            const typename Place::template Parameters<double>& place,
                            const system::Motion& motion, double target) {
  std::array<system::NodeIndex, Place::kNodes> nodes;
  for (int k = 0; k < Place::kNodes; ++k) nodes[k] = set.node(e, k);
  std::array<system::UnknownIndex, Place::kScalars> own;
  for (int i = 0; i < Place::kScalars; ++i) {
    own[i] = set.scalar(e, set.scalars(e) - Place::kScalars + i);
  }
  return Place::read(place, motion, nodes, own, target);
}

}  // namespace flexloop::mechanics
