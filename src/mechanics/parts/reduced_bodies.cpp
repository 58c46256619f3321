#include "mechanics/parts/reduced_bodies.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "mechanics/parts/reduced_workspace.hpp"

namespace flexloop::mechanics {

using Eigen::VectorXd;
using math::Vec3;
using math::Vec6;
using system::Environment;
using system::Motion;

ReducedBodies::ReducedBodies() = default;
ReducedBodies::~ReducedBodies() = default;

int ReducedBodies::add(std::string name, PartPlace place,
                       std::shared_ptr<const ReducedMatrices> matrices,
                       std::shared_ptr<const PartRecovery> recovery) {
  assert(static_cast<int>(place.nodes.size()) == matrices->interfaces);
  assert(static_cast<int>(place.modes.size()) == matrices->modes);
  auto element = std::make_unique<Element>();
  element->name = std::move(name);
  element->place = std::move(place);
  element->matrices = std::move(matrices);
  element->recovery = std::move(recovery);
  element->idle.push_back(std::make_unique<Workspace>(*element->matrices));
  elements_.push_back(std::move(element));
  return size() - 1;
}

const ReducedMatrices& ReducedBodies::matrices(int element) const {
  return *elements_[element]->matrices;
}
const PartPlace& ReducedBodies::place(int element) const {
  return elements_[element]->place;
}
std::shared_ptr<const ReducedMatrices> ReducedBodies::sharedMatrices(int element) const {
  return elements_[element]->matrices;
}
const PartRecovery* ReducedBodies::recovery(int element) const {
  return elements_[element]->recovery.get();
}
const std::string& ReducedBodies::name(int element) const {
  return elements_[element]->name;
}
int ReducedBodies::nodes(int element) const {
  return static_cast<int>(elements_[element]->place.nodes.size());
}
int ReducedBodies::scalars(int element) const {
  return static_cast<int>(elements_[element]->place.modes.size());
}
system::NodeIndex ReducedBodies::node(int element, int k) const {
  return elements_[element]->place.nodes[k];
}
system::UnknownIndex ReducedBodies::scalar(int element, int k) const {
  return elements_[element]->place.modes[k];
}

// (31.6) to (31.11): r_F and r_z with all that they are made of.
void ReducedBodies::evaluate(const Motion& motion, const Environment& environment,
                             const Element& element, bool forTangents, Workspace& w) const {
  const ReducedMatrices& m = *element.matrices;
  gatherPart(motion, element.place, m.arms, w.part);
  const auto& [first, relative, z, dz, ddz] = w.part;
  const Vec3<double> omega = first.twist.tail<3>(), omegaRate = first.twistRate.tail<3>();
  m.calcVelocity(first.twist, dz, w.y);
  m.calcVelocity(first.twistRate, ddz, w.dy);

  w.momentumRate.setZero();
  m.M.addProduct(w.dy, w.momentumRate);
  w.forces.setZero();
  if (m.hasForeshortening()) {
    addForeshortened(m, z, w.shortening, w.products.half, w.forces);
  } else {
    m.K.addProduct(z, w.forces);
  }
  if (m.hasDamping) m.D.addProduct(dz, w.forces);
  w.forces += w.momentumRate.tail(m.coordinates);
  addRotatingForces(m, first.twist, first.twistRate, z, dz, ddz, forTangents, w.products, w.forces);

  // Momenta of the frame.
  w.momentum.noalias() = m.rigidM * w.y;
  w.momentum += w.products.rigidMomentum;
  w.frameForce = m.calcResultant(w.momentumRate) + w.products.rigidForce;
  for (int a = 0; a < 3; ++a) {
    double h = w.products.yGz[a], dh = w.products.dyGz[a] + w.products.yGdz[a];
    for (int b = 0; b < 3; ++b) {
      const int pair = kPairOf[a][b];
      h += omega[b] * w.products.zSz[pair];
      dh += 2.0 * omega[b] * w.products.dzSz[pair] + omegaRate[b] * w.products.zSz[pair];
    }
    w.momentum[3 + a] += h;
    w.frameForce[3 + a] += dh;
  }
  if (m.massDamping > 0.0) damp(m, w);
  if (m.hasStiffening) stiffen(m, w);
  w.frameForce -= math::coBracket<double>(first.twist, w.momentum);

  w.gravity.noalias() = first.frame.R.transpose() * environment.gravity;
  w.moment = m.moment;
  w.moment.noalias() += m.momentByZ * z;
  w.frameForce.head<3>() -= m.mass * w.gravity;
  w.frameForce.tail<3>() -= math::cross<double>(w.moment, w.gravity);
  w.forces.noalias() -= m.momentByZ.transpose() * w.gravity;
}

// (31.8): what the mean rotation adds.
void ReducedBodies::stiffen(const ReducedMatrices& m, Workspace& w) {
  w.meanRotation.noalias() = m.meanRotation * w.y;
  w.meanRotationRate.noalias() = m.meanRotation * w.dy;
  w.stiffening = addStiffening(m, w.meanRotation, w.part.z, w.part.dz, w.products, w.forces);
  const Vec3<double> kappa = w.stiffening.zKz * w.meanRotation;
  const Vec3<double> kappaRate =
      w.stiffening.zKz * w.meanRotationRate + 2.0 * (w.stiffening.dzKz * w.meanRotation);
  w.momentum.tail<3>() -= kappa;
  w.frameForce.tail<3>() -= kappaRate;
  w.forces.noalias() -= m.meanRotation.rightCols(m.coordinates).transpose() * kappaRate;
}

// (31.19)
void ReducedBodies::damp(const ReducedMatrices& m, Workspace& w) {
  w.momenta.setZero();
  m.M.addProduct(w.y, w.momenta);
  auto momenta = w.momenta.tail(m.coordinates);
  momenta.noalias() += w.products.Gz * w.part.first.twist.tail<3>();
  w.frameForce += m.massDamping * w.momentum;
  w.forces += m.massDamping * momenta;
}

void ReducedBodies::addResidual(const Motion& motion, const Environment& environment,
                                system::ResidualSums& sums) const {
  for (const auto& element : elements_) {
    Loan work(*element);
    evaluate(motion, environment, *element, false, *work);
    const PartPlace& place = element->place;
    const int others = static_cast<int>(place.nodes.size()) - 1;
    Vec6<double> first = work->frameForce;
    for (int k = 0; k < others; ++k) {
      const auto f =
          applyTransposed<double>(work->part.relative[k], work->forces.segment<6>(6 * k));
      first += f.first;
      sums.nodes[place.nodes[k + 1].value] += f.other;
    }
    sums.nodes[place.nodes[0].value] += first;
    for (std::size_t j = 0; j < place.modes.size(); ++j) {
      sums.scalars[place.modes[j].value] += work->forces[6 * others + static_cast<int>(j)];
    }
  }
}

void ReducedBodies::calcResidual(const Motion& motion, const Environment& environment, int element,
                                 VectorXd& local) const {
  const Element& e = *elements_[element];
  Loan work(e);
  evaluate(motion, environment, e, false, *work);
  const int others = nodes(element) - 1, modes = scalars(element);
  local.resize(e.place.freedoms());
  local.head<6>() = work->frameForce;
  for (int k = 0; k < others; ++k) {
    const auto f = applyTransposed<double>(work->part.relative[k], work->forces.segment<6>(6 * k));
    local.head<6>() += f.first;
    local.segment<6>(6 * (k + 1)) = f.other;
  }
  local.tail(modes) = work->forces.tail(modes);
}

}  // namespace flexloop::mechanics
