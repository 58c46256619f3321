# Writes the SHA-256 of all files of LIST, in its order, to OUT as a C++ text.
file(STRINGS ${LIST} files)
set(all "")
foreach(file ${files})
  file(SHA256 ${file} one)
  string(APPEND all ${one})
endforeach()
string(SHA256 sum "${all}")
file(WRITE ${OUT} "\"${sum}\"\n")
