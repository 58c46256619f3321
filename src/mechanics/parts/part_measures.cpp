#include "mechanics/parts/part_measures.hpp"

#include <algorithm>
#include <utility>

#include "math/flow.hpp"
#include "math/jet.hpp"
#include "mechanics/parts/foreshortening.hpp"
#include "mechanics/parts/stress_measures.hpp"
#include "system/flow_view.hpp"

namespace flexloop::mechanics {

using Eigen::MatrixXd;
using math::Flow;
using math::Jet;
using math::Vec3;
using system::Environment;
using system::Motion;
using system::NodeIndex;

namespace {

// Nodes and modes as one scalar sees them. `nodes` counts those in front of the modes in the local freedoms.
struct PlainView {
  const Motion& motion;
  const PartPlace& place;

  MovingFrame<double> frame(NodeIndex node, int) const { return frameOf(motion, node); }
  std::array<double, 3> mode(int j) const { return scalarOf(motion, place.modes[j]); }
};

struct FlowView {
  const Motion& motion;
  const PartPlace& place;

  MovingFrame<Flow<double>> frame(NodeIndex node, int) const {
    system::Local<double, 1, 0> at;
    const system::NodeMotion& n = motion.nodes[node.value];
    at.frame[0] = n.frame;
    at.twist[0] = n.twist;
    at.twistRate[0] = n.twistRate;
    at.time = motion.time;
    const auto flow = system::makeFlow(at);
    return {flow.frame[0], flow.twist[0], flow.twistRate[0]};
  }
  std::array<Flow<double>, 3> mode(int j) const {
    const auto [q, rate, acceleration] = scalarOf(motion, place.modes[j]);
    return {Flow<double>(q, rate), Flow<double>(rate, acceleration), Flow<double>(acceleration)};
  }
};

struct JetView {
  const Motion& motion;
  const PartPlace& place;
  const system::JetSeeds& seeds;
  int nodes;

  MovingFrame<Jet> frame(NodeIndex node, int k) const {
    const system::NodeMotion& n = motion.nodes[node.value];
    MovingFrame<Jet> jets;
    system::makeNodeJets(n.frame, n.twist, n.twistRate, k, seeds, jets.frame, jets.twist,
                         jets.twistRate);
    return jets;
  }
  std::array<Jet, 3> mode(int j) const {
    return system::makeScalarJets(scalarOf(motion, place.modes[j]), 6 * nodes + j, seeds);
  }
};

// rows·z, rows·z' and rows·z''. Nothing is allocated.
template <class S, int Rows>
struct Recovered {
  Eigen::Matrix<S, Rows, 1> value, rate, acceleration;
  MovingFrame<S> first;

  template <class View>
  Recovered(const View& view, const MeasuredPart& part, const MatrixXd& rows)
      : first(view.frame(part.place.nodes[0], 0)) {
    for (auto* x : {&value, &rate, &acceleration}) x->setConstant(S(0.0));
    const int others = part.matrices->interfaces - 1;
    for (int k = 0; k < others; ++k) {
      const auto z = calcRelativeMotion<S>(first, view.frame(part.place.nodes[k + 1], k + 1),
                                           part.matrices->arms[k]);
      for (int i = 0; i < 6; ++i) {
        add(rows, 6 * k + i, {z.z[i], z.rate[i], z.acceleration[i]});
      }
    }
    for (int j = 0; j < part.matrices->modes; ++j) add(rows, 6 * others + j, view.mode(j));
  }

