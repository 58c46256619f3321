# The page of the viewer: built by node from viewer/src and linked into src/view/server/page.cpp. Without the npm
# packages everything else is built all the same.

set(FLEXLOOP_VIEWER ${PROJECT_SOURCE_DIR}/viewer)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FLEXLOOP_VIEWER}/package-lock.json)

execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/install_page_packages.sh)
# Looked for at every build, so that packages that come or go later are noticed.
file(GLOB FLEXLOOP_PAGE_PACKAGES CONFIGURE_DEPENDS ${FLEXLOOP_VIEWER}/node_modules/.installed-lock.json)
find_program(FLEXLOOP_NODE node)

# Adds the page to the target of the folder `view`.
function(flexloop_add_page)
  if(NOT FLEXLOOP_PAGE_PACKAGES OR NOT FLEXLOOP_NODE)
    message(WARNING
      "The page of the viewer is left out: node or the npm packages of viewer/ are missing. "
      "'flexloop view' and 'flexloop report' will not work. Run 'make packages' with access to the "
      "network, then build again.")
    return()
  endif()
  set(page ${PROJECT_BINARY_DIR}/page.html)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${FLEXLOOP_VIEWER}/src/*)
  add_custom_command(OUTPUT ${page}
    COMMAND ${FLEXLOOP_NODE} ${FLEXLOOP_VIEWER}/build.mjs ${page}
    DEPENDS ${sources} ${FLEXLOOP_VIEWER}/build.mjs ${FLEXLOOP_PAGE_PACKAGES}
    COMMENT "Building the page of the viewer"
    VERBATIM)
  set(file ${PROJECT_SOURCE_DIR}/src/view/server/page.cpp)
  target_sources(flexloop_view PRIVATE ${page})
  set_source_files_properties(${file} PROPERTIES
    OBJECT_DEPENDS ${page} COMPILE_DEFINITIONS FLEXLOOP_PAGE_FILE="${page}")
endfunction()

# Tests of the page in a browser, by its real program: viewer/tests/NAME.test.mjs becomes viewer.NAME.
# What they need and is missing makes them fail, with its name.
function(flexloop_add_page_tests)
  file(GLOB files CONFIGURE_DEPENDS ${FLEXLOOP_VIEWER}/tests/*.test.mjs)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    add_test(NAME viewer.${name} COMMAND ${FLEXLOOP_NODE} --test ${file})
    set_tests_properties(viewer.${name} PROPERTIES
      LABELS viewer
      ENVIRONMENT "FLEXLOOP=${PROJECT_BINARY_DIR}/flexloop;FLEXLOOP_PAGE=${PROJECT_BINARY_DIR}/page.html"
      # A browser that draws without a graphics card wants all cores for itself.
      RESOURCE_LOCK browser
      PROCESSORS 2
      TIMEOUT 1800)
  endforeach()
endfunction()
