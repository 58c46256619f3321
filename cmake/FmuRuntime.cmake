# flexloop_fmu.so: what an FMU of ours has as its binary, the same for all models (docs/decisions/0042). It needs no library but
# those of C, so everything else is in it: the archives of others, and of the compiler.
function(flexloop_add_fmu_runtime)
  set(folder ${PROJECT_SOURCE_DIR}/fmi)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.c)
  add_library(flexloop_fmu_runtime MODULE ${sources})
  target_include_directories(flexloop_fmu_runtime PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(flexloop_fmu_runtime PRIVATE flexloop_fmu flexloop_options)
  set_target_properties(flexloop_fmu_runtime PROPERTIES
    PREFIX "" OUTPUT_NAME flexloop_fmu LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
    LINK_DEPENDS ${folder}/exports.map)
  set_source_files_properties(${folder}/libc_data.c ${folder}/fmt_code.cpp PROPERTIES COMPILE_OPTIONS "-w")
  if(FLEXLOOP_SANITIZE OR FLEXLOOP_FUZZ OR FLEXLOOP_CHECKED OR FLEXLOOP_COVERAGE)
    return()  # their libraries are those of the whole process
  endif()
  find_library(FLEXLOOP_ARCHIVE_z NAMES libz.a REQUIRED)
  mark_as_advanced(FLEXLOOP_ARCHIVE_z)
  target_link_options(flexloop_fmu_runtime PRIVATE
    # Before the shared one that the archive of HDF5 asks for.
    "-Wl,--whole-archive" ${FLEXLOOP_ARCHIVE_z} "-Wl,--no-whole-archive"
    -static-libstdc++ -static-libgcc -Wl,--as-needed -Wl,--gc-sections -Wl,-s
    -Wl,--version-script=${folder}/exports.map
    # For what other than position-independent code reaches directly: libc_data.c.
    -Wl,--wrap=stderr,--wrap=stdout,--wrap=__libc_single_threaded)
  install(TARGETS flexloop_fmu_runtime LIBRARY DESTINATION lib/flexloop)
endfunction()
