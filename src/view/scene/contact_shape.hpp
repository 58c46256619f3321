// What a body touches others with, as far as one of its contacts says so.
#pragma once

#include <optional>

#include "view/scene/body_shape.hpp"

namespace flexloop::view {

// Of the first contact with a shape on the node of the body: a sphere, a box, a cylinder, or for a disc a thin one.
std::optional<BodyShape> findContactShape(const SceneSource& source, const system::Item& body);

}  // namespace flexloop::view
