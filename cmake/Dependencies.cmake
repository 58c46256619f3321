# Everything from outside, each as one target. The Debian packages are in packages.txt.

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
# Its classes have another size without the definitions of its package.
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET GLOBAL cpp-httplib)

# external::<name> for a library that brings no CMake package of its own.
function(flexloop_find_external name)
  cmake_parse_arguments(arg "" "HEADER" "FOLDERS;LIBRARIES" ${ARGN})
  find_path(FLEXLOOP_${name}_INCLUDE ${arg_HEADER} PATH_SUFFIXES ${arg_FOLDERS} REQUIRED)
  mark_as_advanced(FLEXLOOP_${name}_INCLUDE)
  add_library(external::${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(external::${name} SYSTEM INTERFACE ${FLEXLOOP_${name}_INCLUDE})
  foreach(library ${arg_LIBRARIES})
    find_library(FLEXLOOP_LIBRARY_${library} ${library} REQUIRED)
    mark_as_advanced(FLEXLOOP_LIBRARY_${library})
    target_link_libraries(external::${name} INTERFACE ${FLEXLOOP_LIBRARY_${library}})
  endforeach()
endfunction()

flexloop_find_external(klu HEADER klu.h FOLDERS suitesparse
                       LIBRARIES klu btf amd colamd suitesparseconfig)
flexloop_find_external(mumps HEADER dmumps_c.h LIBRARIES dmumps_seq zmumps_seq mumps_common_seq)
flexloop_find_external(lapacke HEADER lapacke.h LIBRARIES lapacke openblas)
flexloop_find_external(metis HEADER metis.h LIBRARIES metis)
# Named by hand because CMake's finder asks the h5cc wrapper, which adds libraries that HDF5 hides.
flexloop_find_external(hdf5 HEADER hdf5.h FOLDERS hdf5/serial LIBRARIES hdf5_serial)
flexloop_find_external(matio HEADER matio.h LIBRARIES matio)

# Headers of others are not ours to warn about.
foreach(target Eigen3::Eigen yaml-cpp)
  get_target_property(include_directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(include_directories)
    set_property(TARGET ${target} PROPERTY
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${include_directories})
  endif()
endforeach()

# The system's Python first: its modules come from the Debian packages, and the shims of version
# managers that may come earlier in PATH do not see them.
find_program(FLEXLOOP_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(FLEXLOOP_PYTHON python3 REQUIRED)
