// Joints with several free directions.
#include "mechanics/joints/joint_rows_maker.hpp"

namespace flexloop::mechanics {

template std::optional<Connection> makeRows<UniversalRows>(const system::Item&, system::Builder&);
template std::optional<Connection> makeRows<SphericalRows>(const system::Item&, system::Builder&);
template std::optional<Connection> makeRows<PlanarRows>(const system::Item&, system::Builder&);
template std::optional<Connection> makeRows<PointOnLineRows>(const system::Item&, system::Builder&);
template std::optional<Connection> makeRows<PointOnPlaneRows>(const system::Item&,
                                                              system::Builder&);

}  // namespace flexloop::mechanics
