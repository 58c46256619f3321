#include "mechanics/reaction_measure.hpp"

#include <algorithm>
#include <utility>

namespace flexloop::mechanics {

using math::Vec3;
using math::Vec6;
using system::Builder;

namespace {

// Rows of the second node among the local freedoms.
constexpr int kSecond = 6;

// Multipliers are forces where the constraints are not scaled.
const system::Environment kUnscaled{};

}  // namespace

ReactionMeasure::ReactionMeasure(Part part, std::vector<Builder::Attachment> parts,
                                 system::NodeIndex node, const Vec3<double>& point,
                                 system::NodeIndex axes)
    : part_(part), parts_(std::move(parts)), node_(node), axes_(axes), point_(point) {}

void ReactionMeasure::setDirection(const Vec3<double>& direction) {
  direction_ = direction;
  projected_ = true;
}

std::vector<std::string> ReactionMeasure::components() const {
  if (projected_) return {""};
  return {"x", "y", "z"};
}

Vec3<double> ReactionMeasure::calcInBody(const Vec6<double>& f) const {
  const Vec3<double> force = f.head<3>(), torque = f.tail<3>();
  if (part_ == Part::kForce) return -force;
  return math::cross<double>(point_, force) - torque;
}

void ReactionMeasure::store(const Vec3<double>& v, double* to) const {
  if (projected_) {
    *to = direction_.dot(v);
  } else {
    for (int i = 0; i < 3; ++i) to[i] = v[i];
  }
}

void ReactionMeasure::calcValue(const system::Motion& motion, double* value) const {
  Vec6<double> f = Vec6<double>::Zero();
  Eigen::VectorXd local;
  for (const Builder::Attachment& part : parts_) {
    part.set->calcResidual(motion, kUnscaled, part.element, local);
    f += local.segment<6>(kSecond);
  }
  const math::Mat3<double>& R = motion.nodes[node_.value].frame.R;
  store(motion.nodes[axes_.value].frame.R.transpose() * (R * calcInBody(f)), value);
}

// With f' = K v + C v' the vector a = R_axesᵀ R f has a' = R_axesᵀ (R (f' + ω × f) − ω_axes × R f).
void ReactionMeasure::calcRate(const system::Motion& motion, double* rate) const {
  Vec6<double> f = Vec6<double>::Zero(), df = Vec6<double>::Zero();
  Eigen::VectorXd local;
  system::Tangents tangents;
  for (const Builder::Attachment& part : parts_) {
    part.set->calcResidual(motion, kUnscaled, part.element, local);
    part.set->calcTangents(motion, kUnscaled, part.element, tangents);
    f += local.segment<6>(kSecond);
    for (int k = 0; k < part.set->nodesPerElement(); ++k) {
      const system::NodeMotion& node = motion.nodes[part.set->node(part.element, k).value];
      df += tangents.K.block<6, 6>(kSecond, 6 * k) * node.twist +
            tangents.C.block<6, 6>(kSecond, 6 * k) * node.twistRate;
    }
  }
  const system::NodeMotion& node = motion.nodes[node_.value];
  const system::NodeMotion& axes = motion.nodes[axes_.value];
  const Vec3<double> omega = node.twist.tail<3>();
  const Vec3<double> omegaOfAxes = axes.frame.R * axes.twist.tail<3>();
  const Vec3<double> body = calcInBody(f);
  const Vec3<double> change = calcInBody(df) + math::cross<double>(omega, body);
  const Vec3<double> ground = node.frame.R * body;
  store(
      axes.frame.R.transpose() * (node.frame.R * change - math::cross<double>(omegaOfAxes, ground)),
      rate);
}

bool ReactionMeasure::hasRate() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Builder::Attachment& part) {
    return part.set->scalars(part.element) == 0;
  });
}

bool ReactionMeasure::addSignal(const system::SignalRequest&, system::Builder&) const {
  return false;
}

}  // namespace flexloop::mechanics
