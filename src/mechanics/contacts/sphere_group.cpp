#include "mechanics/contacts/sphere_group.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "mechanics/contacts/near_pairs.hpp"

namespace flexloop::mechanics {

using math::Vec3;
using system::Motion;
using system::NodeMotion;

namespace {

// Of the smallest radius, and of the way of the fastest in a step: wide margins make long lists, narrow ones many.
constexpr double kMarginOfRadius = 0.3, kMarginOfWay = 10.0;

double speedOf(const NodeMotion& node) {
  return math::firstOf(node.twist).norm();
}

// Of the points of a plane's node that are there now.
double speedAt(const NodeMotion& node, const Vec3<double>& place) {
  return speedOf(node) + math::secondOf(node.twist).norm() * (place - node.frame.x).norm();
}

int memoryOf(const SphereGroup& group) {
  return group.laws.friction ? kFrictionMemory : 0;
}

int historyOf(const SphereGroup& group, const SphereList& list) {
  return 1 + memoryOf(group) * list.size();
}

}  // namespace

double SphereGroup::smallestRadius() const {
  return *std::min_element(radii.begin(), radii.end());
}

RoundPair::Parameters<double> SphereGroup::shape(int first, int second) const {
  const Vec3<double> none = Vec3<double>::Zero();
  return {
      none, none, none, none, radii[first], radii[second], std::min(radii[first], radii[second])};
}

EllipsoidOnPlane::Parameters<double> SphereGroup::shapeOnWall(int sphere, int wall) const {
  const double radius = radii[sphere];
  return {walls[wall].plane, Vec3<double>::Zero(), radius * radius * math::Mat3<double>::Identity(),
          radius};
}

ContactLaw<double> SphereGroup::law(double radiusOfPair) const {
  ContactLaw<double> law = laws.normal;
  if (isHertz) law.stiffness *= std::sqrt(radiusOfPair);
  return law;
}

FrictionLaw<double> SphereGroup::frictionOnWall(int wall) const {
  FrictionLaw<double> law = *laws.friction;
  if (!walls[wall].friction) return law;
  law.sliding = law.sticking = *walls[wall].friction;
  law.viscous = 0.0;
  return law;
}

double SphereGroup::gapToWall(const Motion& motion, int sphere, int wall) const {
  const NodeMotion& node = motion.nodes[walls[wall].node.value];
  const Vec3<double> place =
      node.frame.R.transpose() * (motion.nodes[nodes[sphere].value].frame.x - node.frame.x);
  return walls[wall].plane.normal.dot(place - walls[wall].plane.origin) - radii[sphere];
}

// Of a file it may be anything.
bool SphereList::isWhole(int walls, int tail) const {
  if (record_.size() <= countAt() || !(margin() > 0.0) || record_[1] != tail) return false;
  const double count = record_[countAt()];
  const auto rest = static_cast<double>(record_.size() - countAt() - 1);
  if (!(count >= 0.0) || 2.0 * count != rest) return false;
  for (int pair = 0; pair < size(); ++pair) {
    const double a = record_[countAt() + 1 + 2 * pair], b = record_[countAt() + 2 + 2 * pair];
    if (!(a >= 0.0 && a < spheres_ && b >= 0.0 && b < spheres_ + walls)) return false;
    if (a != std::floor(a) || b != std::floor(b) || a == b) return false;
  }
  return true;
}

Vec3<double> SphereList::centre(int sphere) const {
  const double* x = record_.data() + 2 + 3 * static_cast<std::ptrdiff_t>(sphere);
  return {x[0], x[1], x[2]};
}

int SphereGroups::add(SphereGroup group) {
  groups_.push_back(std::move(group));
  return static_cast<int>(groups_.size()) - 1;
}

int SphereGroups::tail(const Records& records) const {
  const std::vector<double>& record = records[groups_.front().record];
  return record.empty() ? -1 : SphereList(groups_.front(), record).tail();
}

int SphereGroups::historySize(const Records& records, int tail) const {
  int size = 0;
  for (const SphereGroup& group : groups_) {
    const std::vector<double>& record = records[group.record];
    if (record.empty()) continue;
    const SphereList list(group, record);
    if (!list.isWhole(static_cast<int>(group.walls.size()), tail + size)) return -1;
    size += historyOf(group, list);
  }
  return size;
}

namespace {

// Elements of one shape: of the normal forces, and of friction.
template <class Shape>
struct PairSets {
  using Normal = system::Elements<NormalContact<Shape>>;
  using Friction = system::Elements<FrictionContact<Shape>>;

  std::unique_ptr<Normal> normal = std::make_unique<Normal>();
  std::unique_ptr<Friction> friction;

