#include "support/part_samples.hpp"

#include <random>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "math/quadrature.hpp"
#include "mechanics/bodies/inertia.hpp"

namespace flexloop::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using math::Mat3;
using math::Vec3;
using math::Vec6;
using mechanics::ReducedModel;

namespace {

Mat3<double> axisMatrix(int a) {
  return math::skew<double>(Vec3<double>::Unit(a));
}

// M, G and Q of points with the shapes Phi (three rows by point) and the mass matrix of all their freedoms.
void projectMass(const MatrixXd& Phi, const MatrixXd& mass, ReducedModel& model) {
  const Eigen::Index points = Phi.rows() / 3;
  std::array<MatrixXd, 3> turned;
  for (int a = 0; a < 3; ++a) {
    turned[a].resizeLike(Phi);
    for (Eigen::Index i = 0; i < points; ++i) {
      turned[a].middleRows<3>(3 * i) = axisMatrix(a) * Phi.middleRows<3>(3 * i);
    }
  }
  model.M = Phi.transpose() * mass * Phi;
  for (int a = 0; a < 3; ++a) {
    model.G[a] = Phi.transpose() * mass * turned[a];
    for (int b = 0; b < 3; ++b) model.Q[a][b] = turned[a].transpose() * mass * turned[b];
  }
}

// The coordinates of a rigid motion about the origin: N × 6.
MatrixXd makeRigid(const ReducedModel& model, int size) {
  MatrixXd rigid = MatrixXd::Zero(size, 6);
  for (std::size_t k = 0; k < model.interfaces.size(); ++k) {
    const Eigen::Index row = 6 * static_cast<Eigen::Index>(k);
    rigid.block<6, 6>(row, 0).setIdentity();
    rigid.block<3, 3>(row, 3) = -math::skew<double>(model.interfaces[k]);
  }
  return rigid;
}

// A symmetric matrix that is not negative and does not feel rigid motions.
MatrixXd makeStiffness(const MatrixXd& rigid, const MatrixXd& root) {
  const MatrixXd gram = rigid.transpose() * rigid;
  const MatrixXd P = MatrixXd::Identity(rigid.rows(), rigid.rows()) -
                     rigid * linalg::solveDense(gram, rigid.transpose());
  return P * (root.transpose() * root) * P;
}

}  // namespace

ReducedModel makeRandomPart(int interfaces, int modes, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto random = [&](Eigen::Index rows, Eigen::Index columns) {
    MatrixXd A(rows, columns);
    for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] = number(generator);
    return A;
  };
  ReducedModel model;
  for (int k = 0; k < interfaces; ++k) {
    model.interfaces.emplace_back(random(3, 1));
    model.interfaceNames.push_back("i" + std::to_string(k + 1));
  }
  constexpr int kPoints = 8;
  const int size = 6 * interfaces + modes;
  MatrixXd Phi = 0.3 * random(3 * kPoints, size);
  for (int i = 0; i < kPoints; ++i) {
    const Vec3<double> place = random(3, 1);
    VectorXd share = random(interfaces, 1);
    share[0] += 1.0 - share.sum();
    for (int k = 0; k < interfaces; ++k) {
      Phi.block<3, 3>(3 * i, 6 * k) = share[k] * Mat3<double>::Identity();
      Phi.block<3, 3>(3 * i, 6 * k + 3) =
          -share[k] * math::skew<double>(Vec3<double>(place - model.interfaces[k]));
    }
  }
  const MatrixXd root = random(3 * kPoints, 3 * kPoints);
  projectMass(Phi, root.transpose() * root, model);
  const MatrixXd rigid = makeRigid(model, size);
  model.K = makeStiffness(rigid, 2.0 * random(size, size));
  model.D = makeStiffness(rigid, 0.5 * random(size, size));
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b <= a; ++b) {
      const MatrixXd stiffening = makeStiffness(rigid, 0.5 * random(size, size));
      model.Kg[a][b] = model.Kg[b][a] = stiffening;
    }
  }
  // Foreshortening where there are modes, so that there are parts with and without.
  for (int j = 0; j < 3 * (interfaces - 1) && modes > 0; ++j)
    model.B.push_back(makeStiffness(rigid, 0.5 * random(size, size)));
  return model;
}

