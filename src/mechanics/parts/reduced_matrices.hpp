// The constant matrices of a reduced part in the axes of its first interface node, whose own coordinates z_1 are zero
// (docs/theory/31_reduced_bodies.md). z holds those of the other interfaces and the modal ones, n_z = 6(n − 1) + m; the
// velocity y = (v_1; R_k v_1 + z_k'; q') has those of the first too, N = n_z + 6.
#pragma once

#include <array>
#include <vector>

#include <Eigen/Core>

#include "math/se3.hpp"
#include "mechanics/parts/half_products.hpp"
#include "mechanics/parts/reduced_model.hpp"
#include "mechanics/parts/split_matrix.hpp"

namespace flexloop::mechanics {

// Pairs of axes, in the order xx yy zz yz zx xy.
inline constexpr std::array<std::array<int, 2>, 6> kAxisPairs{
    {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {2, 0}, {0, 1}}};
inline constexpr int kPairOf[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};

struct ReducedMatrices {
  // `massDamping` is the rate a of damping by mass (31.19), 1/s.
  explicit ReducedMatrices(const ReducedModel& model, double massDamping = 0.0);

  int interfaces, modes;
  int coordinates;                       // n_z
  std::vector<math::Vec3<double>> arms;  // p_k − p_1 of interfaces 2 … n

  SplitMatrix M;                     // N × N
  SplitMatrix K, D;                  // n_z × n_z
  std::array<Eigen::MatrixXd, 3> G;  // N × n_z
  bool isSkew;                       // the rows of z in all G: Gₐ = −Gₐᵀ
  std::array<Eigen::MatrixXd, 6> S;  // ½(Q_ab + Q_ba), n_z × n_z
  std::array<HalfMatrix, 3> halfG;   // those rows, where they are skew
  std::array<HalfMatrix, 6> halfS;
  bool hasDamping, hasStiffening;
  std::array<Eigen::MatrixXd, 6> Kg;  // n_z × n_z, where there is stiffening
  std::array<HalfMatrix, 6> halfKg;
  Eigen::MatrixXd meanRotation;    // W of (31.5), 3 × N, likewise
  std::vector<Eigen::MatrixXd> B;  // of (31.20), n_z × n_z, or none
  std::vector<HalfMatrix> halfB;

  bool hasForeshortening() const { return !B.empty(); }
  // The row of z that belongs to B_j.
  static int rowOf(std::size_t j) { return static_cast<int>(6 * (j / 3) + j % 3); }

  math::Mat6<double> rigidMass;  // R_bᵀ M R_b
  Eigen::MatrixXd rigidM;        // R_bᵀ M, 6 × N
  Eigen::MatrixXd rigidG;        // R_bᵀ Gₐ for the three axes one below the other, 18 × n_z
  // Mass, its first moment about node 1 in the undeformed part, and the moment that z adds, 3 × n_z (31.4).
  double mass;
  double massDamping;
  math::Vec3<double> moment;
  Eigen::MatrixXd momentByZ;

  int velocities() const { return coordinates + 6; }
  // y = R_b v + (0; rate)
  void calcVelocity(const math::Vec6<double>& v, const Eigen::VectorXd& rate,
                    Eigen::VectorXd& y) const;
  // R_bᵀ f of a vector f of N forces.
  math::Vec6<double> calcResultant(const Eigen::VectorXd& f) const;
  // R_b for columns: N × 6.
  Eigen::MatrixXd makeRigidField() const;
};

// What rotation adds, with Gω = Σ ωₐ Gₐ and Sω = Σ ωₐ ω_b S_ab: the products of (31.7), and the columns that forces and tangents
// consist of.
struct RotatingProducts {
  std::array<bool, 3> turns{};                       // by axis
  math::Vec3<double> yGz, yGdz, dyGz;                // yᵀGₐz, yᵀGₐz', y'ᵀGₐz
  std::array<double, 6> zSz, dzSz;                   // zᵀS_ab z, z'ᵀS_ab z
  math::Vec6<double> rigidMomentum, rigidForce;      // R_bᵀ Gω z, R_bᵀ (Gω' z + Gω z')
  Eigen::Matrix<double, Eigen::Dynamic, 3> Gz, Gdz;  // Gₐ z, Gₐ z', n_z × 3
  Eigen::VectorXd column;                            // workspace, n_z
  HalfMatrix::Workspace half;                        // likewise

  explicit RotatingProducts(Eigen::Index coordinates)
      : Gz(coordinates, 3), Gdz(coordinates, 3), column(coordinates), half(coordinates) {}
};

// Adds Gω' z + Gω z' − Gωᵀ y − Sω z to `forces` (n_z), with the twist of the first node and its rate. All matrices are read
// once, those that are symmetric or skew by half. Gₐ z' of axes about which nothing turns is zero in the products unless
// `withAll`, as tangents need them.
void addRotatingForces(const ReducedMatrices& matrices, const math::Vec6<double>& twist,
                       const math::Vec6<double>& twistRate, const Eigen::VectorXd& z,
                       const Eigen::VectorXd& dz, const Eigen::VectorXd& ddz, bool withAll,
                       RotatingProducts& products, Eigen::VectorXd& forces);

// What stiffening adds: zᵀK^g_ab z and z'ᵀK^g_ab z.
struct StiffeningProducts {
  math::Mat3<double> zKz, dzKz;
};

// Adds Σ ω̄ₐ ω̄_b K^g_ab z to `forces`, with the mean rotation ω̄. The products are a workspace.
StiffeningProducts addStiffening(const ReducedMatrices& matrices,
                                 const math::Vec3<double>& meanRotation, const Eigen::VectorXd& z,
                                 const Eigen::VectorXd& dz, RotatingProducts& work,
                                 Eigen::VectorXd& forces);

// What foreshortening makes of K z (31.21).
struct ShorteningProducts {
  Eigen::MatrixXd Bz;       // B_j z, n_z × 3(n − 1)
  Eigen::VectorXd shorter;  // z + g(z)
  Eigen::VectorXd elastic;  // K (z + g)
};

// Adds Jᵀ K (z + g) to `forces`. `half` is a workspace.
void addForeshortened(const ReducedMatrices& matrices, const Eigen::VectorXd& z,
                      ShorteningProducts& products, HalfMatrix::Workspace& half,
                      Eigen::VectorXd& forces);

}  // namespace flexloop::mechanics
