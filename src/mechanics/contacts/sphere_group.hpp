// Many spheres that touch each other and planes (docs/theory/34_contact.md, section 34.7). Those that are near each other are listed in a
// record of the State,
//
//     margin m, where its history begins, centres x_i when it was made, count, and by pair i and j, or i and the number of
//     spheres plus that of a plane
//
// and act by the elements of single contacts. The list is good as long as no sphere has moved by more than m/2.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechanics/contacts/contact_maker.hpp"
#include "mechanics/contacts/round_shapes.hpp"
#include "system/gathering.hpp"

namespace flexloop::mechanics {

struct SphereWall {
  std::string name;
  system::NodeIndex node;
  Plane<double> plane;             // axes of the node
  std::optional<double> friction;  // coefficient; none: that of the group
};

struct SphereGroup {
  std::string name;
  std::vector<system::NodeIndex> nodes;
  std::vector<double> radii;
  std::vector<SphereWall> walls;
  ContactLaws laws;
  bool isHertz = false;  // the stiffness is that of a radius of one
  int record = -1;

  int spheres() const { return static_cast<int>(nodes.size()); }
  double smallestRadius() const;
  RoundPair::Parameters<double> shape(int first, int second) const;
  EllipsoidOnPlane::Parameters<double> shapeOnWall(int sphere, int wall) const;
  ContactLaw<double> law(double radiusOfPair) const;
  FrictionLaw<double> frictionOnWall(int wall) const;
  double gapToWall(const system::Motion& motion, int sphere, int wall) const;
};

// The record of a group, taken apart.
class SphereList {
 public:
  SphereList(const SphereGroup& group, const std::vector<double>& record)
      : spheres_(group.spheres()), record_(record) {}

  bool isWhole(int walls, int tail) const;
  double margin() const { return record_[0]; }
  int tail() const { return static_cast<int>(record_[1]); }
  math::Vec3<double> centre(int sphere) const;
  int size() const { return static_cast<int>(record_[countAt()]); }
  int first(int pair) const { return static_cast<int>(record_[countAt() + 1 + 2 * pair]); }
  // A sphere, or from the number of spheres on a plane.
  int second(int pair) const { return static_cast<int>(record_[countAt() + 2 + 2 * pair]); }
  bool isOnWall(int pair) const { return second(pair) >= spheres_; }

 private:
  std::size_t countAt() const { return 2 + 3 * static_cast<std::size_t>(spheres_); }

  int spheres_;
  const std::vector<double>& record_;
};

// All groups of a model.
class SphereGroups final : public system::ElementSet,
                           public system::Gathering,
                           public system::StoredEnergy {
 public:
  int add(SphereGroup group);
  const SphereGroup& group(int index) const { return groups_[index]; }
  // The elements of one group by their shapes: on each other, and on planes; without friction the second is null.
  struct Forces {
    std::unique_ptr<system::ElementSet> normal, friction;
  };
  std::array<Forces, 2> gatherGroup(const std::vector<double>& record, int index) const;

  std::string_view type() const override { return "group of spheres"; }
  int size() const override { return 0; }
  const std::string& name(int) const override { return none_; }
  int scalars(int) const override { return 0; }
  system::UnknownIndex scalar(int, int) const override { return {}; }
  bool usesRate() const override { return false; }
  bool usesAcceleration() const override { return false; }
  bool couples(int, int, int) const override { return false; }
  void addResidual(const system::Motion&, const system::Environment&,
                   system::ResidualSums&) const override {}
  void calcResidual(const system::Motion&, const system::Environment&, int,
                    Eigen::VectorXd&) const override {}
  void calcTangents(const system::Motion&, const system::Environment&, int,
                    system::Tangents&) const override {}
  void addTimeDerivatives(const system::Motion&, const system::Environment&,
                          system::TimeDerivatives&) const override {}

  // Of all that is listed; by elements, of which the set itself has none, there is nothing.
  system::Energy energy(const system::Motion&, const system::Environment&, int) const override {
    return {};
  }
  system::Energy sumEnergies(const system::Motion& motion, const system::Environment& environment,
                             int first, int count) const override;
  system::Energy sumEnergyRates(const system::Motion& motion,
                                const system::Environment& environment, int first,
                                int count) const override;
  void subtractEnergyGradient(const system::Motion&, const system::Environment&, int,
                              const system::Energy&, system::Tangents&) const override {}
  system::EnergyOf<math::Jet> energyJet(const system::Motion&, const system::Environment&, int,
                                        const system::JetSeeds&) const override;

  int tail(const Records& records) const override;
  int historySize(const Records& records, int tail) const override;
  Sets gather(const Records& records) const override;
  void addList(const Records& records, std::vector<int>& list) const override;
  bool isSufficient(const system::Motion& motion, double h) const override;
  void renew(const system::Motion& motion, double h, system::State& state) const override;

 private:
  std::vector<SphereGroup> groups_;
  std::string none_;
};

}  // namespace flexloop::mechanics