  explicit PairSets(const SphereGroup& group) {
    if (group.laws.friction) friction = std::make_unique<Friction>();
  }
  void add(const SphereGroup& group, const std::array<system::NodeIndex, 2>& nodes,
           const typename Shape::template Parameters<double>& shape, double radius, int tail) {
    normal->add(group.name, nodes, {}, {shape, group.law(radius)}, tail);
  }
  void addFriction(const SphereGroup& group, const std::array<system::NodeIndex, 2>& nodes,
                   const typename Shape::template Parameters<double>& shape, double radius,
                   const FrictionLaw<double>& law, int memory) {
    friction->add(group.name, nodes, {}, {shape, group.law(radius), law}, memory);
  }
  SphereGroups::Forces forces() { return {std::move(normal), std::move(friction)}; }
};

double radiusOfPair(const SphereGroup& group, int first, int second) {
  return 1.0 / (1.0 / group.radii[first] + 1.0 / group.radii[second]);
}

std::array<system::NodeIndex, 2> nodesOf(const SphereGroup& group, const SphereList& list,
                                         int pair) {
  const int first = list.first(pair), second = list.second(pair);
  if (list.isOnWall(pair)) return {group.walls[second - group.spheres()].node, group.nodes[first]};
  return {group.nodes[first], group.nodes[second]};
}

}  // namespace

std::array<SphereGroups::Forces, 2> SphereGroups::gatherGroup(const std::vector<double>& record,
                                                              int index) const {
  const SphereGroup& group = groups_[index];
  const SphereList list(group, record);
  PairSets<RoundPair> spheres(group);
  PairSets<EllipsoidOnPlane> walls(group);
  for (int pair = 0; pair < list.size(); ++pair) {
    const int first = list.first(pair), second = list.second(pair);
    const int memory = list.tail() + 1 + memoryOf(group) * pair;
    const auto nodes = nodesOf(group, list, pair);
    const bool rubs = group.laws.friction.has_value();
    if (list.isOnWall(pair)) {
      const int wall = second - group.spheres();
      const auto shape = group.shapeOnWall(first, wall);
      const double radius = group.radii[first];
      walls.add(group, nodes, shape, radius, list.tail());
      if (rubs) walls.addFriction(group, nodes, shape, radius, group.frictionOnWall(wall), memory);
    } else {
      const auto shape = group.shape(first, second);
      const double radius = radiusOfPair(group, first, second);
      spheres.add(group, nodes, shape, radius, list.tail());
      if (rubs) spheres.addFriction(group, nodes, shape, radius, *group.laws.friction, memory);
    }
  }
  return {spheres.forces(), walls.forces()};
}

SphereGroups::Sets SphereGroups::gather(const Records& records) const {
  Sets all;
  for (int i = 0; i < static_cast<int>(groups_.size()); ++i) {
    const std::vector<double>& record = records[groups_[i].record];
    if (record.empty()) continue;
    for (Forces& forces : gatherGroup(record, i)) {
      all.push_back(std::move(forces.normal));
      if (forces.friction != nullptr) all.push_back(std::move(forces.friction));
    }
  }
  return all;
}

system::Energy SphereGroups::sumEnergies(const Motion& motion,
                                         const system::Environment& environment, int, int) const {
  system::Energy sum;
  for (int i = 0; i < static_cast<int>(groups_.size()); ++i) {
    for (const Forces& forces : gatherGroup(motion.records[groups_[i].record], i)) {
      sum += dynamic_cast<const StoredEnergy&>(*forces.normal)
                 .sumEnergies(motion, environment, 0, forces.normal->size());
    }
  }
  return sum;
}

system::Energy SphereGroups::sumEnergyRates(const Motion& motion,
                                            const system::Environment& environment, int,
                                            int) const {
  system::Energy sum;
  for (int i = 0; i < static_cast<int>(groups_.size()); ++i) {
    for (const Forces& forces : gatherGroup(motion.records[groups_[i].record], i)) {
      sum += dynamic_cast<const StoredEnergy&>(*forces.normal)
                 .sumEnergyRates(motion, environment, 0, forces.normal->size());
    }
  }
  return sum;
}

system::EnergyOf<math::Jet> SphereGroups::energyJet(const Motion&, const system::Environment&, int,
                                                    const system::JetSeeds&) const {
  return {};
}

void SphereGroups::addList(const Records& records, std::vector<int>& list) const {
  for (const SphereGroup& group : groups_) {
    const std::vector<double>& record = records[group.record];
    list.push_back(record.empty() ? -1 : SphereList(group, record).tail());
    for (std::size_t i = 2 + 3 * group.nodes.size(); i < record.size(); ++i) {
      list.push_back(static_cast<int>(record[i]));
    }
  }
}

bool SphereGroups::isSufficient(const Motion& motion, double h) const {
  for (const SphereGroup& group : groups_) {
    const std::vector<double>& record = motion.records[group.record];
    if (record.empty()) return false;
    const SphereList list(group, record);
    const int walls = static_cast<int>(group.walls.size());
    for (int i = 0; i < group.spheres(); ++i) {
      const NodeMotion& node = motion.nodes[group.nodes[i].value];
      const double way = (node.frame.x - list.centre(i)).norm() + h * speedOf(node);
      if (!(way <= 0.5 * list.margin())) return false;
    }
    std::vector<bool> isListed(static_cast<std::size_t>(walls) * group.spheres(), false);
    for (int pair = 0; pair < list.size(); ++pair) {
      if (!list.isOnWall(pair)) continue;
      isListed[list.first(pair) * walls + list.second(pair) - group.spheres()] = true;
    }
    for (int i = 0; i < group.spheres(); ++i) {
      const NodeMotion& node = motion.nodes[group.nodes[i].value];
      for (int w = 0; w < walls; ++w) {
        if (isListed[i * walls + w]) continue;
        const NodeMotion& wall = motion.nodes[group.walls[w].node.value];
        const double way = h * (speedOf(node) + speedAt(wall, node.frame.x));
        if (!(group.gapToWall(motion, i, w) >= way)) return false;
      }
    }
  }
  return true;
}

namespace {

// The list of what is near.
std::vector<double> makeList(const SphereGroup& group, const Motion& motion, double h, int tail) {
  std::vector<Ball> balls;
  double fastest = 0.0;
  for (int i = 0; i < group.spheres(); ++i) {
    const NodeMotion& node = motion.nodes[group.nodes[i].value];
    balls.push_back({node.frame.x, group.radii[i]});
    fastest = std::max(fastest, speedOf(node));
    for (const SphereWall& wall : group.walls) {
      fastest = std::max(fastest, speedAt(motion.nodes[wall.node.value], node.frame.x));
    }
  }
  const double margin =
      std::max(kMarginOfRadius * group.smallestRadius(), kMarginOfWay * h * fastest);
  std::vector<double> record{margin, static_cast<double>(tail)};
  for (const Ball& ball : balls) {
    for (int k = 0; k < 3; ++k) record.push_back(ball.centre[k]);
  }
  const std::size_t countAt = record.size();
  record.push_back(0.0);
  const auto add = [&](int first, int second) {
    record.push_back(first);
    record.push_back(second);
    record[countAt] += 1.0;
  };
  for (const auto& [first, second] : findNearPairs(balls, margin)) add(first, second);
  for (int i = 0; i < group.spheres(); ++i) {
    for (int w = 0; w < static_cast<int>(group.walls.size()); ++w) {
      if (group.gapToWall(motion, i, w) < margin) add(i, group.spheres() + w);
    }
  }
  return record;
}

template <class Shape>
void startMemory(const typename Shape::template Parameters<double>& shape,
                 const ContactLaw<double>& law, const FrictionLaw<double>& friction,
                 const std::array<system::NodeIndex, 2>& nodes, const Motion& motion,
                 double* memory) {
  using E = FrictionContact<Shape>;
  typename E::template View<double> now;
  for (int k = 0; k < 2; ++k) {
    const NodeMotion& node = motion.nodes[nodes[k].value];
    now.frame[k] = node.frame;
    now.twist[k] = node.twist;
    now.twistRate[k] = node.twistRate;
  }
  now.time = motion.time;
  E::start({shape, law, friction}, now, memory);
}

}  // namespace

void SphereGroups::renew(const Motion& motion, double h, system::State& state) const {
  for (const SphereGroup& group : groups_) {
    const std::vector<double>& old = motion.records[group.record];
    const int memory = memoryOf(group);
    std::map<std::pair<int, int>, const double*> known;
    if (!old.empty() && memory > 0) {
      const SphereList list(group, old);
      for (int pair = 0; pair < list.size(); ++pair) {
        known[{list.first(pair), list.second(pair)}] =
            motion.history + list.tail() + 1 + static_cast<std::ptrdiff_t>(memory) * pair;
      }
    }
    std::vector<double>& history = state.history;
    std::vector<double> record = makeList(group, motion, h, static_cast<int>(history.size()));
    const SphereList list(group, record);
    history.resize(history.size() + historyOf(group, list), 0.0);
    for (int pair = 0; pair < list.size() && memory > 0; ++pair) {
      double* to = history.data() + list.tail() + 1 + static_cast<std::ptrdiff_t>(memory) * pair;
      const int first = list.first(pair), second = list.second(pair);
      const auto found = known.find({first, second});
      const auto nodes = nodesOf(group, list, pair);
      if (found != known.end()) {
        std::copy_n(found->second, memory, to);
      } else if (list.isOnWall(pair)) {
        const int wall = second - group.spheres();
        startMemory<EllipsoidOnPlane>(group.shapeOnWall(first, wall), group.law(group.radii[first]),
                                      group.frictionOnWall(wall), nodes, motion, to);
      } else {
        startMemory<RoundPair>(group.shape(first, second),
                               group.law(radiusOfPair(group, first, second)), *group.laws.friction,
                               nodes, motion, to);
      }
    }
    state.records[group.record] = std::move(record);
  }
}

}  // namespace flexloop::mechanics
