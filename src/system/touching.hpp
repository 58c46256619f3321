// Roles of elements that act while shapes touch (docs/theory/34_contact.md): what a run watches, and what sensors read.
#pragma once

#include "system/element_set.hpp"

namespace flexloop::math {
struct Jet;
}

namespace flexloop::system {

struct JetSeeds;  // jet_view.hpp

class Touching {
 public:
  virtual ~Touching() = default;
  // How deep the two shapes of an element overlap [m]; negative: the gap between them.
  virtual double depth(const Motion& motion, int element) const = 0;
  virtual math::Jet depthJet(const Motion& motion, int element, const JetSeeds& seeds) const = 0;
  // The smallest length of the two shapes [m]: how far they must move to pass through each other.
  virtual double size(int element) const = 0;
};

// Elements whose tangents are zero as long as they are idle, as those of a contact that is open.
class Idling {
 public:
  virtual ~Idling() = default;
  virtual bool isIdle(const Motion& motion, int element) const = 0;
};

// Elements with dry friction.
class Gripping {
 public:
  virtual ~Gripping() = default;
  // Whether the shapes touch and do not slide on each other.
  virtual bool sticks(const Motion& motion, int element) const = 0;
  // Takes a rest that was found for the last accepted step.
  virtual void rememberRest(const Motion& motion, State& state) const = 0;
};

}  // namespace flexloop::system
