// Joints with several free directions.
#include "mechanics/joints/joint_rows_maker.hpp"

namespace flexloop::mechanics {

template system::Builder::Attachment addRows<PlanarRows>(const std::string&, const Connection&,
                                                         system::Builder&);
template system::Builder::Attachment addRows<PointOnLineRows>(const std::string&, const Connection&,
                                                              system::Builder&);
template system::Builder::Attachment addRows<PointOnPlaneRows>(const std::string&,
                                                               const Connection&, system::Builder&);
template std::optional<Connection> makeRows<UniversalRows>(const system::Item&, system::Builder&);
template std::optional<Connection> makeRows<SphericalRows>(const system::Item&, system::Builder&);
template std::optional<Connection> makeRows<PlanarRows>(const system::Item&, system::Builder&);
template std::optional<Connection> makeRows<PointOnLineRows>(const system::Item&, system::Builder&);
template std::optional<Connection> makeRows<PointOnPlaneRows>(const system::Item&,
                                                              system::Builder&);

}  // namespace flexloop::mechanics
