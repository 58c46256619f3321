# Eigen and the standard library take longer to read than most sources take to compile, so they are read once for all targets
# that are compiled with the same options. No source may rely on it: `make lint` compiles without.

option(FLEXLOOP_PRECOMPILED_HEADERS "Read the headers that everybody includes once" ON)

set(FLEXLOOP_COMMON_HEADERS
  <algorithm> <array> <cmath> <functional> <map> <memory> <optional> <sstream> <string>
  <string_view> <unordered_map> <utility> <vector> <Eigen/Core>)

# The first of the targets compiles the headers, the others use them too; so the first has no definitions that others lack.
function(flexloop_precompile headers)
  if(NOT FLEXLOOP_PRECOMPILED_HEADERS OR FLEXLOOP_COVERAGE OR FLEXLOOP_MUTANTS)
    return()
  endif()
  unset(owner)
  foreach(target ${ARGN})
    if(NOT TARGET ${target})
      continue()
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
      continue()  # it compiles nothing, and would make its users wait for the owner
    endif()
    if(owner)
      target_precompile_headers(${target} REUSE_FROM ${owner})
    else()
      set(owner ${target})
      target_precompile_headers(${target} PRIVATE ${headers})
    endif()
  endforeach()
endfunction()
