// The MAT-file of state_space_text.hpp.
#include "files/mat_file.hpp"
#include "reports/state_space_text.hpp"

namespace flexloop::reports {

void writeStateSpaceMat(const std::string& path, const analysis::StateSpace& system) {
  files::MatFile file(path);
  file.write("A", system.A);
  file.write("B", system.B);
  file.write("C", system.C);
  file.write("D", system.D);
  file.write("states", system.states);
  file.write("inputs", system.inputs);
  file.write("outputs", system.outputs);
  file.close();
}

}  // namespace flexloop::reports
