// Sensors of contacts: depth, forces, and whether they stick.
#include <algorithm>

#include "base/workspace_pool.hpp"
#include "mechanics/contacts/contact_parts.hpp"
#include "mechanics/contacts/contact_types.hpp"
#include "mechanics/contacts/sphere_group_measures.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/sensors/measure_makers.hpp"
#include "mechanics/springs/connection.hpp"
#include "mechanics/tyres/rolling.hpp"
#include "system/element_roles.hpp"
#include "system/jet_view.hpp"
#include "system/parameter_makers.hpp"
#include "system/switching.hpp"
#include "system/touching.hpp"

namespace flexloop::mechanics {

using math::Jet;
using system::Builder;
using system::Environment;
using system::Item;
using system::Motion;

namespace {

std::vector<Builder::Attachment> findPoints(const Builder& builder, const std::string& name) {
  std::vector<Builder::Attachment> points;
  const Builder::Attachment* found = builder.findAttachment("contacts", name);
  for (int k = 0; found != nullptr && k < found->count; ++k) {
    points.push_back({found->set, found->element + k});
  }
  return points;
}

// A number that is known at each point of a contact.
class PointMeasure : public system::Measure {
 public:
  explicit PointMeasure(const std::vector<Builder::Attachment>& points)
      : Measure({""}), points_(points) {}

  std::vector<Term> terms() const override {
    if (points_.empty()) return {{}};
    const Builder::Attachment& first = points_.front();
    return {{{first.set->node(first.element, 0), first.set->node(first.element, 1)}, {}}};
  }
  void calc(const Motion& motion, const Environment& environment, bool rate,
            double* q) const override {
    Jet jet;
    calcJets(motion, environment, {}, {}, &jet);
    q[0] = rate ? jet.first : jet.value;
  }

 protected:
  std::vector<Builder::Attachment> points_;
};

// Of the deepest point.
class DepthMeasure final : public PointMeasure {
 public:
  using PointMeasure::PointMeasure;
  void calcJets(const Motion& motion, const Environment&, const Term&,
                const system::JetSeeds& seeds, Jet* q) const override {
    bool isFirst = true;
    for (const auto& point : points_) {
      const auto* touching = dynamic_cast<const system::Touching*>(point.set);
      const Jet depth = touching->depthJet(motion, point.element, seeds);
      if (isFirst || depth > *q) *q = depth;
      isFirst = false;
    }
  }
};

// The sum of the sizes of the forces on the second node. Those of rigid contacts are made of multipliers, which have no rate.
class SizeMeasure final : public PointMeasure {
 public:
  SizeMeasure(const std::vector<Builder::Attachment>& points, bool hasRate)
      : PointMeasure(points), hasRate_(hasRate) {
    for (const auto& [set, element, count] : points) {
      for (int k = 0; k < set->scalars(element); ++k) scalars_.push_back(set->scalar(element, k));
    }
  }
  bool hasRate() const override { return hasRate_ && scalars_.empty(); }
  std::vector<Term> terms() const override {
    std::vector<Term> terms = PointMeasure::terms();
    terms.front().scalars = scalars_;
    return terms;
  }
  void calcJets(const Motion& motion, const Environment& environment, const Term&,
                const system::JetSeeds& seeds, Jet* q) const override {
    using math::sqrt;
    *q = Jet(0.0);
    std::array<Jet, 12> forces;
    for (const auto& point : points_) {
      const auto* set = dynamic_cast<const system::MeasuredForces*>(point.set);
      set->calcForceJets(motion, environment, point.element, seeds, forces);
      const Jet square = forces[6] * forces[6] + forces[7] * forces[7] + forces[8] * forces[8];
      if (square > 0.0) *q += sqrt(square);
    }
  }
  // Jets do not know by multipliers.
  void subtractGradient(const Motion& motion, const Environment& environment, const Term& term,
                        const std::vector<double>& weights, bool rate,
                        system::Tangents& to) const override {
    if (scalars_.empty() || rate) {
      return PointMeasure::subtractGradient(motion, environment, term, weights, rate, to);
    }
    const Loan loan = workspaces_.borrow();
    const Eigen::MatrixXd& K = loan->tangents.K;
    const Eigen::Index row = to.K.rows() - 1;
    Eigen::Index scalar = kEnds;
    for (const auto& point : points_) {
      point.set->calcTangents(motion, environment, point.element, loan->tangents);
      const Eigen::Index own = K.cols() - kEnds;
      const Eigen::Vector3d along = calcDirection(point, motion, environment, *loan);
      for (Eigen::Index c = 0; c < K.cols(); ++c) {
        const Eigen::Index column = c < kEnds ? c : scalar + c - kEnds;
        to.K(row, column) -= weights[0] * along.dot(K.block<3, 1>(kSecond, c));
      }
      scalar += own;
    }
  }

