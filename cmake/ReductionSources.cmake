# What reduces parts, as one sum over its sources: a program does not take from the cache what another one has reduced.
set(FLEXLOOP_SUM_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/WriteSum.cmake)

function(flexloop_sum_reduction_sources)
  set(sum ${PROJECT_BINARY_DIR}/reduction_sum.txt)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/src/fem/*.?pp ${PROJECT_SOURCE_DIR}/src/linalg/symmetric/*.?pp
       ${PROJECT_SOURCE_DIR}/src/linalg/dense/*.?pp)
  string(REPLACE ";" "\n" list "${sources}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/reduction_sources.txt CONTENT "${list}\n" @ONLY)
  add_custom_command(OUTPUT ${sum}
    COMMAND ${CMAKE_COMMAND} -DLIST=${PROJECT_BINARY_DIR}/reduction_sources.txt -DOUT=${sum}
            -P ${FLEXLOOP_SUM_SCRIPT}
    DEPENDS ${sources} ${FLEXLOOP_SUM_SCRIPT} ${PROJECT_BINARY_DIR}/reduction_sources.txt
    COMMENT "Summing the sources of the reduction"
    VERBATIM)
  target_sources(flexloop_fem PRIVATE ${sum})
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/fem/reduction/part_cache.cpp PROPERTIES
    OBJECT_DEPENDS ${sum} COMPILE_DEFINITIONS FLEXLOOP_REDUCTION_SUM_FILE="${sum}")
endfunction()
