#include "mechanics/joints/coordinate_inertia.hpp"

#include "system/elements.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;

template <class Coordinate>
void addInertia(const Item& joint, const Item& options, const Connection& c, Builder& builder) {
  double inertia = options.number("inertia", 0.0);
  if (options.has("rotor")) {
    const Item rotor = options.child("rotor");
    const double ratio = rotor.number("ratio");
    inertia += ratio * ratio * rotor.number("inertia");
  }
  if (inertia == 0.0) return;
  auto& set = builder.elements<CoordinateInertia<Coordinate>>();
  const int element = set.add(joint.name(), c.nodes, {}, {c.frames, inertia});
  const std::string word = Coordinate::kTurns ? "rotation" : "translation";
  builder.attach("joints", joint.name() + "/" + word + " inertia", {&set, element});
}

template void addInertia<RotationCoordinate>(const Item&, const Item&, const Connection&, Builder&);
template void addInertia<TranslationCoordinate>(const Item&, const Item&, const Connection&,
                                                Builder&);

}  // namespace flexloop::mechanics
