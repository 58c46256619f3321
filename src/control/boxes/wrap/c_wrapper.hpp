// Controllers in C with functions and variables of their own, such as generated code, as black boxes: the C source of a library
// with the functions of flexloop_block.h that calls them.
//
// What such code remembers is in static variables. They are found without knowing them: the library's own writable memory, all of
// its sources together, is what is saved and restored, and each block of the library has a copy of it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace flexloop::control {

struct WrappedPlace {
  std::string name;
  std::string place;    // in C: rtU.speed
  double factor = 1.0;  // SI of one there
};

struct WrappedStep {
  std::string call;  // a statement in C without its semicolon
  int every = 1;     // sample
};

struct WrapDescription {
  std::string file;  // that it comes from, for messages
  std::vector<std::string> headers;
  std::string declarations;  // in C
  std::vector<WrappedPlace> inputs, outputs, parameters;
  std::string initialize, terminate;  // statements; empty: none
  std::string error;                  // an expression, a text or NULL; empty: there is none
  std::vector<WrappedStep> steps;
  double sample = 0.0;   // [s]; 0: any
  std::size_t heap = 0;  // bytes for malloc
};

std::string writeWrapper(const WrapDescription& description);

}  // namespace flexloop::control
