#include "mechanics/sensors/reaction_measure.hpp"

#include <algorithm>

#include "system/jet_view.hpp"

namespace flexloop::mechanics {

using math::Jet;
using math::Mat3;
using math::Vec3;
using math::Vec6;
using system::Builder;
using system::Environment;
using system::Motion;

namespace {

// Rows and columns among the local freedoms of a part, and of the measure.
constexpr int kSecond = 6, kEnds = 12, kAxes = 12, kNodeFreedoms = 18;

}  // namespace

ReactionMeasure::ReactionMeasure(Kind kind, const std::vector<Builder::Attachment>& parts,
                                 system::NodeIndex node, const Vec3<double>& point,
                                 system::NodeIndex axes)
    : Measure({"x", "y", "z"}), kind_(kind), node_(node), axes_(axes), point_(point) {
  for (const auto& [set, element, count] : parts) {
    parts_.push_back({set, dynamic_cast<const system::MeasuredForces*>(set), element});
    for (int k = 0; k < set->scalars(element); ++k) scalars_.push_back(set->scalar(element, k));
  }
  static_cast<void>(
      borrow());  // so that nothing is allocated later, as long as there is one thread
}

ReactionMeasure::Loan ReactionMeasure::borrow() const {
  Loan loan = workspaces_.borrow();
  for (std::size_t i = loan->residuals.size(); i < parts_.size(); ++i) {
    const int n = parts_[i].set->freedoms(parts_[i].element);
    const Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
    loan->residuals.emplace_back(Eigen::VectorXd::Zero(n));
    loan->tangents.push_back({matrix, matrix, matrix});
  }
  return loan;
}

std::vector<system::Measure::Term> ReactionMeasure::terms() const {
  const Part& part = parts_.front();
  return {{{part.set->node(part.element, 0), node_, axes_}, scalars_}};
}

bool ReactionMeasure::canBeSignal() const {
  const system::NodeIndex first = parts_.front().set->node(parts_.front().element, 0);
  return std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return part.forces != nullptr && part.set->node(part.element, 0) == first &&
           part.set->node(part.element, 1) == node_;
  });
}

template <class S>
Vec3<S> ReactionMeasure::calcInBody(const Vec6<S>& f) const {
  const Vec3<S> force = math::firstOf(f), torque = math::secondOf(f);
  if (kind_ == Kind::kForce) return -force;
  return math::cross<S>(point_.cast<S>(), force) - torque;
}

Vec6<double> ReactionMeasure::calcSum(const Motion& motion, const Environment& environment,
                                      Workspace& workspace) const {
  Vec6<double> f = Vec6<double>::Zero();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Eigen::VectorXd& residual = workspace.residuals[i];
    parts_[i].set->calcResidual(motion, environment, parts_[i].element, residual);
    f += residual.segment<6>(kSecond);
  }
  return f;
}

void ReactionMeasure::calc(const Motion& motion, const Environment& environment, bool rate,
                           double* q) const {
  if (rate) {
    std::array<Jet, 3> jets;
    calcJets(motion, environment, {}, {}, jets.data());
    for (int i = 0; i < 3; ++i) q[i] = jets[i].first;
    return;
  }
  const Loan loan = borrow();
  const Vec3<double> b = calcInBody<double>(calcSum(motion, environment, *loan));
  Eigen::Map<Vec3<double>> g(q);
  g = motion.nodes[axes_.value].frame.R.transpose() * (motion.nodes[node_.value].frame.R * b);
}

// The second node and the axes are nodes 1 and 2 of the local view.
void ReactionMeasure::calcJets(const Motion& motion, const Environment& environment, const Term&,
                               const system::JetSeeds& seeds, Jet* q) const {
  Vec6<Jet> f = Vec6<Jet>::Constant(Jet(0.0));
  std::array<Jet, 12> forces;
  for (const Part& part : parts_) {
    part.forces->calcForceJets(motion, environment, part.element, seeds, forces);
    for (int i = 0; i < 6; ++i) f[i] += forces[kSecond + i];
  }
  std::array<math::Frame<Jet>, 2> frames;
  Vec6<Jet> twist, twistRate;
  for (int k = 0; k < 2; ++k) {
    const system::NodeMotion& node = motion.nodes[(k == 0 ? node_ : axes_).value];
    system::makeNodeJets(node.frame, node.twist, node.twistRate, k + 1, seeds, frames[k], twist,
                         twistRate);
  }
  const Vec3<Jet> ground = frames[0].R * calcInBody<Jet>(f);
  Eigen::Map<Vec3<Jet>> g(q);
  g = frames[1].R.transpose() * ground;
}

// With a = RᵀR_x d:  d·δg = a·δb + (b × a)·δ_w + (d × g)·δ_x                                   (17.4)
void ReactionMeasure::subtractGradient(const Motion& motion, const Environment& environment,
                                       const Term& term, const std::vector<double>& weights,
                                       bool rate, system::Tangents& to) const {
  if (rate) {
    return Measure::subtractGradient(motion, environment, term, weights, rate, to);
  }
  const Vec3<double> d(weights[0], weights[1], weights[2]);
  const Mat3<double>& R = motion.nodes[node_.value].frame.R;
  const Mat3<double>& R_x = motion.nodes[axes_.value].frame.R;
  const Vec3<double> a = R.transpose() * (R_x * d);
  const Loan loan = borrow();
  const Vec3<double> b = calcInBody<double>(calcSum(motion, environment, *loan));
  const Vec3<double> g = R_x.transpose() * (R * b);
  const Eigen::Index row = to.K.rows() - 1;
  to.K.block<1, 3>(row, kSecond + 3) -= math::cross<double>(b, a).transpose();
  to.K.block<1, 3>(row, kAxes + 3) -= math::cross<double>(d, g).transpose();
  // b is linear in f: a·b = w·f.
  Vec6<double> w = Vec6<double>::Zero();
  if (kind_ == Kind::kForce) {
    w.head<3>() = -a;
  } else {
    w.head<3>() = math::cross<double>(a, point_);
    w.tail<3>() = -a;
  }
  int scalar = kNodeFreedoms;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    system::Tangents& tangents = loan->tangents[i];
    parts_[i].set->calcTangents(motion, environment, parts_[i].element, tangents);
    const Eigen::Index own = tangents.K.cols() - kEnds;
    const auto subtract = [&](const Eigen::MatrixXd& from, Eigen::MatrixXd& sum) {
      for (Eigen::Index c = 0; c < from.cols(); ++c) {
        const Eigen::Index column = c < kEnds ? c : scalar + c - kEnds;
        sum(row, column) -= w.dot(from.block<6, 1>(kSecond, c));
      }
    };
    subtract(tangents.K, to.K);
    subtract(tangents.C, to.C);
    subtract(tangents.M, to.M);
    scalar += static_cast<int>(own);
  }
}

}  // namespace flexloop::mechanics
