// The MAT-file of state_space_text.hpp.
#include "io/mat_file.hpp"
#include "io/state_space_text.hpp"

namespace flexloop::io {

void writeStateSpaceMat(const std::string& path, const analysis::StateSpace& system) {
  MatFile file(path);
  file.write("A", system.A);
  file.write("B", system.B);
  file.write("C", system.C);
  file.write("D", system.D);
  file.write("states", system.states);
  file.write("inputs", system.inputs);
  file.write("outputs", system.outputs);
  file.close();
}

}  // namespace flexloop::io
