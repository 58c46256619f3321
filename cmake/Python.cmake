# The Python module, in build/python: the compiled part and the files of python/flexloop. It is part of the default build;
# the program alone (`make program`, `make demo`) does not wait for it.

function(flexloop_add_python)
  # Their run-time libraries must come before everything else in a process, and Python does.
  if(FLEXLOOP_SANITIZE OR FLEXLOOP_FUZZ OR FLEXLOOP_CHECKED OR FLEXLOOP_COVERAGE OR FLEXLOOP_MUTANTS)
    return()
  endif()
  set(PYBIND11_NOPYTHON ON)
  find_package(pybind11 2.10 QUIET)
  execute_process(
    COMMAND ${FLEXLOOP_PYTHON} -c
      "import sysconfig as s; print(s.get_path('include') + ';' + s.get_config_var('EXT_SUFFIX'))"
    OUTPUT_VARIABLE facts OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  list(GET facts 0 headers)
  list(GET facts 1 suffix)
  if(NOT pybind11_FOUND OR NOT EXISTS ${headers}/Python.h)
    message(STATUS "No Python module: pybind11-dev or python3-dev is missing (run 'make packages')")
    return()
  endif()
  set(target ${PROJECT_BINARY_DIR}/python/flexloop)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/binding/*.cpp)
  add_library(flexloop_python MODULE ${sources} ${PROJECT_SOURCE_DIR}/app/option_words.cpp)
  target_include_directories(flexloop_python PRIVATE ${PROJECT_SOURCE_DIR}/src
    ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(flexloop_python SYSTEM PRIVATE ${headers} ${pybind11_INCLUDE_DIRS})
  target_compile_definitions(flexloop_python PRIVATE FLEXLOOP_VERSION="${PROJECT_VERSION}")
  flexloop_link_shared_externals(flexloop_python)
  target_link_libraries(flexloop_python PRIVATE flexloop_all flexloop_options)
  target_compile_options(flexloop_python PRIVATE -O1)  # it computes nothing
  target_link_options(flexloop_python PRIVATE -Wl,--exclude-libs,ALL -Wl,--as-needed)
  set_target_properties(flexloop_python PROPERTIES
    PREFIX "" OUTPUT_NAME _flexloop SUFFIX ${suffix} LIBRARY_OUTPUT_DIRECTORY ${target}
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/flexloop/*)
  list(FILTER files EXCLUDE REGEX __pycache__)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/python/files.stamp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${target}
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${files} ${target}
    COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/python/files.stamp
    DEPENDS ${files} VERBATIM)
  add_custom_target(flexloop_python_files ALL DEPENDS ${PROJECT_BINARY_DIR}/python/files.stamp)
  add_dependencies(flexloop_python flexloop_python_files)
endfunction()
