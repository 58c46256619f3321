#include "mechanics/joints/reaction.hpp"

#include <algorithm>
#include <utility>

#include "system/gather.hpp"

namespace flexloop::mechanics {

using math::Mat3;
using math::Taylor2;
using math::Vec3;
using math::Vec6;
using system::Builder;
using system::Environment;
using system::Motion;

namespace {

// Rows and columns among the local freedoms of a part, and of the sensor.
constexpr int kSecond = 6, kEnds = 12, kAxes = 12, kNodeFreedoms = 18;

}  // namespace

Reaction::Reaction(Part part, std::vector<Builder::Attachment> parts, system::NodeIndex node,
                   const Vec3<double>& point, system::NodeIndex axes)
    : part_(part), parts_(std::move(parts)), node_(node), axes_(axes), point_(point) {
  for (const auto& [set, element, count] : parts_) {
    for (int k = 0; k < set->scalars(element); ++k) scalars_.push_back(set->scalar(element, k));
    const int n = 6 * set->nodesPerElement() + set->scalars(element);
    const Eigen::VectorXd vector = Eigen::VectorXd::Zero(n);
    const Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
    residuals_.push_back(vector);
    along_.push_back({vector, vector, vector});
    tangents_.push_back({matrix, matrix, matrix});
  }
}

system::NodeIndex Reaction::node(int k) const {
  if (k == 2) return axes_;
  return k == 1 ? node_ : parts_.front().set->node(parts_.front().element, 0);
}

bool Reaction::canBeSignal() const {
  return std::all_of(parts_.begin(), parts_.end(), [this](const Builder::Attachment& part) {
    return part.set->hasResidualAlong() && part.set->nodesPerElement() == 2 &&
           part.set->node(part.element, 0) == node(0) && part.set->node(part.element, 1) == node_;
  });
}

template <class S>
Vec3<S> Reaction::calcInBody(const Vec6<S>& f) const {
  const Vec3<S> force = math::firstOf(f), torque = math::secondOf(f);
  if (part_ == Part::kForce) return -force;
  return math::cross<S>(point_.cast<S>(), force) - torque;
}

Vec6<double> Reaction::calcSum(const Motion& motion, const Environment& environment) const {
  Vec6<double> f = Vec6<double>::Zero();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].set->calcResidual(motion, environment, parts_[i].element, residuals_[i]);
    f += residuals_[i].segment<6>(kSecond);
  }
  return f;
}

Vec3<double> Reaction::calc(const Motion& motion, const Environment& environment) const {
  const Vec3<double> b = calcInBody<double>(calcSum(motion, environment));
  return motion.nodes[axes_.value].frame.R.transpose() * (motion.nodes[node_.value].frame.R * b);
}

Vec3<Taylor2> Reaction::calcAlong(const Motion& motion, const Environment& environment) const {
  Vec6<Taylor2> f = Vec6<Taylor2>::Constant(Taylor2(0.0));
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    system::ResidualAlong& r = along_[i];
    parts_[i].set->calcResidualAlong(motion, environment, parts_[i].element, r);
    for (int k = 0; k < 6; ++k) {
      const int row = kSecond + k;
      f[k] += Taylor2(r.value[row], r.first[row], r.second[row]);
    }
  }
  system::Local<double, 2, 0> at;
  for (int k = 0; k < 2; ++k) {
    const system::NodeMotion& node = motion.nodes[(k == 0 ? node_ : axes_).value];
    at.frame[k] = node.frame;
    at.twist[k] = node.twist;
    at.twistRate[k] = node.twistRate;
  }
  at.time = motion.time;
  system::Local<Taylor2, 2, 0> along;
  system::seedTime(at, along);
  const Vec3<Taylor2> ground = along.frame[0].R * calcInBody<Taylor2>(f);
  return along.frame[1].R.transpose() * ground;
}

// With a = RᵀR_x d:  d·δg = a·δb + (b × a)·δ_w + (d × g)·δ_x                                   (17.4)
void Reaction::subtractGradient(const Vec3<double>& d, const Motion& motion,
                                const Environment& environment, system::Tangents& to) const {
  const Mat3<double>& R = motion.nodes[node_.value].frame.R;
  const Mat3<double>& R_x = motion.nodes[axes_.value].frame.R;
  const Vec3<double> a = R.transpose() * (R_x * d);
  const Vec3<double> b = calcInBody<double>(calcSum(motion, environment));
  const Vec3<double> g = R_x.transpose() * (R * b);
  const Eigen::Index row = to.K.rows() - 1;
  to.K.block<1, 3>(row, kSecond + 3) -= math::cross<double>(b, a).transpose();
  to.K.block<1, 3>(row, kAxes + 3) -= math::cross<double>(d, g).transpose();
  // b is linear in f: a·b = w·f.
  Vec6<double> w = Vec6<double>::Zero();
  if (part_ == Part::kForce) {
    w.head<3>() = -a;
  } else {
    w.head<3>() = math::cross<double>(a, point_);
    w.tail<3>() = -a;
  }
  int scalar = kNodeFreedoms;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].set->calcTangents(motion, environment, parts_[i].element, tangents_[i]);
    const Eigen::Index own = tangents_[i].K.cols() - kEnds;
    const auto subtract = [&](const Eigen::MatrixXd& from, Eigen::MatrixXd& sum) {
      for (Eigen::Index c = 0; c < from.cols(); ++c) {
        const Eigen::Index column = c < kEnds ? c : scalar + c - kEnds;
        sum(row, column) -= w.dot(from.block<6, 1>(kSecond, c));
      }
    };
    subtract(tangents_[i].K, to.K);
    subtract(tangents_[i].C, to.C);
    subtract(tangents_[i].M, to.M);
    scalar += static_cast<int>(own);
  }
}

}  // namespace flexloop::mechanics
