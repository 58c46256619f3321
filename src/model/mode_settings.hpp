// What `analysis: modes` says, checked and in SI.
#pragma once

namespace flexloop::model {

// The state that is linearised.
struct OperatingPoint {
  enum class Kind { kInitial, kEquilibrium, kSteady, kTime };
  Kind kind = Kind::kInitial;
  double time = 0.0;  // [s], by simulation up to it
};

struct ModeSettings {
  int count = 10;
  OperatingPoint about;
};

}  // namespace flexloop::model
