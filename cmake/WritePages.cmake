# cmake -DROOT=… -DOUT=… -P: one file with all pages, each after a line with the record separator and its path.

file(GLOB pages RELATIVE ${ROOT} ${ROOT}/docs/manual/*.md)
file(GLOB_RECURSE examples RELATIVE ${ROOT} ${ROOT}/examples/reference/*.yaml)
string(ASCII 30 mark)
file(WRITE ${OUT} "")
foreach(path ${pages} ${examples})
  file(READ ${ROOT}/${path} text)
  file(APPEND ${OUT} "${mark}${path}\n${text}")
endforeach()
