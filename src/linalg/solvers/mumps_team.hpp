// Processes that share the factors of large matrices: started by `mpirun -n N` where the program was built with
// FLEXLOOP_MPI, and one alone otherwise. The first of them, the leader, does everything but factors and solutions; the others
// join its calls of MUMPS (docs/decisions/0048).
#pragma once

namespace flexloop::linalg {

struct MumpsOrder {
  bool isDouble = true;
  int job = 0, sym = 0;
  const void* id = nullptr;  // of the leader, to tell one matrix from another
};

class MumpsTeam {
 public:
  MumpsTeam();
  ~MumpsTeam();  // the leader sends the others home
  MumpsTeam(const MumpsTeam&) = delete;
  MumpsTeam& operator=(const MumpsTeam&) = delete;

  bool isLeader() const;
  void serve() const;  // what the others do, until they are sent home
};

int teamSize();
int teamSizeHere();  // of those on this computer, which share its memory
// Before the leader calls MUMPS: the others make the same call.
void summonTeam(const MumpsOrder& order);

}  // namespace flexloop::linalg
