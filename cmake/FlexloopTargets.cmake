# How folders become targets. All globs use CONFIGURE_DEPENDS, so the next build sees a new file or
# folder; a folder that does not exist yet is skipped.

# One target flexloop_<folder> per folder of src/, plus flexloop_all that links every one of them.
function(flexloop_add_folders)
  set(lower_folders)
  add_library(flexloop_all INTERFACE)
  foreach(folder ${FLEXLOOP_FOLDERS})
    flexloop_add_folder(${folder} "${lower_folders}" "${FLEXLOOP_EXTERNALS_${folder}}")
    if(TARGET flexloop_${folder})
      list(PREPEND lower_folders flexloop_${folder})
    endif()
  endforeach()
  target_link_libraries(flexloop_all INTERFACE ${lower_folders})
endfunction()

function(flexloop_add_folder folder lower_folders externals)
  set(directory ${PROJECT_SOURCE_DIR}/src/${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${directory}/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${directory}/*.hpp)
  if(FLEXLOOP_MPI)
    list(FILTER sources EXCLUDE REGEX "_alone\\.cpp$")
  else()
    list(FILTER sources EXCLUDE REGEX "_mpi\\.cpp$")
  endif()
  if(sources)
    add_library(flexloop_${folder} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(flexloop_${folder} PRIVATE ${externals} flexloop_options)
  elseif(headers)
    add_library(flexloop_${folder} INTERFACE)
    set(scope INTERFACE)
  else()
    return()
  endif()
  target_include_directories(flexloop_${folder} ${scope} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(flexloop_${folder} ${scope} ${lower_folders} Eigen3::Eigen)
endfunction()

# Sources that read files of strangers in folders of which most is equations. They have other options than the
# precompiled headers of their folder, so they do without.
function(flexloop_list_other_readers result)
  set(patterns_control src/control/boxes/fmu/*.cpp src/control/boxes/discon/*.cpp src/control/boxes/wrap/*.cpp
      src/control/lpv/lpv_file.cpp src/control/lpv/lpv_model.cpp)
  set(patterns_mechanics src/mechanics/tyres/tir_file.cpp src/mechanics/tyres/pac2002_reader.cpp)
  set(all)
  foreach(folder ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${patterns_${folder}})
    list(APPEND all ${sources})
  endforeach()
  set_source_files_properties(${all} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  set(${result} ${all} PARENT_SCOPE)
endfunction()

# For `make fuzz`: what reads files and requests is checked and followed, everything else is as in the release build.
function(flexloop_instrument_readers)
  if(NOT FLEXLOOP_FUZZ)
    return()
  endif()
  set(checks -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  foreach(folder base files fem language results reports view fmu commands)
    target_compile_options(flexloop_${folder} PRIVATE
      -O1 -g ${checks} -fsanitize-coverage=trace-pc)
  endforeach()
  flexloop_list_other_readers(others control mechanics)
  set_property(SOURCE ${others} APPEND PROPERTY
    COMPILE_OPTIONS -O1 -g ${checks} -fsanitize-coverage=trace-pc)
  target_link_options(flexloop_options INTERFACE ${checks})
endfunction()

# For `make sanitize ONLY=...`: these folders are checked, everything else is as in the release build and comes from the
# compiler's cache.
function(flexloop_check_folders)
  if(NOT FLEXLOOP_CHECKED)
    return()
  endif()
  set(checks -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  foreach(folder ${FLEXLOOP_CHECKED})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${folder}/*.cpp)
    if(NOT sources)
      message(FATAL_ERROR "There is no source in src/${folder}")
    endif()
    set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -O1 -g -UNDEBUG ${checks})
  endforeach()
  target_link_options(flexloop_options INTERFACE ${checks})
endfunction()

# Of the sources only, so that tests are compiled as ever, or taken from the compiler's cache.
function(flexloop_count_lines)
  if(NOT FLEXLOOP_COVERAGE)
    return()
  endif()
  foreach(folder ${FLEXLOOP_FOLDERS})
    if(TARGET flexloop_${folder})
      target_compile_options(flexloop_${folder} PRIVATE -O1 -w --coverage)
    endif()
  endforeach()
  target_link_options(flexloop_options INTERFACE --coverage)
endfunction()

# What reads files and requests of strangers checks its stack and its buffers, and nobody rewrites the table of functions. The
# equations are left as they are: they read nothing.
function(flexloop_harden_readers)
  if(FLEXLOOP_SANITIZE OR FLEXLOOP_FUZZ OR FLEXLOOP_CHECKED OR FLEXLOOP_COVERAGE OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  endif()
  foreach(target flexloop_base flexloop_files flexloop_language flexloop_results flexloop_reports flexloop_view flexloop_fmu flexloop_commands
          flexloop flexloop_server)
    target_compile_options(${target} PRIVATE -fstack-protector-strong -U_FORTIFY_SOURCE
      -D_FORTIFY_SOURCE=2)
  endforeach()
  foreach(target flexloop flexloop_server)
    target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now)
  endforeach()
endfunction()

# include/: the header for vendors of black boxes, apart from src/ because it is theirs as well.
function(flexloop_add_block_interface)
  add_library(flexloop_block_interface INTERFACE)
  target_include_directories(flexloop_block_interface INTERFACE ${PROJECT_SOURCE_DIR}/include)
  install(FILES ${PROJECT_SOURCE_DIR}/include/flexloop_block.h TYPE INCLUDE)
endfunction()

# app/*.cpp becomes the program `flexloop` in the root of the build directory.
function(flexloop_add_application)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/app/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(flexloop ${sources})
  target_link_libraries(flexloop PRIVATE flexloop_all flexloop_options CLI11::CLI11)
  target_link_options(flexloop PRIVATE -Wl,--as-needed)
  add_dependencies(flexloop flexloop_server flexloop_fmu_runtime)
  target_compile_definitions(flexloop PRIVATE FLEXLOOP_VERSION="${PROJECT_VERSION}")
  set_target_properties(flexloop PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
    # A vendor's block library may call back symbols of the program.
    ENABLE_EXPORTS ON)
  install(TARGETS flexloop)
endfunction()

# The web server of the viewer, which the program loads when it is asked for: its library brings OpenSSL along, and
# loading that takes as long as a short run.
function(flexloop_add_server_module)
  set(folder ${PROJECT_SOURCE_DIR}/src/view/server)
  add_library(flexloop_server MODULE ${folder}/server.cpp ${folder}/waiting_room.cpp)
  target_include_directories(flexloop_server PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(flexloop_server PRIVATE
    flexloop_options nlohmann_json::nlohmann_json PkgConfig::httplib)
  set_target_properties(flexloop_server PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  install(TARGETS flexloop_server LIBRARY DESTINATION lib/flexloop)
endfunction()

function(flexloop_add_benchmarks)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
  if(NOT sources)
    return()
  endif()
  find_package(benchmark REQUIRED)
  add_executable(flexloop_bench ${sources})
  target_link_libraries(flexloop_bench PRIVATE
    flexloop_all flexloop_options benchmark::benchmark external::lapacke)
  target_compile_definitions(flexloop_bench PRIVATE FLEXLOOP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(flexloop_bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

# tests/support: what several test folders share, included as "support/...".
function(flexloop_add_test_support)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.cpp)
  add_library(flexloop_test_support STATIC ${sources})
  target_include_directories(flexloop_test_support PUBLIC ${PROJECT_SOURCE_DIR}/tests
    ${PROJECT_SOURCE_DIR}/include)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/support/places.cpp PROPERTIES
    COMPILE_DEFINITIONS
    "FLEXLOOP_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\";FLEXLOOP_PROGRAM=\"${PROJECT_BINARY_DIR}/flexloop\"")
  target_link_libraries(flexloop_test_support PUBLIC
    flexloop_all flexloop_options GTest::gtest_main)
endfunction()

# tests/fixtures/boxes/<name>.c becomes boxes/<name>.so, a black box as a vendor would build it: with
# none of our options.
function(flexloop_add_test_boxes)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fixtures/boxes/*.c*)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_library(box_${name} MODULE ${source})
    target_link_libraries(box_${name} PRIVATE flexloop_block_interface)
    set_target_properties(box_${name} PROPERTIES
      PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/boxes)
    add_dependencies(flexloop_test_support box_${name})
  endforeach()
endfunction()

# An FMU from a description, a library that has its code, and nothing else: what a ZIP archive needs.
function(flexloop_add_fmu file description library identifier platform)
  get_filename_component(name ${file} NAME_WE)
  set(work ${PROJECT_BINARY_DIR}/fmus/${name})
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${work}/binaries/${platform}
    COMMAND ${CMAKE_COMMAND} -E copy ${description} ${work}/modelDescription.xml
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:${library}> ${work}/binaries/${platform}/${identifier}.so
    COMMAND ${CMAKE_COMMAND} -E chdir ${work} ${CMAKE_COMMAND} -E tar cf ${file} --format=zip
            modelDescription.xml binaries
    DEPENDS ${description} ${library})
  add_custom_target(fmu_file_${name} DEPENDS ${file})
endfunction()

# tests/fixtures/fmus/<model><version>_<variant>.xml becomes boxes/<the same>.fmu, with the code of <model>.c behind
# the functions of that version of FMI.
function(flexloop_add_test_fmus)
  set(folder ${PROJECT_SOURCE_DIR}/tests/fixtures/fmus)
  file(GLOB descriptions CONFIGURE_DEPENDS ${folder}/*.xml)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/boxes)
  foreach(description ${descriptions})
    get_filename_component(name ${description} NAME_WE)
    string(REGEX MATCH "^([a-z]+)([23])_" ignored ${name})
    set(model ${CMAKE_MATCH_1})
    set(version ${CMAKE_MATCH_2})
    set(library fmu_${model}${version})
    if(NOT TARGET ${library})
      add_library(${library} MODULE ${folder}/${model}.c ${folder}/wrap/model.c ${folder}/wrap/fmi${version}.c)
      target_include_directories(${library} PRIVATE ${folder})
      target_link_libraries(${library} PRIVATE m)
      set_target_properties(${library} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fmus)
    endif()
    set(platform linux64)
    if(version EQUAL 3)
      set(platform x86_64-linux)
    endif()
    flexloop_add_fmu(${PROJECT_BINARY_DIR}/boxes/${name}.fmu ${description} ${library} ${model} ${platform})
    add_dependencies(flexloop_test_support fmu_file_${name})
  endforeach()
endfunction()

# tests/<folder>/*.cpp becomes the program flexloop_<folder>_tests, whose tests carry the label
# <folder>. A test with `Slow` in its suite or test name carries <folder>-slow instead, and runs in
# `make test-long` only. With TOGETHER, one process runs all the others.
function(flexloop_add_tests folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  set(program flexloop_${folder}_tests)
  add_executable(${program} ${sources})
  target_link_libraries(${program} PRIVATE flexloop_test_support)
  # Without pretty values: GoogleTest prints an unknown struct as bytes that change between runs.
  set(options DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES)
  if(ARGV1 STREQUAL "TOGETHER")
    add_test(NAME ${folder}.all COMMAND ${program} --gtest_filter=-*Slow* --gtest_brief=1)
    set_tests_properties(${folder}.all PROPERTIES LABELS "${folder}")
  else()
    gtest_discover_tests(${program} ${options}
      TEST_FILTER "-*Slow*" TEST_LIST ${program}_quick PROPERTIES LABELS "${folder}")
  endif()
  gtest_discover_tests(${program} ${options}
    TEST_FILTER "*Slow*" TEST_LIST ${program}_slow PROPERTIES LABELS "${folder}-slow")
endfunction()

# Black boxes of the shipped models: models/NAME/FILE.c becomes libFILE.so beside it, where the model
# looks for it.
function(flexloop_add_model_boxes)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*/*.c)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(folder ${source} DIRECTORY)
    add_library(model_box_${name} MODULE ${source})
    target_include_directories(model_box_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(model_box_${name} PRIVATE m)
    set_target_properties(model_box_${name} PROPERTIES
      OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${folder})
  endforeach()
  # Those with a description beside them become FMUs as well.
  file(GLOB descriptions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*/*.xml)
  foreach(description ${descriptions})
    get_filename_component(name ${description} NAME_WE)
    get_filename_component(folder ${description} DIRECTORY)
    flexloop_add_fmu(${folder}/${name}.fmu ${description} model_box_${name} ${name} linux64)
    add_custom_target(model_fmu_${name} ALL DEPENDS fmu_file_${name})
  endforeach()
endfunction()
