#include "mechanics/joints/joint_makers.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {

using system::Builder;

AngleCounters::Counter& findTurns(const std::string& section, const std::string& name,
                                  const Connection& c, Builder& builder) {
  const std::string part = name + std::string(kTurnsPart);
  auto& set = builder.elementSet<AngleCounters>();
  if (builder.findAttachment(section, part) == nullptr) {
    const int element =
        set.add({name, c.nodes, c.frames, builder.addHistory(kTurnSlots), {}, {}, {}});
    builder.attach(section, part, {&set, element});
  }
  return set.at(builder.findAttachment(section, part)->element);
}

template <class Coordinate>
Builder::Attachment addCoordinateSpring(const std::string& section, const std::string& name,
                                        const Connection& c, const SpringLaw& law,
                                        Builder& builder) {
  using Spring = CoordinateSpring<Coordinate>;
  auto& set = builder.elements<Spring>();
  const int history = Spring::kHistory > 0 ? findTurns(section, name, c, builder).history : 0;
  const int element =
      set.add(name, c.nodes, {}, {c.frames, law.stiffness, law.damping, law.rest}, history);
  return {&set, element};
}

template Builder::Attachment addCoordinateSpring<RotationCoordinate>(const std::string&,
                                                                     const std::string&,
                                                                     const Connection&,
                                                                     const SpringLaw&, Builder&);
template Builder::Attachment addCoordinateSpring<TranslationCoordinate>(const std::string&,
                                                                        const std::string&,
                                                                        const Connection&,
                                                                        const SpringLaw&, Builder&);

}  // namespace flexloop::mechanics