 private:
  static constexpr int kSecond = 6, kEnds = 12;

  // So that nothing is allocated.
  struct Workspace {
    Eigen::VectorXd residual;
    system::Tangents tangents;
  };
  using Loan = base::WorkspacePool<Workspace>::Loan;

  // Of the force; where it is zero, that of a push.
  Eigen::Vector3d calcDirection(const Builder::Attachment& point, const Motion& motion,
                                const Environment& environment, Workspace& workspace) const {
    point.set->calcResidual(motion, environment, point.element, workspace.residual);
    const Eigen::Vector3d force = workspace.residual.segment<3>(kSecond);
    if (force.norm() > 0.0) return force.normalized();
    return -workspace.tangents.K.block<3, 1>(kSecond, kEnds).normalized();
  }

  bool hasRate_;
  std::vector<system::UnknownIndex> scalars_;
  mutable base::WorkspacePool<Workspace> workspaces_;
};

// One if at least one point touches and none slides.
class StickingMeasure final : public PointMeasure {
 public:
  using PointMeasure::PointMeasure;
  StickingMeasure(const std::vector<Builder::Attachment>& points,
                  const std::vector<Builder::Attachment>& friction)
      : PointMeasure(points), friction_(friction) {}
  bool hasRate() const override { return false; }
  bool canBeSignal() const override { return false; }
  void calc(const Motion& motion, const Environment& environment, bool, double* q) const override {
    int touching = 0, sticking = 0;
    for (std::size_t i = 0; i < friction_.size(); ++i) {
      if (const auto* rigid = dynamic_cast<const system::Switching*>(friction_[i].set)) {
        const auto* stops = dynamic_cast<const system::Switching*>(points_[i].set);
        touching += stops->read(points_[i].element, motion, environment).isClosed ? 1 : 0;
        sticking += rigid->read(friction_[i].element, motion, environment).isClosed ? 1 : 0;
        continue;
      }
      const auto* depths = dynamic_cast<const system::Touching*>(points_[i].set);
      const auto* grips = dynamic_cast<const system::Gripping*>(friction_[i].set);
      touching += depths->depth(motion, points_[i].element) > 0.0 ? 1 : 0;
      // Smooth friction never sticks.
      sticking += grips != nullptr && grips->sticks(motion, friction_[i].element) ? 1 : 0;
    }
    q[0] = touching > 0 && sticking == touching ? 1.0 : 0.0;
  }
  void calcJets(const Motion& motion, const Environment& environment, const Term&,
                const system::JetSeeds&, Jet* q) const override {
    double value = 0.0;
    calc(motion, environment, false, &value);
    *q = Jet(value);
  }

