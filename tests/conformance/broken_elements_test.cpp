// The checks can fail: elements that are right but for one fault, and the check that finds it.
#include <map>
#include <memory>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/element_checks.hpp"
#include "mechanics/joints/joint.hpp"
#include "system/builder.hpp"
#include "system/elements.hpp"

namespace flexloop::test {
namespace {

using mechanics::JointFrames;
using system::Environment;
using system::Local;
using system::Residual;

enum class Fault {
  kNone,
  kTangent,  // a stiffness that is a little too large
  kPattern,  // says that its nodes do not couple
  kPacks,    // other numbers when four are evaluated at once
  kGround,   // a direction that does not turn with the nodes
  kBalance,  // no reaction on the first node
  kEnergy,   // half of the energy
  kMotor,    // negative damping
  kAllocation,
  kMemory,  // remembers how often it was called
};

// A spring in all directions, in the axes of the first node: W = (Rᵀ(k p + c p'); 0).
template <Fault kFault>
struct Spring {
  static constexpr const char* kType = "spring under test";
  static constexpr int kNodes = 2, kScalars = 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;
  static constexpr double kDamping = kFault == Fault::kMotor ? -0.3 : 0.3;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
    S stiffness;
  };

  static constexpr bool couples(int row, int column) {
    return kFault != Fault::kPattern || row == column;
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const Local<S, 2, 0>& u, const Environment&,
                          Residual<S, 2, 0>& r) {
    static int calls = 0;
    const math::Frame<S> relative = mechanics::calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const math::Vec6<S> eta =
        mechanics::calcRelativeTwist<S, P>(p.frames, relative, u.twist[0], u.twist[1]);
    S k = S(p.stiffness);
    if constexpr (kFault == Fault::kPacks && std::is_same_v<S, math::Pack>) k = k * (1.0 + 1e-9);
    if constexpr (kFault == Fault::kMemory) k = k + 1e-9 * ++calls;
    math::Vec3<S> force = relative.R.transpose() * (k * relative.x) + kDamping * math::firstOf(eta);
    if constexpr (kFault == Fault::kGround) force[0] += 1e-6 * u.frame[1].R(2, 0);
    if constexpr (kFault == Fault::kAllocation) {
      static const S* volatile seen = nullptr;  // or the compiler leaves the allocation out
      const std::vector<S> copy{force[0], force[1], force[2]};
      seen = copy.data();
      force[0] = *seen;
    }
    const math::Vec6<S> W = math::joined<S>(force, math::Vec3<S>::Constant(S(0.0)));
    math::Vec6<S> unused = math::Vec6<S>::Constant(S(0.0));
    mechanics::addWrench<S, P>(p.frames, relative, W,
                               kFault == Fault::kBalance ? unused : r.node[0], r.node[1]);
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const Local<S, 2, 0>& u,
                                    const Environment&) {
    const auto relative = mechanics::calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const double share = kFault == Fault::kEnergy ? 0.25 : 0.5;
    return {S(0.0), S(share * p.stiffness * relative.x.squaredNorm())};
  }

  // The exact tangents, but for a relative error of 1e-7 in K.
  static void calcTangents(const Parameters<double>& p, const Local<double, 2, 0>& u,
                           const Environment& environment,
                           system::Tangents& t) requires(kFault == Fault::kTangent) {
    system::Elements<Spring<Fault::kNone>> right;
    right.add("right", {system::NodeIndex{0}, system::NodeIndex{1}}, {}, {p.frames, p.stiffness});
    system::Motion motion;
    for (int k = 0; k < 2; ++k) motion.nodes.push_back({u.frame[k], u.twist[k], u.twistRate[k]});
    right.calcTangents(motion, environment, 0, t);
    t.K *= 1.0 + 1e-7;
  }
};

enum class ConstraintFault { kNone, kGradient, kTaylor };

// Φ = p_z with its exact gradient.
template <ConstraintFault kFault>
struct Constraint {
  static constexpr const char* kType = "constraint under test";
  static constexpr int kNodes = 2, kScalars = 1;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const Local<S, 2, 1>& u, const Environment&,
                          Residual<S, 2, 1>& r) {
    const math::Frame<S> relative = mechanics::calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    math::Vec3<S> direction = relative.R.row(2).transpose();
    if constexpr (kFault == ConstraintFault::kGradient) direction[0] += 1e-5;
    const math::Vec6<S> W =
        math::joined<S>(u.value[0] * direction, math::Vec3<S>::Constant(S(0.0)));
    mechanics::addWrench<S, P>(p.frames, relative, W, r.node[0], r.node[1]);
    S phi = relative.x[2];
    if constexpr (kFault == ConstraintFault::kTaylor && std::is_same_v<S, math::Taylor2>) {
      phi.second *= 1.0 + 1e-5;
    }
    r.scalar[0] += phi;
  }
};

