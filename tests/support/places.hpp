// Where the tests find the files of the project and the program. One source knows the folders, so that all other tests are
// the same to the compiler's cache wherever the project lies.
#pragma once

#include <string>

namespace flexloop::test {

// With `path` in the project, "models/rotor" for example.
std::string inProject(const std::string& path);

std::string programFile();

}  // namespace flexloop::test
