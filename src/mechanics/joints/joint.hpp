// Joints: constraints on the relative motion of two frames (docs/theory/06_joints.md). Frame 1 is
// fixed to node A, frame 2 to node B; their z axes are the joint's axis. With
//
//     (R, p) = (H_A D_A)⁻¹ (H_B D_B),      η = Ad(D_B)⁻¹δ_B − Ad(R,p)⁻¹Ad(D_A)⁻¹δ_A,           (6.1)
//
// a joint is a list of rows, each with its gradient with respect to the relative increment η:
//
//     position row i:      Φ = p_i,            G = (Rᵀe_i; 0)                                  (6.2)
//     rotation row (i,j):  Φ = e_i·R e_j,      G = (0; e_j × Rᵀe_i)                            (6.3)
//
// The multipliers make the wrench W = Σ λ G in frame 2, which acts on B and, reversed, on A.
#pragma once

#include <algorithm>
#include <array>

#include "math/se3.hpp"
#include "system/element_set.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

// The frames of a joint; shared by everything that acts between two frames.
template <class S>
struct JointFrames {
  math::Frame<S> D_A, D_B;
};

// R, p of (6.1).
template <class S, class P>
math::Frame<S> calcRelative(const JointFrames<P>& frames, const math::Frame<S>& H_A,
                            const math::Frame<S>& H_B) {
  const math::Frame<S> first{H_A.R * frames.D_A.R, H_A.x + H_A.R * frames.D_A.x};
  const math::Frame<S> second{H_B.R * frames.D_B.R, H_B.x + H_B.R * frames.D_B.x};
  return math::relative(first, second);
}

// Adds the wrench W, in frame 2, to B and its opposite to A.
template <class S, class P>
void addWrench(const JointFrames<P>& frames, const math::Frame<S>& relative, const math::Vec6<S>& W,
               math::Vec6<S>& f_A, math::Vec6<S>& f_B) {
  const math::Frame<S> D_A{frames.D_A.R.template cast<S>(), frames.D_A.x.template cast<S>()};
  const math::Frame<S> D_B{frames.D_B.R.template cast<S>(), frames.D_B.x.template cast<S>()};
  f_B += math::applyAdjointInverseTransposed<S>(D_B, W);
  const math::Vec6<S> atFirst = math::applyAdjointInverseTransposed<S>(relative, W);
  f_A -= math::applyAdjointInverseTransposed<S>(D_A, atFirst);
}

// η of (6.1) for twists instead of increments: the relative twist in frame 2.
template <class S, class P>
math::Vec6<S> calcRelativeTwist(const JointFrames<P>& frames, const math::Frame<S>& relative,
                                const math::Vec6<S>& v_A, const math::Vec6<S>& v_B) {
  const math::Frame<S> D_A{frames.D_A.R.template cast<S>(), frames.D_A.x.template cast<S>()};
  const math::Frame<S> D_B{frames.D_B.R.template cast<S>(), frames.D_B.x.template cast<S>()};
  return math::applyAdjointInverse<S>(D_B, v_B) -
         math::applyAdjointInverse<S>(relative, math::applyAdjointInverse<S>(D_A, v_A));
}

// E of η = E (δ_A; δ_B).
Eigen::Matrix<double, 6, 12> calcRelativeMap(const JointFrames<double>& frames,
                                             const math::Frame<double>& relative);

// How the node forces of a wrench W(R) that turns with frame 1 or frame 2 change with the relative
// motion. With W_η = ∂W/∂η and Π(W) of ad_ηᵀW = Π η,
//
//     ∂(f_A; f_B) = (E_Aᵀ(W_η − Π); E_BᵀW_η) E (δ_A; δ_B).                                     (6.4)
class WrenchStiffness {
 public:
  // A force fixed in frame 1, given in frame 2.
  void addForce(const math::Vec3<double>& force);
  // The torque `magnitude` times (6.3).
  void addTorque(const math::Mat3<double>& R, int i, int j, double magnitude);
  Eigen::Matrix<double, 12, 12> calc(const Eigen::Matrix<double, 6, 12>& E) const;

 private:
  math::Vec6<double> W_ = math::Vec6<double>::Zero();
  math::Mat6<double> W_eta_ = math::Mat6<double>::Zero();
};