ReducedModel makeRigidPart(double mass, const Vec3<double>& centre, const Mat3<double>& inertia) {
  ReducedModel model;
  model.interfaces = {Vec3<double>::Zero()};
  model.interfaceNames = {"body"};
  model.M = mechanics::makeMass(mass, centre, inertia);
  model.K = model.D = MatrixXd::Zero(6, 6);
  for (int a = 0; a < 3; ++a) {
    // Not used while the only interface carries the axes.
    model.G[a] = MatrixXd::Zero(6, 6);
    for (int b = 0; b < 3; ++b) model.Q[a][b] = MatrixXd::Zero(6, 6);
  }
  return model;
}

namespace {

// The shapes of an element of length L at s in 0 … 1, by freedoms (u, v, w, rx, ry, rz) of its two ends: displacements,
// rotation about x, their derivatives along x, and curvatures.
struct BeamShapes {
  Eigen::Matrix<double, 3, 12> u = Eigen::Matrix<double, 3, 12>::Zero(), du = u;
  Eigen::Matrix<double, 1, 12> twist = Eigen::Matrix<double, 1, 12>::Zero(), dTwist = twist,
                               ddv = twist, ddw = twist;

  BeamShapes(double s, double L) {
    const std::array<double, 2> linear{1.0 - s, s}, slope{-1.0 / L, 1.0 / L};
    const double s2 = s * s, s3 = s2 * s;
    const std::array<double, 4> N{1 - 3 * s2 + 2 * s3, L * (s - 2 * s2 + s3), 3 * s2 - 2 * s3,
                                  L * (s3 - s2)};
    const std::array<double, 4> dN{(6 * s2 - 6 * s) / L, 1 - 4 * s + 3 * s2, (6 * s - 6 * s2) / L,
                                   3 * s2 - 2 * s};
    const std::array<double, 4> ddN{(12 * s - 6) / (L * L), (6 * s - 4) / L, (6 - 12 * s) / (L * L),
                                    (6 * s - 2) / L};
    for (int e = 0; e < 2; ++e) {
      const int c = 6 * e;
      u(0, c) = linear[e];
      du(0, c) = slope[e];
      twist[c + 3] = linear[e];
      dTwist[c + 3] = slope[e];
      // v' = rz, w' = −ry.
      u(1, c + 1) = u(2, c + 2) = N[2 * e];
      u(1, c + 5) = N[2 * e + 1];
      u(2, c + 4) = -N[2 * e + 1];
      du(1, c + 1) = du(2, c + 2) = dN[2 * e];
      du(1, c + 5) = dN[2 * e + 1];
      du(2, c + 4) = -dN[2 * e + 1];
      ddv[c + 1] = ddw[c + 2] = ddN[2 * e];
      ddv[c + 5] = ddN[2 * e + 1];
      ddw[c + 4] = -ddN[2 * e + 1];
    }
  }
};

ReducedModel makeWholeBeam(const BeamPart& beam, int elements, bool stiffening) {
  const int size = 6 * (elements + 1);
  const double L = beam.length / elements;
  ReducedModel whole;
  const MatrixXd zero = MatrixXd::Zero(size, size);
  whole.K = whole.D = whole.M = zero;
  for (int a = 0; a < 3; ++a) {
    whole.G[a] = zero;
    for (int b = 0; b < 3; ++b) whole.Q[a][b] = whole.Kg[a][b] = zero;
  }
  constexpr auto gauss = math::gaussPoints<4>();  // exact up to degree seven
  for (int e = 0; e < elements; ++e) {
    for (int g = 0; g < 4; ++g) {
      const double s = 0.5 * (1.0 + gauss.points[g]), weight = 0.5 * L * gauss.weights[g];
      const BeamShapes N(s, L);
      const auto add = [&](MatrixXd& to, const auto& matrix) {
        to.block<12, 12>(6 * e, 6 * e) += weight * matrix;
      };
      add(whole.K, beam.EA * N.du.row(0).transpose() * N.du.row(0) +
                       beam.GJ * N.dTwist.transpose() * N.dTwist +
                       beam.EIz * N.ddv.transpose() * N.ddv + beam.EIy * N.ddw.transpose() * N.ddw);
      add(whole.M, beam.massPerLength * N.u.transpose() * N.u +
                       beam.polarInertia * N.twist.transpose() * N.twist);
      for (int a = 0; a < 3; ++a) {
        const Eigen::Matrix<double, 3, 12> E_a = axisMatrix(a) * N.u;
        add(whole.G[a], beam.massPerLength * N.u.transpose() * E_a);
        for (int b = 0; b < 3; ++b) {
          add(whole.Q[a][b], beam.massPerLength * E_a.transpose() * (axisMatrix(b) * N.u));
        }
      }
      if (!stiffening) continue;
      // Spinning about y or z with unit speed pulls with μ (L² − x²)/2.
      const double x = L * (e + s);
      const double tension = 0.5 * beam.massPerLength * (beam.length * beam.length - x * x);
      for (int a = 1; a < 3; ++a) {
        add(whole.Kg[a][a], tension * N.du.bottomRows<2>().transpose() * N.du.bottomRows<2>());
      }
    }
  }
  return whole;
}

}  // namespace

