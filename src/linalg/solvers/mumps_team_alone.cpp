#include "linalg/solvers/mumps_team.hpp"

namespace flexloop::linalg {

MumpsTeam::MumpsTeam() = default;
MumpsTeam::~MumpsTeam() = default;

bool MumpsTeam::isLeader() const {
  return true;
}

void MumpsTeam::serve() const {}

int teamSize() {
  return 1;
}

int teamSizeHere() {
  return 1;
}

void summonTeam(const MumpsOrder&) {}

}  // namespace flexloop::linalg
