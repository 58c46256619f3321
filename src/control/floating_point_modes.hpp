// Puts the modes of floating-point arithmetic back (rounding, traps, treatment of tiny numbers),
// whatever code in between has set: a library that is linked with -ffast-math changes them for the
// whole thread that loads it.
#pragma once

#include <cfenv>

namespace flexloop::control {

class FloatingPointModes {
 public:
  FloatingPointModes() { std::fegetenv(&modes_); }
  ~FloatingPointModes() { std::fesetenv(&modes_); }
  FloatingPointModes(const FloatingPointModes&) = delete;
  FloatingPointModes& operator=(const FloatingPointModes&) = delete;

 private:
  std::fenv_t modes_;
};

}  // namespace flexloop::control
