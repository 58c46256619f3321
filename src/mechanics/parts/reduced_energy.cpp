// Energies of reduced parts (31.4), their rates and gradients, and time derivatives of the rows of modal coordinates.
#include "math/jet.hpp"
#include "math/taylor.hpp"
#include "mechanics/parts/foreshortening.hpp"
#include "mechanics/parts/reduced_workspace.hpp"
#include "mechanics/parts/relative_maps.hpp"
#include "system/gather.hpp"

namespace flexloop::mechanics {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using math::Jet;
using math::Taylor2;
using math::Vec3;
using math::Vec6;
using system::Energy;
using system::EnergyOf;
using system::Environment;
using system::Motion;

namespace {

// A x of a constant matrix and a vector of any scalar.
VectorXd multiply(const MatrixXd& A, const VectorXd& x) {
  return A * x;
}
template <class S>
VectorOf<S> multiply(const MatrixXd& A, const VectorOf<S>& x) {
  VectorOf<S> y = VectorOf<S>::Constant(A.rows(), S(0.0));
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      if (A(i, j) != 0.0) y[i] += x[j] * A(i, j);
    }
  }
  return y;
}

template <class S>
S dot(const VectorOf<S>& a, const VectorOf<S>& b) {
  S sum(0.0);
  for (Eigen::Index i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The forces of strain, Jᵀ K (z + g) (31.21).
template <class S>
VectorOf<S> calcStrainForces(const ReducedMatrices& m, const VectorOf<S>& z) {
  const VectorOf<S> elastic = multiply(m.K.dense(), foreshorten<S>(m, z));
  VectorOf<S> forces = elastic;
  for (std::size_t j = 0; j < m.B.size(); ++j)
    forces += elastic[ReducedMatrices::rowOf(j)] * VectorOf<S>(multiply(m.B[j], z));
  return forces;
}

// y = R_b v + (0; rate)
template <class S>
VectorOf<S> calcVelocity(const ReducedMatrices& m, const Vec6<S>& v, const VectorOf<S>& rate) {
  VectorOf<S> y(m.velocities());
  y.template head<6>() = v;
  y.tail(m.coordinates) = rate;
  const Vec3<S> nu = math::firstOf(v), omega = math::secondOf(v);
  for (int k = 1; k < m.interfaces; ++k) {
    const Vec3<S> arm = m.arms[k - 1].cast<S>();
    y.template segment<3>(6 * k) += nu + math::cross<S>(omega, arm);
    y.template segment<3>(6 * k + 3) += omega;
  }
  return y;
}

// (31.4)
template <class S>
EnergyOf<S> calcEnergy(const ReducedMatrices& m, const PartMotion<S>& part,
                       const Environment& environment) {
  const Vec3<S> omega = math::secondOf(part.first.twist);
  const VectorOf<S> y = calcVelocity<S>(m, part.first.twist, part.dz);
  EnergyOf<S> energy;
  energy.kinetic = 0.5 * dot<S>(y, multiply(m.M.dense(), y));
  for (int a = 0; a < 3; ++a) {
    energy.kinetic += omega[a] * dot<S>(y, multiply(m.G[a], part.z));
  }
  for (int p = 0; p < 6; ++p) {
    const auto [a, b] = kAxisPairs[p];
    energy.kinetic +=
        ((a == b ? 0.5 : 1.0) * (omega[a] * omega[b])) * dot<S>(part.z, multiply(m.S[p], part.z));
  }
  if (m.hasStiffening) {
    const VectorOf<S> mean = multiply(m.meanRotation, y);
    for (int p = 0; p < 6; ++p) {
      const auto [a, b] = kAxisPairs[p];
      energy.kinetic -=
          ((a == b ? 0.5 : 1.0) * (mean[a] * mean[b])) * dot<S>(part.z, multiply(m.Kg[p], part.z));
    }
  }
  const VectorOf<S> added = multiply(m.momentByZ, part.z);
  const Vec3<S> moment = m.moment.cast<S>() + Vec3<S>(added);
  const Vec3<S> weighted = part.first.frame.x * S(m.mass) + part.first.frame.R * moment;
  const VectorOf<S> shorter = foreshorten<S>(m, part.z);
  energy.potential = 0.5 * dot<S>(shorter, multiply(m.K.dense(), shorter)) -
                     S(environment.gravity.cast<S>().dot(weighted));
  return energy;
}

// What stiffening adds to r_z (31.8).
template <class S>
VectorOf<S> calcStiffening(const ReducedMatrices& m, const PartMotion<S>& part,
                           const VectorOf<S>& y, const VectorOf<S>& dy) {
  const VectorOf<S> mean = multiply(m.meanRotation, y), meanRate = multiply(m.meanRotation, dy);
  VectorOf<S> r = VectorOf<S>::Constant(m.coordinates, S(0.0));
  VectorOf<S> kappaRate = VectorOf<S>::Constant(3, S(0.0));
  for (int p = 0; p < 6; ++p) {
    const auto [a, b] = kAxisPairs[p];
    const VectorOf<S> Kz = multiply(m.Kg[p], part.z);
    const S zKz = dot<S>(part.z, Kz), dzKz = 2.0 * dot<S>(part.dz, Kz);
    r += ((a == b ? 1.0 : 2.0) * (mean[a] * mean[b])) * Kz;
    kappaRate[a] += meanRate[b] * zKz + mean[b] * dzKz;
    if (a != b) kappaRate[b] += meanRate[a] * zKz + mean[a] * dzKz;
  }
  const MatrixXd transposed = m.meanRotation.rightCols(m.coordinates).transpose();
  return r - multiply(transposed, kappaRate);
}

// π of (31.6), in the rows of z.
template <class S>
VectorOf<S> calcMomenta(const ReducedMatrices& m, const PartMotion<S>& part, const VectorOf<S>& y) {
  const int n = m.coordinates;
  const Vec3<S> omega = math::secondOf(part.first.twist);
  VectorOf<S> momenta = multiply(m.M.dense(), y).tail(n);
  for (int a = 0; a < 3; ++a) {
    const MatrixXd rows = m.G[a].bottomRows(n);
    momenta += omega[a] * multiply(rows, part.z);
  }
  return momenta;
}

// r_z of (31.9) with gravity.
template <class S>
VectorOf<S> calcForces(const ReducedMatrices& m, const PartMotion<S>& part,
                       const Environment& environment) {
  const int n = m.coordinates;
  const Vec3<S> omega = math::secondOf(part.first.twist);
  const Vec3<S> omegaRate = math::secondOf(part.first.twistRate);
  const VectorOf<S> y = calcVelocity<S>(m, part.first.twist, part.dz);
  const VectorOf<S> dy = calcVelocity<S>(m, part.first.twistRate, part.ddz);
  VectorOf<S> r = VectorOf<S>(multiply(m.M.dense(), dy).tail(n)) + calcStrainForces<S>(m, part.z) +
                  multiply(m.D.dense(), part.dz);
  for (int a = 0; a < 3; ++a) {
    const MatrixXd rows = m.G[a].bottomRows(n), transposed = m.G[a].transpose();
    r += omegaRate[a] * multiply(rows, part.z) +
         omega[a] * (multiply(rows, part.dz) - multiply(transposed, y));
  }
  for (int p = 0; p < 6; ++p) {
    const auto [a, b] = kAxisPairs[p];
    r -= ((a == b ? 1.0 : 2.0) * (omega[a] * omega[b])) * multiply(m.S[p], part.z);
  }
  if (m.hasStiffening) r += calcStiffening<S>(m, part, y, dy);
  if (m.massDamping > 0.0) r += m.massDamping * calcMomenta<S>(m, part, y);
  const Vec3<S> gravity = part.first.frame.R.transpose() * environment.gravity.cast<S>();
  const MatrixXd transposed = m.momentByZ.transpose();
  return r - multiply(transposed, VectorOf<S>(gravity));
}

PartMotion<Taylor2> makeTaylor(const Motion& motion, const PartPlace& place,
                               const ReducedMatrices& m) {
  PartMotion<Taylor2> part(m.interfaces, m.modes);
  part.gather(
      m.arms,
      [&](int k) {
        const system::NodeMotion& node = motion.nodes[place.nodes[k].value];
        system::Local<double, 1, 0> at;
        at.frame[0] = node.frame;
        at.twist[0] = node.twist;
        at.twistRate[0] = node.twistRate;
        at.time = motion.time;
        system::Local<Taylor2, 1, 0> to;
        system::seedTime(at, to);
        return MovingFrame<Taylor2>{to.frame[0], to.twist[0], to.twistRate[0]};
      },
      [&](int j) {
        const auto [q, rate, acceleration] = scalarOf(motion, place.modes[j]);
        return std::array<Taylor2, 3>{Taylor2(q, rate, acceleration),
                                      Taylor2(rate, acceleration, 0.0), Taylor2(acceleration)};
      });
  return part;
}

// Derivatives of w_T T + w_V V by y, z and ω, and by R_1 and x_1 through gravity.
struct EnergyGradient {
  VectorXd y, z;
  Vec3<double> omega, force, torque;

  EnergyGradient(const ReducedMatrices& m, const PartMotion<double>& part,
                 const Environment& environment, const Energy& weights) {
    const Vec3<double> omega_ = part.first.twist.tail<3>();
    const VectorXd velocity = calcVelocity<double>(m, part.first.twist, part.dz);
    y = m.M.dense() * velocity;
    z.setZero(m.coordinates);
    for (int a = 0; a < 3; ++a) {
      const VectorXd Gz = m.G[a] * part.z;
      y += omega_[a] * Gz;
      z += omega_[a] * (m.G[a].transpose() * velocity);
      omega[a] = velocity.dot(Gz);
    }
    for (int p = 0; p < 6; ++p) {
      const auto [a, b] = kAxisPairs[p];
      const VectorXd Sz = m.S[p] * part.z;
      z += ((a == b ? 1.0 : 2.0) * omega_[a] * omega_[b]) * Sz;
      const double zSz = part.z.dot(Sz);
      omega[a] += omega_[b] * zSz;
      if (a != b) omega[b] += omega_[a] * zSz;
    }
    if (m.hasStiffening) {
      const Vec3<double> mean = m.meanRotation * velocity;
      Vec3<double> kappa = Vec3<double>::Zero();
      for (int p = 0; p < 6; ++p) {
        const auto [a, b] = kAxisPairs[p];
        const VectorXd Kz = m.Kg[p] * part.z;
        z -= ((a == b ? 1.0 : 2.0) * mean[a] * mean[b]) * Kz;
        kappa[a] += mean[b] * part.z.dot(Kz);
        if (a != b) kappa[b] += mean[a] * part.z.dot(Kz);
      }
      y -= m.meanRotation.transpose() * kappa;
    }
    y *= weights.kinetic;
    omega *= weights.kinetic;
    const Vec3<double> gravity = part.first.frame.R.transpose() * environment.gravity;
    const Vec3<double> moment = m.moment + m.momentByZ * part.z;
    z = weights.kinetic * z + weights.potential * (calcStrainForces<double>(m, part.z) -
                                                   m.momentByZ.transpose() * gravity);
    force = -weights.potential * m.mass * gravity;
    torque = -weights.potential * math::cross<double>(moment, gravity);
  }
};

}  // namespace

Energy ReducedBodies::energy(const Motion& motion, const Environment& environment,
                             int element) const {
  const Element& e = *elements_[element];
  Loan work(e);
  gatherPart(motion, e.place, e.matrices->arms, work->part);
  return calcEnergy<double>(*e.matrices, work->part, environment);
}

Energy ReducedBodies::sumEnergies(const Motion& motion, const Environment& environment, int first,
                                  int count) const {
  Energy sum;
  for (int e = first; e < first + count; ++e) sum += energy(motion, environment, e);
  return sum;
}

Energy ReducedBodies::sumEnergyRates(const Motion& motion, const Environment& environment,
                                     int first, int count) const {
  Energy sum;
  for (int i = first; i < first + count; ++i) {
    const Element& e = *elements_[i];
    const ReducedMatrices& m = *e.matrices;
    Loan work(e);
    gatherPart(motion, e.place, m.arms, work->part);
    const PartMotion<double>& part = work->part;
    const EnergyGradient T(m, part, environment, {1.0, 0.0}), V(m, part, environment, {0.0, 1.0});
    const VectorXd dy = calcVelocity<double>(m, part.first.twistRate, part.ddz);
    sum.kinetic += T.y.dot(dy) + T.z.dot(part.dz) + T.omega.dot(part.first.twistRate.tail<3>());
    sum.potential += V.z.dot(part.dz) + V.force.dot(part.first.twist.head<3>()) +
                     V.torque.dot(part.first.twist.tail<3>());
  }
  return sum;
}

void ReducedBodies::subtractEnergyGradient(const Motion& motion, const Environment& environment,
                                           int element, const Energy& weights,
                                           system::Tangents& tangents) const {
  const Element& e = *elements_[element];
  const ReducedMatrices& m = *e.matrices;
  Loan work(e);
  gatherPart(motion, e.place, m.arms, work->part);
  const EnergyGradient gradient(m, work->part, environment, weights);
  const Eigen::Index row = tangents.K.rows() - 1;
  auto byValue = tangents.K.row(row), byRate = tangents.C.row(row);
  byValue.head<3>() -= gradient.force.transpose();
  byValue.segment<3>(3) -= gradient.torque.transpose();
  byRate.head<6>() -= m.calcResultant(gradient.y).transpose();
  byRate.segment<3>(3) -= gradient.omega.transpose();
  for (int k = 1; k < m.interfaces; ++k) {
    const RelativeMotion<double>& relative = work->part.relative[k - 1];
    const Vec6<double> f = gradient.z.segment<6>(6 * (k - 1)), p = gradient.y.segment<6>(6 * k);
    const auto forces = applyTransposed<double>(relative, f);
    const auto momenta = applyTransposed<double>(relative, p);
    const RelativeMaps maps =
        calcMaps(work->part.first, frameOf(motion, e.place.nodes[k]), m.arms[k - 1], p);
    const Eigen::Matrix<double, 1, 12> rates = p.transpose() * maps.rateByValue;
    byValue.head<6>() -= forces.first.transpose() + rates.head<6>();
    byValue.segment<6>(6 * k) -= forces.other.transpose() + rates.tail<6>();
    byRate.head<6>() -= momenta.first.transpose();
    byRate.segment<6>(6 * k) -= momenta.other.transpose();
  }
  const int firstMode = 6 * m.interfaces;
  byValue.segment(firstMode, m.modes) -= gradient.z.tail(m.modes).transpose();
  byRate.segment(firstMode, m.modes) -= gradient.y.tail(m.modes).transpose();
}

EnergyOf<Jet> ReducedBodies::energyJet(const Motion& motion, const Environment& environment,
                                       int element, const system::JetSeeds& seeds) const {
  const Element& e = *elements_[element];
  return calcEnergy<Jet>(*e.matrices, makePartJets(motion, e.place, e.matrices->arms, seeds),
                         environment);
}

void ReducedBodies::addTimeDerivatives(const Motion& motion, const Environment& environment,
                                       system::TimeDerivatives& derivatives) const {
  for (const auto& e : elements_) {
    if (e->place.modes.empty()) continue;
    const ReducedMatrices& m = *e->matrices;
    const VectorOf<Taylor2> r =
        calcForces<Taylor2>(m, makeTaylor(motion, e->place, m), environment);
    for (int j = 0; j < m.modes; ++j) {
      const int row = e->place.modes[j].value;
      derivatives.first[row] += r[m.coordinates - m.modes + j].first;
      derivatives.second[row] += r[m.coordinates - m.modes + j].second;
    }
  }
}

}  // namespace flexloop::mechanics
