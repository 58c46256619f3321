// Code of somebody else behind one of the interfaces that are known here, called without any protection: a host
// protects.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "control/boxes/host/box_call.hpp"

namespace flexloop::control {

class BoxCode {
 public:
  virtual ~BoxCode() = default;
  // Runs code of the vendor: it may crash, take for ever, throw or end the process. What this side finds wrong
  // is thrown as a std::runtime_error; a hint follows after a line break.
  virtual void invoke(BoxCall& call, const BoxBatch& batch) = 0;
};

// What is behind the calls where it is no library with the functions of flexloop_block.h.
class BoxForm {
 public:
  virtual ~BoxForm() = default;
  virtual std::unique_ptr<BoxCode> makeCode() const = 0;
  // As messages call it: "FMU".
  virtual const char* noun() const = 0;
  // " in its step", as messages say where something happened.
  virtual std::string placeOf(BoxFunction function) const = 0;
  // For a box whose code cannot be loaded.
  virtual base::Failure makeLoadFailure(const std::string& name,
                                        const std::string& reason) const = 0;
  // The relative distance of neighbouring numbers in its inputs and outputs.
  virtual double precision() const { return std::numeric_limits<double>::epsilon(); }
  // When the program has been killed: what its destructors would have removed.
  virtual void cleanUp() const {}
};

std::unique_ptr<BoxCode> makeBoxCode(const BoxSettings& settings);

}  // namespace flexloop::control
