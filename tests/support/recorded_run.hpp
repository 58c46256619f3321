// A model that a test runs as the command `run` does: with events, jumps and outputs.
#pragma once

#include <string>

#include "support/built_model.hpp"
#include "support/record.hpp"

namespace flexloop::test {

// What a wrong model is told; empty if it is right.
std::string mistakesOf(const std::string& text);

// Runs `analysis: time` of the model; throws std::runtime_error if it fails.
Record recordText(const std::string& text);

}  // namespace flexloop::test
