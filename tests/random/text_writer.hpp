// The text of a machine in the model language, and of the same machine written otherwise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "random/machine.hpp"

namespace flexloop::random {

struct Writing {
  Matrix3d turn = Matrix3d::Identity();  // of the whole machine with its gravity
  Units units;
  std::uint64_t order = 0;  // not zero: sections, items and keys in another order
  // Every property (mass, stiffness, gain …) is off by this share, at random: what an error of that size means.
  double noise = 0.0;
  int refinement = 0;  // steps are halved so many times
  std::vector<double>
      cuts;  // inside of every interval of the grid, from 0 to 1: steps end there too
  bool hasIdleParts = false;             // clocks, events and jumps that act on nothing
  bool hasBalance = false;               // signals of the energy balance
  bool isQuiet = false;                  // sources stay as they are at the start
  std::string formulation, constraints;  // instead of the machine's
  std::optional<double> rho;
  std::string more;  // text that is added to the end
};

std::string writeModel(const Machine& machine, const Writing& writing);

// The names of the outputs in the order of their columns.
std::vector<std::string> columnsOf(const Machine& machine);

}  // namespace flexloop::random
