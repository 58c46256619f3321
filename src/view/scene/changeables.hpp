// The numbers of a model that the page may change: its parameters, and plain numbers that its file writes down
// for gains, stiffnesses, masses and the like. What follows from a parameter is changed there.
#pragma once

#include <vector>

#include "language/raw_model.hpp"
#include "model/model.hpp"
#include "system/registry.hpp"
#include "view/scene/scene.hpp"

namespace flexloop::view {

// `raw` is the file of the model, with its overrides.
std::vector<Changeable> listChangeables(const model::Model& model, language::RawModel& raw,
                                        const system::Registry& registry);

}  // namespace flexloop::view
