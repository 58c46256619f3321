// A sample of the registry as a system, with its measures.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "system/measure.hpp"
#include "system/registry.hpp"
#include "system/system.hpp"

namespace flexloop::test {

// Every type that a model may name.
const system::Registry& fullRegistry();

// The file in which samples stand for the tests: beside the folder `boxes` of libraries.
std::string sampleFile();

struct BuiltSample {
  system::System system;
  std::map<std::string, std::unique_ptr<system::Measure>> measures;
};

// Reads the text and runs the makers; throws base::InputError if the model is wrong.
BuiltSample buildSample(const std::string& text);

}  // namespace flexloop::test
