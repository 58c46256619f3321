// What sensors read of a tyre.
#pragma once

#include <array>

#include "system/element_set.hpp"

namespace flexloop::math {
struct Jet;
}

namespace flexloop::system {
struct JetSeeds;
}

namespace flexloop::mechanics {

// In the axes x, y, n of the contact: the force on the wheel at the contact, the moment beside it, and the slip that they follow from.
template <class S>
struct TyreReading {
  enum { kForce = 0, kMoment = 3, kSlipRatio = 6, kSlipAngle, kCamber, kCount };
  std::array<S, kCount> values;
};

class Rolling {
 public:
  virtual ~Rolling() = default;
  virtual void calcReading(const system::Motion& motion, int element,
                           TyreReading<double>& reading) const = 0;
  virtual void calcReadingJets(const system::Motion& motion, int element,
                               const system::JetSeeds& seeds,
                               TyreReading<math::Jet>& reading) const = 0;
};

}  // namespace flexloop::mechanics
