// The parameters with which a model gives a block its clock.
#pragma once

#include <vector>

#include "system/builder.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

inline system::Parameter samplePeriod() {
  return positive(system::number("sample", base::kTime, "sampling period"));
}

inline system::Parameter sampleOffset() {
  return withDefault(notNegative(system::number("offset", base::kTime, "time of the first sample")),
                     "0");
}

inline std::vector<system::Parameter> clockParameters() {
  return {required(samplePeriod()), sampleOffset()};
}

// The index of the item's clock.
inline int clockOf(const system::Item& item, system::Builder& builder) {
  return builder.addClock({item.number("sample"), item.number("offset")});
}

}  // namespace flexloop::control
