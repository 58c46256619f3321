// A long calculation without the interpreter's lock: now and then it lets Python look whether the user wants to stop it.
#pragma once

#include <exception>
#include <pybind11/pybind11.h>
#include <sstream>
#include <string>
#include <utility>

namespace flexloop::python {

// Collects text; what is flushed goes to a function of Python as well.
class TextPipe final : public std::stringbuf {
 public:
  // None: to nobody. It is called with the interpreter's lock, from any thread.
  explicit TextPipe(pybind11::object write) : write_(std::move(write)) {}

  bool isSilent() const { return write_.is_none(); }

  // What the function has thrown; null if nothing. Ctrl-C while it was at work is no mistake of it.
  std::exception_ptr mistake;
  bool isInterrupted = false;

 protected:
  int sync() override;

 private:
  pybind11::object write_;
  std::size_t told_ = 0;
};

// With the interpreter's lock. Whether what a function of the user has thrown is Ctrl-C.
bool isInterrupt(const pybind11::error_already_set& error);
// With the interpreter's lock. True after Ctrl-C, which is then dealt with. Only the main thread is told of it.
bool isInterrupted();

}  // namespace flexloop::python