struct RotationRow {
  int i, j;
};

inline constexpr int kPositionX = 1, kPositionY = 2, kPositionZ = 4;

// What distinguishes the joints that consist of rows (6.2) and (6.3) only.
struct HingeRows {
  static constexpr const char* kType = "hinge";
  static constexpr int kPositions = kPositionX | kPositionY | kPositionZ;
  static constexpr std::array<RotationRow, 2> kRotations{{{0, 2}, {1, 2}}};
};
struct SliderRows {
  static constexpr const char* kType = "slider";
  static constexpr int kPositions = kPositionX | kPositionY;
  static constexpr std::array<RotationRow, 3> kRotations{{{0, 2}, {1, 2}, {0, 1}}};
};
struct CylindricalRows {
  static constexpr const char* kType = "cylindrical";
  static constexpr int kPositions = kPositionX | kPositionY;
  static constexpr std::array<RotationRow, 2> kRotations{{{0, 2}, {1, 2}}};
};
// Frame 1's x is the axis fixed to A, frame 2's y the one fixed to B.
struct UniversalRows {
  static constexpr const char* kType = "universal";
  static constexpr int kPositions = kPositionX | kPositionY | kPositionZ;
  static constexpr std::array<RotationRow, 1> kRotations{{{0, 1}}};
};
struct SphericalRows {
  static constexpr const char* kType = "spherical";
  static constexpr int kPositions = kPositionX | kPositionY | kPositionZ;
  static constexpr std::array<RotationRow, 0> kRotations{};
};
struct PlanarRows {
  static constexpr const char* kType = "planar";
  static constexpr int kPositions = kPositionZ;
  static constexpr std::array<RotationRow, 2> kRotations{{{0, 2}, {1, 2}}};
};
struct WeldRows {
  static constexpr const char* kType = "weld";
  static constexpr int kPositions = kPositionX | kPositionY | kPositionZ;
  static constexpr std::array<RotationRow, 3> kRotations{{{0, 2}, {1, 2}, {0, 1}}};
};
struct PointOnLineRows {
  static constexpr const char* kType = "point_on_line";
  static constexpr int kPositions = kPositionX | kPositionY;
  static constexpr std::array<RotationRow, 0> kRotations{};
};
struct PointOnPlaneRows {
  static constexpr const char* kType = "point_on_plane";
  static constexpr int kPositions = kPositionZ;
  static constexpr std::array<RotationRow, 0> kRotations{};
};

// e_j × Rᵀe_i of (6.3).
template <class S>
math::Vec3<S> rotationGradient(const math::Mat3<S>& R, int i, int j) {
  const math::Vec3<S> a = R.row(i).transpose();
  const int k = (j + 1) % 3, l = (j + 2) % 3;
  math::Vec3<S> g;
  g[j] = S(0.0);
  g[k] = -a[l];
  g[l] = a[k];
  return g;
}

