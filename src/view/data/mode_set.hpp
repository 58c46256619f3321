// Modes as the page wants them: numbers as JSON, frames and shapes as bytes.
#pragma once

#include <string>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"
#include "reports/mode_text.hpp"

namespace flexloop::view {

struct ModeSet {
  std::string json;           // as modes.json
  std::vector<float> frames;  // [nodes][7] of the state that was linearised
  std::vector<float> shapes;  // [modes][nodes][12]
  // [coordinates of parts] of that state, then [modes][coordinates][2] of how modes change them.
  std::vector<float> parts;
};

// `id` is the name of the set.
ModeSet makeModeSet(const std::string& id, const model::Model& model, const system::State& state,
                    const analysis::ModeResult& result, const reports::ModeHead& head);

}  // namespace flexloop::view