 private:
  std::vector<Builder::Attachment> friction_;
};

// Tyres have measures of their own.
bool rejectTyre(const Item& item, Builder& builder) {
  const auto parts = findFrictionParts(builder, item.text("contact"));
  if (parts.empty() || dynamic_cast<const Rolling*>(parts.front().set) == nullptr) return false;
  builder.error(item.placeOf("contact"),
                "sensors." + item.name() + ": '" + item.text("contact") + "' is a tyre",
                "tyres have the measures tyre_force, tyre_moment, slip_ratio, slip_angle "
                "and camber");
  return true;
}

template <class Make>
void addPointMeasure(const Item& item, Builder& builder, GroupQuantity ofGroup, Make make) {
  const Item* contact = findMade("contacts", item.text("contact"), builder);
  if (contact == nullptr) return;
  if (auto measure = makeGroupMeasure(builder, contact->name(), ofGroup)) {
    return builder.addMeasure(item.name(), std::move(measure));
  }
  if (rejectTyre(item, builder)) return;
  builder.addMeasure(item.name(), make(contact->name()));
}

// A limit is that of a joint: it has a force or a torque, but no shapes.
bool isLimit(const Item& item, Builder& builder) {
  const Item* contact = findMade("contacts", item.text("contact"), builder);
  if (contact == nullptr || !contact->has("joint")) return false;
  failSensor(builder, item, "contact", "'" + contact->name() + "' is a limit of a joint",
             "measure its 'force' or 'torque', or the coordinate of the joint");
  return true;
}

void makePenetration(const Item& item, Builder& builder) {
  if (rejectTyre(item, builder)) return;
  if (isLimit(item, builder)) return;
  for (const auto& part : findNormalParts(builder, item.text("contact"))) {
    if (dynamic_cast<const system::Touching*>(part.set) != nullptr) continue;
    return failSensor(builder, item, "contact",
                      "the shapes of '" + item.text("contact") + "' do not overlap: it is rigid",
                      "measure the distance of the nodes, or the 'normal_force'");
  }
  addPointMeasure(item, builder, GroupQuantity::kDepth, [&](const std::string& name) {
    return std::make_unique<DepthMeasure>(findNormalParts(builder, name));
  });
}

void makeNormalForce(const Item& item, Builder& builder) {
  if (isLimit(item, builder)) return;
  addPointMeasure(item, builder, GroupQuantity::kNormal, [&](const std::string& name) {
    return std::make_unique<SizeMeasure>(findNormalParts(builder, name), true);
  });
}

void makeFrictionForce(const Item& item, Builder& builder) {
  if (isLimit(item, builder)) return;
  addPointMeasure(item, builder, GroupQuantity::kFriction, [&](const std::string& name) {
    return std::make_unique<SizeMeasure>(findFrictionParts(builder, name), false);
  });
}

void makeSticking(const Item& item, Builder& builder) {
  if (isLimit(item, builder)) return;
  addPointMeasure(item, builder, GroupQuantity::kSticking, [&](const std::string& name) {
    return std::make_unique<StickingMeasure>(findNormalParts(builder, name),
                                             findFrictionParts(builder, name));
  });
}

}  // namespace

std::vector<Builder::Attachment> findNormalParts(const Builder& builder, const std::string& name) {
  return findPoints(builder, name);
}

std::vector<Builder::Attachment> findFrictionParts(const Builder& builder,
                                                   const std::string& name) {
  return findPoints(builder, name + kFrictionPart);
}

void registerContactMeasures(system::Registry& registry) {
  using namespace system;
  const auto add = [&](const char* type, const TypeFacts& facts, const char* doc,
                       void (*make)(const Item&, Builder&), const char* read) {
    const std::string sample = twoBodies() + R"(contacts:
  c: {type: sphere_plane, node: A, radius: 1.2, plane: {node: B, at: [0.2, 0, -0.3], normal: [0.2, 0.3, 1]},
      stiffness: 40, damping: 0.05, friction: 0.3, tangential_damping: 20}
sensors: {s: {measure: )" + std::string(type) +
                               ", contact: c}}\n" + read;
    registry.add({"sensors",
                  type,
                  doc,
                  {required(thing("contact", "contacts", "the contact"))},
                  make,
                  {sample},
                  facts});
  };
  const std::string value = readByBlock("s"), rate = readByBlock("s, s.rate");
  add("penetration", {.unit = "m", .hasRate = true},
      "Depth of a contact at its deepest point; below zero it is the gap.", makePenetration,
      rate.c_str());
  add("normal_force", {.unit = "N", .hasRate = true},
      "Size of the normal force of a contact, summed over its points.", makeNormalForce,
      rate.c_str());
  add("friction_force", {.unit = "N"},
      "Size of the friction force of a contact, summed over its points.", makeFrictionForce,
      value.c_str());
  add("sticking", {.unit = "1"},
      "One while the shapes of a contact touch and do not slide, else zero. It is recorded, but is "
      "no signal.",
      makeSticking, "");
}

}  // namespace flexloop::mechanics