ReducedModel makeBeamPart(const BeamPart& beam, int elements, int modes, bool stiffening) {
  const ReducedModel whole = makeWholeBeam(beam, elements, stiffening);
  const int inner = 6 * (elements - 1), size = 6 * (elements + 1);
  MatrixXd Phi = MatrixXd::Zero(size, 12 + modes);
  Phi.topLeftCorner<6, 6>().setIdentity();
  Phi.block<6, 6>(size - 6, 6).setIdentity();
  VectorXd stiffness(modes);
  if (inner > 0) {
    const MatrixXd K_ii = whole.K.block(6, 6, inner, inner);
    MatrixXd K_ib(inner, 12);
    K_ib << whole.K.block(6, 0, inner, 6), whole.K.block(6, size - 6, inner, 6);
    Phi.block(6, 0, inner, 12) = -linalg::solveDense(K_ii, K_ib);
    // With M = V diag(d) Vᵀ, the modes are those of the symmetric d^-½ Vᵀ K V d^-½.
    const auto mass = linalg::findSymmetricEigensystem(whole.M.block(6, 6, inner, inner)).value();
    const MatrixXd root =
        mass.vectors * mass.values.cwiseSqrt().cwiseInverse().asDiagonal().toDenseMatrix();
    const MatrixXd scaled = root.transpose() * K_ii * root;
    const auto found =
        linalg::findSymmetricEigensystem(0.5 * (scaled + scaled.transpose())).value();
    Phi.block(6, 12, inner, modes) = root * found.vectors.leftCols(modes);
    stiffness = found.values.head(modes);
  }
  const auto project = [&](const MatrixXd& A) -> MatrixXd { return Phi.transpose() * A * Phi; };
  ReducedModel model;
  model.interfaces = {Vec3<double>::Zero(), Vec3<double>(beam.length, 0.0, 0.0)};
  model.interfaceNames = {"root", "tip"};
  model.K = project(whole.K);
  model.K.rightCols(modes).setZero();
  model.K.bottomRows(modes).setZero();
  model.K.bottomRightCorner(modes, modes) = stiffness.asDiagonal();
  model.D = MatrixXd::Zero(12 + modes, 12 + modes);
  model.M = project(whole.M);
  model.M.bottomRightCorner(modes, modes).setIdentity();
  for (int a = 0; a < 3; ++a) {
    model.G[a] = project(whole.G[a]);
    for (int b = 0; b < 3; ++b) {
      model.Q[a][b] = project(whole.Q[a][b]);
      if (stiffening) model.Kg[a][b] = project(whole.Kg[a][b]);
    }
  }
  return model;
}

mechanics::PartPlace addPart(system::Builder& builder, const std::string& name,
                             const ReducedModel& model, const math::Frame<double>& place,
                             const Vec6<double>& velocity, const std::vector<system::FreeSet>& free,
                             double massDamping) {
  mechanics::PartPlace part;
  for (std::size_t k = 0; k < model.interfaces.size(); ++k) {
    const math::Frame<double> own{Mat3<double>::Identity(), model.interfaces[k]};
    part.nodes.push_back(builder.addNode(name + "." + std::to_string(k + 1),
                                         math::compose(place, own),
                                         k < free.size() ? free[k] : system::FreeSet::all(),
                                         math::applyAdjointInverse<double>(own, velocity)));
  }
  for (int j = 0; j < model.modes(); ++j) {
    const std::string mode = name + " mode " + std::to_string(j + 1);
    part.modes.push_back(builder.addScalar(system::Kind::kMotion, mode, mode + " balance"));
  }
  builder.elementSet<mechanics::ReducedBodies>().add(
      name, part, std::make_shared<mechanics::ReducedMatrices>(model, massDamping));
  return part;
}

}  // namespace flexloop::test
