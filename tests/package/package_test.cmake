# Installs Flexloop into a folder of its own and builds and runs examples/library against it, as a user would.
set(prefix ${BUILD}/package_test/prefix)
set(example ${BUILD}/package_test/example)
file(REMOVE_RECURSE ${BUILD}/package_test)

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE out RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/library -B ${example} -G Ninja
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${example})
run(${example}/example ${SOURCE}/models/pid_integral/model.yaml)

# s³ + 10 s² + 16 s + ki = 0 is at its limit at ki = 160, where s = ±4i: 2/π Hz.
foreach(line "ki =  80 is stable" "ki = 320 is unstable" "0.636620 Hz")
  if(NOT out MATCHES "${line}")
    message(FATAL_ERROR "'${line}' is missing in\n${out}")
  endif()
endforeach()

# The program works wherever it is installed, called by its name alone.
file(WRITE ${BUILD}/package_test/m.yaml
  "flexloop: 1\nnodes: {A: {position: [0, 0, 0], free: [x]}}\nbodies: {m: {node: A, mass: 1}}\n"
  "actuators: {f: {type: force, node: A, direction: [1, 0, 0], input: 0}}\n"
  "sensors: {x: {measure: position, node: A, direction: [1, 0, 0]}}\n"
  "analysis: {time: {end: 1, step: 0.1}}\n")
set(ENV{PATH} "${prefix}/bin:$ENV{PATH}")
run(${CMAKE_COMMAND} -E chdir ${BUILD}/package_test flexloop fmu m.yaml --from f --to x -o m.fmu)
if(NOT EXISTS ${BUILD}/package_test/m.fmu)
  message(FATAL_ERROR "flexloop fmu has written nothing\n${out}")
endif()
