// A black box: a controller of somebody else in a shared library with the C interface of
// include/flexloop_block.h, called so that its mistakes become messages and not the end of the
// program.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/boxes/host/box_call.hpp"
#include "control/boxes/host/box_fault.hpp"

namespace flexloop::control {

// One thread at a time may use it.
//
// After a fault in which the box did not return (crash, time limit, exception, exit) it is dead:
// every later call gives the same fault, and block_destroy is not called. After other faults it may
// be called again.
class Box {
 public:
  // So many bytes block_save may ask for.
  static constexpr std::size_t kLargestMemory = std::size_t{64} << 20;

  // What can be known without running code of the box: its numbers, and that there is such a file.
  static std::optional<base::Failure> check(const BoxSettings& settings);
  // Loads the library, checks that it has the functions that are needed, and calls block_create.
  static base::Result<std::shared_ptr<Box>> open(const BoxSettings& settings);
  ~Box();
  Box(const Box&) = delete;
  Box& operator=(const Box&) = delete;

  const std::string& name() const { return settings_.name; }
  const BoxSettings& settings() const { return settings_; }
  bool hasJacobian() const { return has(BoxFunction::kJacobian); }
  // Both block_save and block_restore exist.
  bool canRestore() const { return has(BoxFunction::kSave) && has(BoxFunction::kRestore); }

  // Calls that are made together, one after the other: a box in a process of its own is then asked
  // once.
  void begin();
  void give(const std::vector<unsigned char>& memory) { given_ = memory; }  // for addRestore
  void addRestore();
  void add(BoxFunction function, double t, const double* x, const double* u);
  void addSave();  // the last call
  BoxFault run();
  // After run(), if the box has not died: the results of the first call that has some, then of the next.
  // They are written only if there is no fault, and may lie where the arguments do.
  using Results = std::array<double*, 4>;
  BoxFault readNext(const Results& results);
  BoxFault readSaved(std::vector<unsigned char>& memory);

  // Of Kind::kLibrary; advances the memory of the box.
  BoxFault output(double t, const double* u, double* y);
  // Of Kind::kNonlinear.
  BoxFault derivative(double t, const double* x, const double* u, double* dx);
  BoxFault nonlinearOutput(double t, const double* x, const double* u, double* y);
  // Matrices row by row.
  struct Jacobian {
    double* fx;  // states × states
    double* fu;  // states × inputs
    double* hx;  // outputs × states
    double* hu;  // outputs × inputs
  };
  BoxFault jacobian(double t, const double* x, const double* u, const Jacobian& jacobian);

  BoxFault save(std::vector<unsigned char>& memory);
  BoxFault restore(const std::vector<unsigned char>& memory);

  // Calls block_destroy and unloads the library, for callers that want to know whether that goes
  // well; the destructor does it otherwise. Nothing may be called afterwards.
  BoxFault close();

 private:
  explicit Box(const BoxSettings& settings);
  std::optional<base::Failure> start();
  std::optional<base::Failure> load();
  std::optional<base::Failure> checkFunctions() const;
  bool has(BoxFunction function) const { return (found_ & bitOf(function)) != 0; }

  BoxFault callPlain(BoxFunction function);
  BoxFault evaluate(BoxFunction function, double t, const double* x, const double* u,
                    const Results& results);
  BoxFault checkResults(const BoxCall& call, const BoxGroups& groups) const;
  BoxFault checkSaved(std::uint64_t bytes) const;
  BoxFault makeMissing(BoxFunction function) const;
  BoxFault makeNotFinite(const BoxCall& call, int group, int index, double value) const;

  BoxSettings settings_;
  std::unique_ptr<BoxHost> host_;  // null: closed or dead
  BoxFault dead_;
  std::uint64_t found_ = 0;  // functions of the library
  std::vector<BoxCall> calls_;
  std::size_t next_ = 0;         // of the calls, to be read
  std::vector<double> numbers_;  // of the calls: inputs and outputs of the first, of the second …
  std::vector<unsigned char> given_, taken_;
  std::size_t saveCapacity_ = 256;  // bytes; grows to what block_save asks for
};

}  // namespace flexloop::control
