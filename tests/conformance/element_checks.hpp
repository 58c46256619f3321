// What every element must satisfy, whatever it is (the contract of src/system/element_set.hpp).
// Each check reports instead of asserting, so that broken elements can prove that it finds them.
#pragma once

#include <string>
#include <vector>

#include "conformance/motion_sample.hpp"
#include "system/element_set.hpp"
#include "system/system.hpp"

namespace flexloop::test {

struct CheckReport {
  std::vector<std::string> complaints;

  bool ok() const { return complaints.empty(); }
  std::string text() const;
  void add(const system::ElementSet& set, int element, const std::string& complaint);
  void add(const CheckReport& other);
};

// K, C and M are the derivatives of the residual through the retraction, by central differences
// with one extrapolation; and they are zero where `fills` says so.
CheckReport checkTangents(const system::ElementSet& set, const MotionSample& sample,
                          const system::Environment& environment);

// addResidual, which takes four elements at once, gives the sum of calcResidual of each.
CheckReport checkSum(const system::System& system, const system::ElementSet& set,
                     const MotionSample& sample, const system::Environment& environment);

// A rigid motion of all nodes, ground included, changes nothing; and a rigid velocity on top of it
// neither, where there is no inertia. Without gravity.
CheckReport checkObjectivity(const system::ElementSet& set, const MotionSample& sample,
                             const system::Environment& environment);

// The forces on the nodes have no resultant and no moment: at rest for elements with inertia, in
// any motion for others. Without gravity.
CheckReport checkBalance(const system::ElementSet& set, const MotionSample& sample,
                         const system::Environment& environment);

// The power of the element's forces is the change of its energy and what it dissipates, which is
// not negative.
CheckReport checkEnergy(const system::ElementSet& set, const MotionSample& sample,
                        const system::Environment& environment);

// Constraint forces have the power λ·Φ': they follow the exact gradient of the constraint. For sets
// whose scalars are multipliers, with signals at rest.
CheckReport checkVirtualWork(const system::System& system, const system::ElementSet& set,
                             const MotionSample& sample);

// The time derivatives of the scalar rows along the motion.
CheckReport checkTimeDerivatives(const system::System& system, const system::ElementSet& set,
                                 const MotionSample& sample,
                                 const system::Environment& environment);

// The residual neither allocates nor changes what it reads, and gives the same bits again.
CheckReport checkPurity(const system::System& system, const system::ElementSet& set,
                        const MotionSample& sample, const system::Environment& environment);

// The number of allocations of this program so far.
long allocationCount();

}  // namespace flexloop::test
