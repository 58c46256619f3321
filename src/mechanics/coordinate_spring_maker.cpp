#include "mechanics/joint_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;

template <class Coordinate>
Builder::Attachment addCoordinateSpring(const std::string& name, const Connection& c,
                                        const SpringLaw& law, Builder& builder) {
  using Spring = CoordinateSpring<Coordinate>;
  auto& set = builder.elements<Spring>();
  const int history = Spring::kHistory > 0 ? builder.addHistory(Spring::kHistory) : 0;
  const int element =
      set.add(name, c.nodes, {}, {c.frames, law.stiffness, law.damping, law.rest}, history);
  return {&set, element};
}

template Builder::Attachment addCoordinateSpring<RotationCoordinate>(const std::string&,
                                                                     const Connection&,
                                                                     const SpringLaw&, Builder&);
template Builder::Attachment addCoordinateSpring<TranslationCoordinate>(const std::string&,
                                                                        const Connection&,
                                                                        const SpringLaw&, Builder&);

}  // namespace flexloop::mechanics
