#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
// The functions of C only.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <string>
#include <thread>

#include "linalg/solvers/lazy_library.hpp"
#include "linalg/solvers/mumps_library.hpp"
#include "linalg/solvers/mumps_team.hpp"

namespace flexloop::linalg {
namespace {

constexpr int kLeader = 0, kGoHome = -1;
constexpr std::chrono::milliseconds kNap{1};  // between two looks for an order

using Message = std::array<int, 4>;  // number of the matrix, double or single, job, sym

bool isRunning() {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  return started != 0 && ended == 0;
}

int ask(int (*question)(MPI_Comm, int*), MPI_Comm among) {
  int answer = 0;
  question(among, &answer);
  return answer;
}

// Waiting in MPI takes all of a processor, which the leader may need.
void share(Message& message) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(message.data(), static_cast<int>(message.size()), MPI_INT, kLeader, MPI_COMM_WORLD,
             &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(kNap);
  }
}

// The matrices of one precision, as one of the others holds its share of them.
template <class Id>
class Shares {
 public:
  void join(const Message& message) {
    const auto [number, precision, job, sym] = message;
    Id& id = ids_[number];
    id.job = job;
    if (job == kMumpsInit) {
      id.par = 1;
      id.sym = sym;
      id.comm_fortran = kMumpsCommWorld;
    }
    callMumpsHere(id);
    if (job == kMumpsInit) silence(id);
    if (job == kMumpsEnd) ids_.erase(number);
  }

 private:
  static void silence(Id& id) {
    for (const int channel : {0, 1, 2}) id.icntl[channel] = -1;
    id.icntl[3] = 0;
    const std::string folder = std::filesystem::temp_directory_path().string();
    id.ooc_tmpdir[folder.copy(id.ooc_tmpdir, sizeof id.ooc_tmpdir - 1)] = 0;
  }

  std::map<int, Id> ids_;
};

}  // namespace

MumpsTeam::MumpsTeam() {
  MPI_Init(nullptr, nullptr);
}

MumpsTeam::~MumpsTeam() {
  if (!isRunning()) return;
  Message message{kGoHome, 0, 0, 0};
  if (isLeader() && teamSize() > 1) share(message);
  MPI_Finalize();
}

bool MumpsTeam::isLeader() const {
  return ask(MPI_Comm_rank, MPI_COMM_WORLD) == kLeader;
}

void MumpsTeam::serve() const {
  useOneBlasThread();
  Shares<DMUMPS_STRUC_C> doubles;
  Shares<SMUMPS_STRUC_C> singles;
  for (Message message{};;) {
    share(message);
    if (message[0] == kGoHome) return;
    message[1] != 0 ? doubles.join(message) : singles.join(message);
  }
}

int teamSize() {
  return isRunning() ? ask(MPI_Comm_size, MPI_COMM_WORLD) : 1;
}

int teamSizeHere() {
  if (teamSize() == 1) return 1;
  // Asked once by all of them together would need an order of its own; mpirun says it.
  const char* here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const int count = here != nullptr ? std::atoi(here) : 0;
  return count > 0 ? count : teamSize();
}

void summonTeam(const MumpsOrder& order) {
  if (teamSize() == 1) return;
  static std::map<const void*, int> numbers;
  static int last = 0;
  if (order.job == kMumpsInit) numbers[order.id] = ++last;
  Message message{numbers[order.id], order.isDouble ? 1 : 0, order.job, order.sym};
  share(message);
}

}  // namespace flexloop::linalg
