// Sensors that blocks, actuators and loads read: each becomes a signal with its own equation. Sensors
// that are only recorded cost nothing.
#pragma once

#include "system/builder.hpp"

namespace flexloop::model {

// Gives the signals that are still open to the sensors of their names; reports the rest.
void connectSensors(system::Builder& builder);

}  // namespace flexloop::model