// Two nodes with one element between them.
template <class E, class... More>
system::System makeSystem(const More&... more) {
  base::Diagnostics diagnostics;
  system::Builder builder(diagnostics);
  const math::Vec6<double> place =
      (math::Vec6<double>() << 0.3, 0.1, -0.2, 0.4, 0.9, -0.5).finished();
  const auto A = builder.addNode("A", math::expSE3<double>(place));
  const auto B = builder.addNode("B", math::expSE3<double>(math::Vec6<double>(-0.7 * place)));
  const JointFrames<double> frames{math::expSE3<double>(math::Vec6<double>(0.2 * place)),
                                   math::expSE3<double>(math::Vec6<double>(-0.4 * place))};
  std::array<system::UnknownIndex, E::kScalars> scalars;
  for (auto& scalar : scalars) {
    scalar = builder.addScalar(system::Kind::kMultiplier, "force", "constraint");
  }
  builder.template elements<E>().add("e", {A, B}, scalars, {frames, more...});
  std::map<std::string, std::unique_ptr<system::Measure>> measures;
  return builder.finish(measures);
}

struct Verdicts {
  bool tangents, sum, objectivity, balance, energy, work, time, purity;
};

Verdicts judge(const system::System& system) {
  const MotionSample sample = makeRandomMotion(system, 5);
  const system::ElementSet& set = *system.sets().front();
  const Environment plain;
  return {checkTangents(set, sample, plain).ok(),
          checkSum(system, set, sample, plain).ok(),
          checkObjectivity(set, sample, plain).ok(),
          checkBalance(set, sample, plain).ok(),
          checkEnergy(set, sample, plain).ok(),
          checkVirtualWork(system, set, sample).ok(),
          checkTimeDerivatives(system, set, sample, plain).ok(),
          checkPurity(system, set, sample, plain).ok()};
}

template <Fault kFault>
Verdicts judgeSpring() {
  return judge(makeSystem<Spring<kFault>>(40.0));
}

TEST(Checks, PassForRightElements) {
  for (const Verdicts& v :
       {judgeSpring<Fault::kNone>(), judge(makeSystem<Constraint<ConstraintFault::kNone>>())}) {
    EXPECT_TRUE(v.tangents && v.sum && v.objectivity && v.balance);
    EXPECT_TRUE(v.energy && v.work && v.time && v.purity);
  }
}

TEST(Checks, FindAWrongTangent) {
  EXPECT_FALSE(judgeSpring<Fault::kTangent>().tangents);
}
TEST(Checks, FindAWrongPattern) {
  EXPECT_FALSE(judgeSpring<Fault::kPattern>().tangents);
}
TEST(Checks, FindADifferenceBetweenPacks) {
  EXPECT_FALSE(judgeSpring<Fault::kPacks>().sum);
}
TEST(Checks, FindAGroundDirection) {
  EXPECT_FALSE(judgeSpring<Fault::kGround>().objectivity);
}
TEST(Checks, FindAMissingReaction) {
  EXPECT_FALSE(judgeSpring<Fault::kBalance>().balance);
}
TEST(Checks, FindAWrongEnergy) {
  EXPECT_FALSE(judgeSpring<Fault::kEnergy>().energy);
}
TEST(Checks, FindEnergyFromNothing) {
  EXPECT_FALSE(judgeSpring<Fault::kMotor>().energy);
}
TEST(Checks, FindAnAllocation) {
  EXPECT_FALSE(judgeSpring<Fault::kAllocation>().purity);
}
TEST(Checks, FindAMemory) {
  EXPECT_FALSE(judgeSpring<Fault::kMemory>().purity);
}

TEST(Checks, FindAWrongGradient) {
  EXPECT_FALSE(judge(makeSystem<Constraint<ConstraintFault::kGradient>>()).work);
}

TEST(Checks, FindAWrongTimeDerivative) {
  EXPECT_FALSE(judge(makeSystem<Constraint<ConstraintFault::kTaylor>>()).time);
}

}  // namespace
}  // namespace flexloop::test