template <class Rows>
struct Joint {
  static constexpr const char* kType = Rows::kType;
  static constexpr int kPositionRows =
      (Rows::kPositions & 1) + (Rows::kPositions >> 1 & 1) + (Rows::kPositions >> 2 & 1);
  static constexpr int kNodes = 2;
  static constexpr int kScalars = kPositionRows + static_cast<int>(Rows::kRotations.size());
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
  };

  // Multipliers do not enter constraints.
  static constexpr bool couples(int row, int column) { return row < kNodes || column < kNodes; }

  // Rotation rows do not see translations; of the forces, only the torque on A changes with them.
  static constexpr bool fills(int row, int column, bool augmented) {
    constexpr int kNodeFreedoms = 6 * kNodes;
    if (row >= kNodeFreedoms && column >= kNodeFreedoms) return false;
    if (augmented) return true;
    const auto isTranslation = [](int freedom) { return freedom % 6 < 3; };
    if (row < kNodeFreedoms && column < kNodeFreedoms) {
      return !isTranslation(column) || (row < 6 && !isTranslation(row));
    }
    const int constraint = std::max(row, column) - kNodeFreedoms;
    return constraint < kPositionRows || !isTranslation(std::min(row, column));
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, kNodes, kScalars>& u,
                          const system::Environment& environment,
                          system::Residual<S, kNodes, kScalars>& r) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const double k = environment.constraintScale;
    math::Vec3<S> force = math::Vec3<S>::Constant(S(0.0));   // in frame 1
    math::Vec3<S> torque = math::Vec3<S>::Constant(S(0.0));  // in frame 2
    int row = 0;
    for (int i = 0; i < 3; ++i) {
      if ((Rows::kPositions >> i & 1) == 0) continue;
      force[i] = k * u.value[row] + environment.constraintPenalty * relative.x[i];
      r.scalar[row++] += k * relative.x[i];
    }
    for (const RotationRow& rotation : Rows::kRotations) {
      const S phi = relative.R(rotation.i, rotation.j);
      torque += (k * u.value[row] + environment.constraintPenalty * phi) *
                rotationGradient<S>(relative.R, rotation.i, rotation.j);
      r.scalar[row++] += k * phi;
    }
    const math::Vec6<S> W = math::joined<S>(relative.R.transpose() * force, torque);
    addWrench<S, P>(p.frames, relative, W, r.node[0], r.node[1]);
  }

  // G η for the relative twist.
  template <class S, class P>
  static void calcRates(const Parameters<P>& p, const system::Local<S, kNodes, kScalars>& u,
                        const system::Environment& environment, std::array<S, kScalars>& rates) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const math::Vec6<S> eta = calcRelativeTwist<S, P>(p.frames, relative, u.twist[0], u.twist[1]);
    const math::Vec3<S> velocity = math::firstOf(eta), omega = math::secondOf(eta);
    const double k = environment.constraintScale;
    int row = 0;
    for (int i = 0; i < 3; ++i) {
      if ((Rows::kPositions >> i & 1) == 0) continue;
      rates[row++] = k * (relative.R(i, 0) * velocity[0] + relative.R(i, 1) * velocity[1] +
                          relative.R(i, 2) * velocity[2]);
    }
    for (const RotationRow& rotation : Rows::kRotations) {
      const math::Vec3<S> g = rotationGradient<S>(relative.R, rotation.i, rotation.j);
      rates[row++] = k * (g[0] * omega[0] + g[1] * omega[1] + g[2] * omega[2]);
    }
  }

  static void calcTangents(const Parameters<double>& p,
                           const system::Local<double, kNodes, kScalars>& u,
                           const system::Environment& environment, system::Tangents& t);
};

// Joints are many and their tangents are needed often, so these are written out (6.4).
template <class Rows>
void Joint<Rows>::calcTangents(const Parameters<double>& p,
                               const system::Local<double, kNodes, kScalars>& u,
                               const system::Environment& environment, system::Tangents& t) {
  const math::Frame<double> relative =
      calcRelative<double, double>(p.frames, u.frame[0], u.frame[1]);
  const math::Mat3<double>& R = relative.R;
  const double k = environment.constraintScale, penalty = environment.constraintPenalty;
  Eigen::Matrix<double, kScalars, 6> G = Eigen::Matrix<double, kScalars, 6>::Zero();
  math::Vec3<double> force = math::Vec3<double>::Zero();
  WrenchStiffness stiffness;
  int row = 0;
  for (int i = 0; i < 3; ++i) {
    if ((Rows::kPositions >> i & 1) == 0) continue;
    force[i] = k * u.value[row] + penalty * relative.x[i];
    G.template block<1, 3>(row++, 0) = R.row(i);
  }
  for (const RotationRow& rotation : Rows::kRotations) {
    const double torque = k * u.value[row] + penalty * R(rotation.i, rotation.j);
    G.template block<1, 3>(row++, 3) =
        rotationGradient<double>(R, rotation.i, rotation.j).transpose();
    stiffness.addTorque(R, rotation.i, rotation.j, torque);
  }
  stiffness.addForce(R.transpose() * force);
  const Eigen::Matrix<double, 6, 12> E = calcRelativeMap(p.frames, relative);
  const Eigen::Matrix<double, kScalars, 12> B = k * G.lazyProduct(E);
  t.K.bottomLeftCorner(kScalars, 12) = B;
  t.K.topRightCorner(12, kScalars) = B.transpose();
  t.K.topLeftCorner(12, 12) = stiffness.calc(E);
  if (penalty != 0.0) t.K.topLeftCorner(12, 12) += penalty / (k * k) * B.transpose() * B;
}

}  // namespace flexloop::mechanics