 private:
  void add(const MatrixXd& rows, int column, const std::array<S, 3>& z) {
    for (int r = 0; r < Rows; ++r) {
      const double factor = rows(r, column);
      if (factor == 0.0) continue;
      value[r] += z[0] * S(factor);
      rate[r] += z[1] * S(factor);
      acceleration[r] += z[2] * S(factor);
    }
  }
};

// z of a part.
template <class S, class View>
VectorOf<S> gatherCoordinates(const View& view, const MeasuredPart& part) {
  PartMotion<S> motion(part.matrices->interfaces, part.matrices->modes);
  motion.gather(
      part.matrices->arms, [&](int k) { return view.frame(part.place.nodes[k], k); },
      [&](int j) { return view.mode(j); });
  return motion.z;
}

}  // namespace

PartPointMeasure::PartPointMeasure(Quantity quantity, MeasuredPart part, const Vec3<double>& arm,
                                   const MatrixXd& rows, NodeIndex axes, const Vec3<double>& origin)
    : Measure({"x", "y", "z"}),
      quantity_(quantity),
      part_(std::move(part)),
      arm_(arm),
      origin_(origin),
      rows_(rows.rightCols(part_.matrices->coordinates)),
      axes_(axes) {}

std::vector<system::Measure::Term> PartPointMeasure::terms() const {
  std::vector<NodeIndex> nodes = part_.place.nodes;
  nodes.push_back(axes_);
  return {{nodes, part_.place.modes}};
}

template <class S, class View>
Vec3<S> PartPointMeasure::calcAs(const View& view) const {
  using math::cross, math::firstOf, math::secondOf;
  const Recovered<S, 3> u(view, part_, rows_);
  if (quantity_ == Quantity::kDeformation) return u.value;
  const Vec3<S> s = arm_.cast<S>() + u.value, omega = secondOf(u.first.twist);
  const auto axes = view.frame(axes_, static_cast<int>(part_.place.nodes.size()));
  Vec3<S> x;
  if (quantity_ == Quantity::kPosition) {
    x = u.first.frame.x + u.first.frame.R * s - origin_.cast<S>();
  } else {
    const Vec3<S> velocity = firstOf(u.first.twist) + cross<S>(omega, s) + u.rate;
    if (quantity_ == Quantity::kVelocity) {
      x = u.first.frame.R * velocity;
    } else {
      const Vec3<S> own =
          firstOf(u.first.twistRate) + cross<S>(secondOf(u.first.twistRate), s) + u.acceleration;
      x = u.first.frame.R * Vec3<S>(own + cross<S>(omega, Vec3<S>(velocity + u.rate)));
    }
  }
  return axes.frame.R.transpose() * x;
}

void PartPointMeasure::calc(const Motion& motion, const Environment&, bool rate, double* q) const {
  if (rate) {
    const auto flow = calcAs<Flow<double>>(FlowView{motion, part_.place});
    for (int i = 0; i < 3; ++i) q[i] = flow[i].first;
    return;
  }
  const auto value = calcAs<double>(PlainView{motion, part_.place});
  std::copy(value.begin(), value.end(), q);
}

void PartPointMeasure::calcJets(const Motion& motion, const Environment&, const Term& term,
                                const system::JetSeeds& seeds, Jet* q) const {
  const auto jets =
      calcAs<Jet>(JetView{motion, part_.place, seeds, static_cast<int>(term.nodes.size())});
  for (int i = 0; i < 3; ++i) q[i] = jets[i];
}

PartStressMeasure::PartStressMeasure(Quantity quantity, MeasuredPart part, const MatrixXd& rows)
    : Measure(quantity == Quantity::kComponents
                  ? std::vector<std::string>{"xx", "yy", "zz", "xy", "yz", "zx"}
                  : std::vector<std::string>{""}),
      quantity_(quantity),
      part_(std::move(part)),
      rows_(rows.rightCols(part_.matrices->coordinates)) {}

std::vector<system::Measure::Term> PartStressMeasure::terms() const {
  return {{part_.place.nodes, part_.place.modes}};
}

template <class S, class View>
void PartStressMeasure::calcAs(const View& view, S* q) const {
  Eigen::Matrix<S, 6, 1> s = Recovered<S, 6>(view, part_, rows_).value;
  const ReducedMatrices& m = *part_.matrices;
  if (m.hasForeshortening()) {
    const VectorOf<S> z = gatherCoordinates<S>(view, part_);
    for (std::size_t j = 0; j < m.B.size(); ++j) {
      const S shorter = calcForeshortening<S>(m, z, j);
      for (int i = 0; i < 6; ++i) s[i] += shorter * S(rows_(i, ReducedMatrices::rowOf(j)));
    }
  }
  switch (quantity_) {
    case Quantity::kComponents:
      for (int i = 0; i < 6; ++i) q[i] = s[i];
      return;
    case Quantity::kVonMises:
      q[0] = calcVonMisesStress<S>(s);
      return;
    default:
      q[0] = calcPrincipalStress<S>(
          s, static_cast<int>(quantity_) - static_cast<int>(Quantity::kPrincipal1));
  }
}

void PartStressMeasure::calc(const Motion& motion, const Environment&, bool rate, double* q) const {
  if (!rate) return calcAs<double>(PlainView{motion, part_.place}, q);
  std::array<Flow<double>, 6> flow;
  calcAs<Flow<double>>(FlowView{motion, part_.place}, flow.data());
  for (int i = 0; i < size(); ++i) q[i] = flow[i].first;
}

void PartStressMeasure::calcJets(const Motion& motion, const Environment&, const Term& term,
                                 const system::JetSeeds& seeds, Jet* q) const {
  calcAs<Jet>(JetView{motion, part_.place, seeds, static_cast<int>(term.nodes.size())}, q);
}

}  // namespace flexloop::mechanics
