// A smaller machine with the same failure: parts are taken away one after the other as long as the check fails.
#pragma once

#include "random/checks.hpp"

namespace flexloop::random {

Machine shrink(const Machine& machine, const Check& check);

}  // namespace flexloop::random
