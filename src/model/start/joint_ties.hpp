// Which nodes move along with an end of a joint that starts elsewhere than where it is drawn
// (docs/theory/26_rest_of_controllers.md, section 26.5).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/description.hpp"
#include "system/builder.hpp"
#include "system/system.hpp"

namespace flexloop::model {

// A joint that holds only while a signal says so ties nothing at the start.
inline bool isCommanded(const system::Item& joint) {
  return joint.has("when");
}

class JointTies {
 public:
  // An element of a joint, beam or flexible part between two nodes.
  struct Tie {
    int a, b;
    std::string name;
    bool isJoint;
  };

  JointTies(const Description& description, const system::Builder& builder,
            const system::System& system);

  const std::vector<Tie>& ties() const { return ties_; }

  // The nodes that joints, beams and parts tie to `end` without the joint itself, and `bySprings` what hangs on them by springs alone. Empty
  // if they cannot move along: if one of them is held, `stuck`, or the other end of the joint. What springs tie to
  // such a node as well stays where it is placed.
  std::vector<bool> findMoved(const std::string& joint, int end, int other,
                              const std::vector<bool>& stuck, bool bySprings) const;

 private:
  struct Neighbour {
    int node;
    int tie;  // -1: a spring
  };

  void addTies(const std::string& section, const std::string& name, bool isJoint,
               const system::Builder& builder);
  void addSpring(const system::Item& item, const system::Builder& builder);
  bool isHeld(int node) const { return system_.nodes()[node].count == 0; }
  std::vector<int> flood(const std::string& joint, int from, bool withSprings,
                         std::vector<bool>& reached) const;

  const system::System& system_;
  std::vector<Tie> ties_;
  std::vector<std::pair<int, int>> springs_;
  std::vector<std::vector<Neighbour>> neighbours_;
};

}  // namespace flexloop::model
