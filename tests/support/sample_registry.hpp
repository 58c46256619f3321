// A small registry for the tests of the model language: a few types of every section, without
// makers.
#pragma once

#include "system/registry.hpp"

namespace flexloop::testing {

const system::Registry& sampleRegistry();

// The model that documents the language, in terms of the sample registry.
const char* sampleModel();

}  // namespace flexloop::testing
