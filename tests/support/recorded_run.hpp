// A model that a test runs as the command `run` does: with events, jumps and outputs.
#pragma once

#include <string>

#include "model/model.hpp"
#include "support/record.hpp"

namespace flexloop::test {

// Reads and builds the model; throws base::InputError if it is wrong.
model::Model buildText(const std::string& text);

// What a wrong model is told; empty if it is right.
std::string mistakesOf(const std::string& text);

// Runs `analysis: time` of the model; throws std::runtime_error if it fails.
Record runText(const std::string& text);

}  // namespace flexloop::test
