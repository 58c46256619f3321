// Machines with parts made by hand: models as text, in which springs of the type hand_part are reduced parts from a list,
//
//     springs: {arm: {type: hand_part, nodes: [A, B], part: beam, modes: [0.1, 0]}}
//
// with the modal coordinates at the start; those that are not given are zero.
#pragma once

#include <map>
#include <string>

#include "mechanics/parts/reduced_model.hpp"
#include "model/model.hpp"
#include "system/registry.hpp"

namespace flexloop::test {

using PartList = std::map<std::string, mechanics::ReducedModel>;

// The text is without its first line `flexloop: 1`.
model::Model buildWithParts(const std::string& text, const PartList& parts);

}  // namespace flexloop::test
