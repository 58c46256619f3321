#include "mechanics/guides/guide_measures.hpp"

#include "mechanics/sensors/measure_makers.hpp"
#include "system/measure_of.hpp"

namespace flexloop::mechanics {
namespace {

using math::Jet;
using math::Vec3;
using system::Builder;
using system::Environment;
using system::Item;
using system::Motion;
using system::NodeIndex;
using system::UnknownIndex;

template <int kDerivative>
struct ScalarMeasure {
  static constexpr int kNodes = 0, kScalars = 1, kComponents = 1;
  static constexpr bool kHasRate = kDerivative < 2;

  template <class S>
  struct Parameters {};

  template <class S, class P>
  static void calc(const Parameters<P>&, const system::Local<S, 0, 1>& u,
                   std::array<S, 1>& result) {
    result[0] = kDerivative == 0 ? u.value[0] : kDerivative == 1 ? u.rate[0] : u.acceleration[0];
  }
};

template <int kDerivative>
void addScalar(const Item& sensor, UnknownIndex q, Builder& builder) {
  using Measure = system::MeasureOf<ScalarMeasure<kDerivative>>;
  builder.addMeasure(sensor.name(),
                     std::make_unique<Measure>(std::array<NodeIndex, 0>{}, std::array{q}, 0,
                                               typename Measure::Parameters{}));
}

// −k λ of (36.4), which is in the axes of the first node of the beam; the penalty of an augmented Lagrangian vanishes with the constraint.
class GuideForce final : public system::Measure {
 public:
  // The axes of λ, and those in which the force is given.
  GuideForce(NodeIndex own, NodeIndex axes, const std::array<UnknownIndex, 3>& lambda)
      : Measure({"x", "y", "z"}), own_(own), axes_(axes), lambda_(lambda) {}

  bool hasRate() const override { return false; }

  std::vector<Term> terms() const override {
    return {{{own_, axes_}, {lambda_.begin(), lambda_.end()}}};
  }

  void calc(const Motion& motion, const Environment& environment, bool, double* q) const override {
    Vec3<double> force;
    for (int i = 0; i < 3; ++i) {
      force[i] = -environment.constraintScale * motion.value[lambda_[i].value];
    }
    Eigen::Map<Vec3<double>> g(q);
    g = motion.nodes[axes_.value].frame.R.transpose() * (motion.nodes[own_.value].frame.R * force);
  }

  void calcJets(const Motion& motion, const Environment& environment, const Term&,
                const system::JetSeeds& seeds, Jet* q) const override {
    std::array<math::Frame<Jet>, 2> frames;
    math::Vec6<Jet> twist, twistRate;
    for (int k = 0; k < 2; ++k) {
      const system::NodeMotion& node = motion.nodes[(k == 0 ? own_ : axes_).value];
      system::makeNodeJets(node.frame, node.twist, node.twistRate, k, seeds, frames[k], twist,
                           twistRate);
    }
    constexpr int kFirstScalar = 12;
    Vec3<Jet> force;
    for (int i = 0; i < 3; ++i) {
      const int u = lambda_[i].value;
      const std::array<double, 3> at{motion.value[u], motion.rate[u], motion.acceleration[u]};
      force[i] =
          -environment.constraintScale * system::makeScalarJets(at, kFirstScalar + i, seeds)[0];
    }
    const Vec3<Jet> ground = frames[0].R * force;
    Eigen::Map<Vec3<Jet>> g(q);
    g = frames[1].R.transpose() * ground;
  }

 private:
  NodeIndex own_, axes_;
  std::array<UnknownIndex, 3> lambda_;
};

}  // namespace

bool addGuideCoordinate(const Item& sensor, const Item& joint, int derivative, Builder& builder) {
  if (!joint.has("beam")) return false;
  const Builder::Attachment& part = *builder.findAttachment("joints", joint.name());
  const UnknownIndex q = part.set->scalar(part.element, part.set->scalars(part.element) - 1);
  if (derivative == 0) addScalar<0>(sensor, q, builder);
  if (derivative == 1) addScalar<1>(sensor, q, builder);
  if (derivative == 2) addScalar<2>(sensor, q, builder);
  return true;
}

bool addGuideForce(const Item& sensor, const Item& joint, Builder& builder) {
  if (!joint.has("beam")) return false;
  const Builder::Attachment& part = *builder.findAttachment("joints", joint.name());
  constexpr int kSliding = 0, kFirstOfBeam = 3;
  const NodeIndex own = part.set->node(part.element, kFirstOfBeam);
  const auto axes = findAxes(sensor, part.set->node(part.element, kSliding), builder);
  if (!axes) return true;
  const std::array lambda{part.set->scalar(part.element, 0), part.set->scalar(part.element, 1),
                          part.set->scalar(part.element, 2)};
  addVectorMeasure(sensor, std::make_unique<GuideForce>(own, *axes, lambda), builder);
  return true;
}

}  // namespace flexloop::mechanics
