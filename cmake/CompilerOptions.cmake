# Options of every target of this project.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(flexloop_options INTERFACE)
target_compile_options(flexloop_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Werror
  # Neither errno nor floating-point traps are used. -ffast-math never: it would let the compiler
  # reorder sums and assume that no NaN exists, and we promise the same bits and no silent NaN.
  -fno-math-errno -fno-trapping-math
  # One rounding less per product and sum, on machines that have the instruction.
  -ffp-contract=fast)
# Small matrices are never over-aligned: parameters of elements are copied lane by lane between
# structs of doubles and structs of packs, which must have the same layout.
target_compile_definitions(flexloop_options INTERFACE EIGEN_MAX_STATIC_ALIGN_BYTES=0)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # These come from the optimiser, know nothing of system headers, and are often wrong for inlined
  # Eigen and std::string code; the noisiest are off, the others do not
  # stop the build.
  target_compile_options(flexloop_options INTERFACE
    -Wno-maybe-uninitialized -Wno-array-bounds -Wno-error=stringop-overflow
    -Wno-error=stringop-overread
    # Always wrong for `"text" + string` in GCC 12 (its bug 105651).
    -Wno-restrict
    # The compiler searches its memory for what it can reuse from 1 GB on only; from 128 MB on it costs a fifth of
    # the time of sources with many templates, and saves little.
    --param=ggc-min-heapsize=1048576)
endif()

if(FLEXLOOP_NATIVE)
  # Without AVX-512, whose wider sums round differently: results are the same on all processors with
  # AVX2 (docs/decisions/0031).
  target_compile_options(flexloop_options INTERFACE -march=native -mno-avx512f)
endif()

if(FLEXLOOP_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined
      -fno-omit-frame-pointer)
  target_compile_options(flexloop_options INTERFACE ${sanitizers})
  target_link_options(flexloop_options INTERFACE ${sanitizers})
endif()
