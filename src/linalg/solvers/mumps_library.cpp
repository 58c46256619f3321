#include "linalg/solvers/mumps_library.hpp"

#include <mutex>
#include <thread>

#include "linalg/solvers/lazy_library.hpp"
#include "linalg/solvers/mumps_team.hpp"

namespace flexloop::linalg {
namespace {

std::mutex inside;

LazyLibrary& doubleLibrary() {
  static LazyLibrary library(FLEXLOOP_MUMPS_FILE);
  return library;
}

using ThreadGetter = int();
using ThreadSetter = void(int);

ThreadGetter* threadGetter() {
  static auto* const function =
      reinterpret_cast<ThreadGetter*>(doubleLibrary().findIfAny("openblas_get_num_threads"));
  return function;
}

ThreadSetter* threadSetter() {
  static auto* const function =
      reinterpret_cast<ThreadSetter*>(doubleLibrary().findIfAny("openblas_set_num_threads"));
  return function;
}

}  // namespace

void callMumpsHere(DMUMPS_STRUC_C& id) {
  static auto* const function =
      reinterpret_cast<decltype(&dmumps_c)>(doubleLibrary().find("dmumps_c"));
  function(&id);
}

void callMumpsHere(SMUMPS_STRUC_C& id) {
  static LazyLibrary library(FLEXLOOP_SINGLE_MUMPS_FILE);
  static auto* const function = reinterpret_cast<decltype(&smumps_c)>(library.find("smumps_c"));
  function(&id);
}

void callMumps(DMUMPS_STRUC_C& id) {
  const std::lock_guard lock(inside);
  summonTeam({.isDouble = true, .job = id.job, .sym = id.sym, .id = &id});
  callMumpsHere(id);
}

void callMumps(SMUMPS_STRUC_C& id) {
  const std::lock_guard lock(inside);
  summonTeam({.isDouble = false, .job = id.job, .sym = id.sym, .id = &id});
  callMumpsHere(id);
}

BlasThreads::BlasThreads(int threads) {
  if (threadGetter() == nullptr || threadSetter() == nullptr) return;
  before_ = threadGetter()();
  const int cores = static_cast<int>(std::thread::hardware_concurrency()) / teamSizeHere();
  threadSetter()(threads > 0 ? threads : (cores > 0 ? cores : 1));
}

BlasThreads::~BlasThreads() {
  if (before_ > 0) threadSetter()(before_);
}

}  // namespace flexloop::linalg
