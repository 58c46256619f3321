# The pages of the manual and the examples of the reference, which the program carries along: one file that
# src/language/manual/pages.cpp links in.

set(FLEXLOOP_PAGES_SCRIPT ${PROJECT_SOURCE_DIR}/cmake/WritePages.cmake)

# Adds the pages to the target of the folder `language`.
function(flexloop_add_pages)
  file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/manual/*.md)
  file(GLOB_RECURSE examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/reference/*.yaml)
  set(bundle ${PROJECT_BINARY_DIR}/pages.txt)
  add_custom_command(OUTPUT ${bundle}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DOUT=${bundle} -P ${FLEXLOOP_PAGES_SCRIPT}
    DEPENDS ${pages} ${examples} ${FLEXLOOP_PAGES_SCRIPT}
    COMMENT "Collecting the pages of the manual"
    VERBATIM)
  target_sources(flexloop_language PRIVATE ${bundle})
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/language/manual/pages.cpp PROPERTIES
    OBJECT_DEPENDS ${bundle} COMPILE_DEFINITIONS FLEXLOOP_PAGES_FILE="${bundle}")
endfunction()
