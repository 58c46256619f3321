// Joints that guide a rotation or displacement along their axis.
#include "mechanics/joints/joint_rows_maker.hpp"

namespace flexloop::mechanics {

system::UnknownIndex addMultiplier(system::Builder& builder, const std::string& joint,
                                   const std::string& force, const std::string& equation) {
  return builder.addScalar(system::Kind::kMultiplier, joint + " reaction " + force,
                           joint + ": " + equation);
}

template system::Builder::Attachment addRows<HingeRows>(const std::string&, const Connection&,
                                                        system::Builder&);
template system::Builder::Attachment addRows<CylindricalRows>(const std::string&, const Connection&,
                                                              system::Builder&);
template std::optional<Connection> makeRows<HingeRows>(const system::Item&, system::Builder&);
template std::optional<Connection> makeRows<SliderRows>(const system::Item&, system::Builder&);
template std::optional<Connection> makeRows<CylindricalRows>(const system::Item&, system::Builder&);
template std::optional<Connection> makeRows<WeldRows>(const system::Item&, system::Builder&);

}  // namespace flexloop::mechanics
