// The part of a wrapper that is the same for all: C source, in two pieces around what follows from the description.
#pragma once

namespace flexloop::control {

// Before everything else of the file.
extern const char* const kWrapperBegin;
// After the headers of the code: what the functions of the description use.
extern const char* const kWrapperTools;
// malloc and its kin within FLEXLOOP_HEAP bytes of static memory.
extern const char* const kWrapperHeap;
// The functions of flexloop_block.h, over those of the description.
extern const char* const kWrapperEnd;

}  // namespace flexloop::control
