# Flexloop as a shared library with a CMake package, and as a Debian package.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Archives of others cannot be part of a shared library; their shared ones come first, so nothing of the archives is taken.
function(flexloop_link_shared_externals target)
  set(shared)
  foreach(library yaml-cpp hdf5_serial)
    find_library(FLEXLOOP_SHARED_${library} ${library} REQUIRED)
    mark_as_advanced(FLEXLOOP_SHARED_${library})
    list(APPEND shared ${FLEXLOOP_SHARED_${library}})
  endforeach()
  target_link_libraries(${target} PRIVATE
    "-Wl,--push-state,--no-as-needed" ${shared} "-Wl,--pop-state")
endfunction()

# libflexloop.so: what include/flexloop declares, and all that it needs. Nothing else can be seen from outside.
function(flexloop_add_library)
  add_library(flexloop_library SHARED ${PROJECT_SOURCE_DIR}/src/api/library.cpp)
  set_target_properties(flexloop_library PROPERTIES
    OUTPUT_NAME flexloop EXPORT_NAME flexloop
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(flexloop_library PUBLIC cxx_std_20)
  target_include_directories(flexloop_library
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  flexloop_link_shared_externals(flexloop_library)
  target_link_libraries(flexloop_library PRIVATE
    $<BUILD_INTERFACE:flexloop_api> $<BUILD_INTERFACE:flexloop_options>)
  target_link_options(flexloop_library PRIVATE -Wl,--exclude-libs,ALL -Wl,--as-needed)
  add_library(flexloop::flexloop ALIAS flexloop_library)
endfunction()

function(flexloop_install_package)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/flexloop)
  install(TARGETS flexloop_library EXPORT flexloop-targets)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/flexloop TYPE INCLUDE)
  install(EXPORT flexloop-targets NAMESPACE flexloop:: DESTINATION ${folder}
    FILE flexloop-config.cmake)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/flexloop-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/flexloop-config-version.cmake DESTINATION ${folder})
endfunction()

# A package has the program and the library in it, not the tests, which need not be built for it.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
# LAPACK, MUMPS, METIS and libzip are loaded at their first use, so no tool finds them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Flexloop authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "liblapacke, libmumps-seq-5.5, libmetis5, libzip4")
# Figures as PNG and PDF.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "librsvg2-bin")
set(CPACK_STRIP_FILES ON)
include(CPack)
