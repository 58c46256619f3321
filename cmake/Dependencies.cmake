# Everything from outside, each as one target. The Debian packages are in packages.txt.

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
# Its classes have another size without the definitions of its package.
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET GLOBAL cpp-httplib)

# external::<name> for a library that brings no CMake package of its own. STATIC: its archive where there is one. Each
# shared library costs the start of the program some tenths of a millisecond, and HDF5 brings 30 others along.
function(flexloop_find_external name)
  cmake_parse_arguments(arg "STATIC" "HEADER" "FOLDERS;LIBRARIES" ${ARGN})
  find_path(FLEXLOOP_${name}_INCLUDE ${arg_HEADER} PATH_SUFFIXES ${arg_FOLDERS} REQUIRED)
  mark_as_advanced(FLEXLOOP_${name}_INCLUDE)
  add_library(external::${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(external::${name} SYSTEM INTERFACE ${FLEXLOOP_${name}_INCLUDE})
  foreach(library ${arg_LIBRARIES})
    set(found FLEXLOOP_LIBRARY_${library})
    set(names ${library})
    if(arg_STATIC)
      set(found FLEXLOOP_ARCHIVE_${library})
      list(PREPEND names lib${library}.a)
    endif()
    find_library(${found} NAMES ${names} REQUIRED)
    mark_as_advanced(${found})
    target_link_libraries(external::${name} INTERFACE ${${found}})
  endforeach()
endfunction()

# The name by which the loader finds a library when the program runs, for one that is loaded at its first use.
function(flexloop_find_loaded_name library variable)
  execute_process(COMMAND ${CMAKE_READELF} -d ${FLEXLOOP_LIBRARY_${library}}
                  OUTPUT_VARIABLE header COMMAND_ERROR_IS_FATAL ANY)
  if(NOT header MATCHES "SONAME[^[]*\\[([^]]*)\\]")
    message(FATAL_ERROR "${FLEXLOOP_LIBRARY_${library}} is not a shared library")
  endif()
  set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

flexloop_find_external(klu STATIC HEADER klu.h FOLDERS suitesparse
                       LIBRARIES klu btf amd colamd suitesparseconfig)
# With MPI, several processes share the factors of large matrices (docs/decisions/0048).
if(FLEXLOOP_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
  set(mumps_kind "")
else()
  set(mumps_kind _seq)
endif()
flexloop_find_external(mumps HEADER dmumps_c.h
                       LIBRARIES dmumps${mumps_kind} smumps${mumps_kind} zmumps${mumps_kind} mumps_common${mumps_kind})
if(FLEXLOOP_MPI)
  target_link_libraries(external::mumps INTERFACE MPI::MPI_C)
endif()
flexloop_find_external(lapacke HEADER lapacke.h LIBRARIES lapacke openblas)
flexloop_find_loaded_name(dmumps${mumps_kind} FLEXLOOP_MUMPS_FILE)
flexloop_find_loaded_name(smumps${mumps_kind} FLEXLOOP_SINGLE_MUMPS_FILE)
flexloop_find_loaded_name(lapacke FLEXLOOP_LAPACKE_FILE)
flexloop_find_external(metis HEADER metis.h LIBRARIES metis)
flexloop_find_loaded_name(metis FLEXLOOP_METIS_FILE)
# Named by hand because CMake's finder asks the h5cc wrapper, which adds libraries that HDF5 hides.
# Its archive needs none of the libraries for files in the cloud that the shared one brings along.
flexloop_find_external(hdf5 STATIC HEADER hdf5.h FOLDERS hdf5/serial LIBRARIES hdf5_serial sz aec)
# By its plain name: CMake does not know that the archive needs it and would place the target before it.
target_link_libraries(external::hdf5 INTERFACE z ${CMAKE_DL_LIBS} m)
# Archives of foreign models: their library is loaded at its first use, and that of their descriptions is small.
flexloop_find_external(zip HEADER zip.h LIBRARIES zip)
flexloop_find_loaded_name(zip FLEXLOOP_ZIP_FILE)
flexloop_find_external(pugixml STATIC HEADER pugixml.hpp LIBRARIES pugixml)
flexloop_find_external(yaml STATIC HEADER yaml-cpp/yaml.h LIBRARIES yaml-cpp)

# Headers of others are not ours to warn about.
foreach(target Eigen3::Eigen)
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
