// Standard input, output and errors, whatever the program was started with.
#pragma once

namespace flexloop::app {

class StandardStreams {
 public:
  // Takes the places of those that are closed, or else the next file that is opened would get what is printed.
  StandardStreams();

  // Whether standard output has taken all that was printed; says so on standard errors if not. Text for a standard
  // output that was closed from the beginning is not missed by anyone.
  bool isAllWritten() const;

 private:
  bool hasOutput_ = true;
};

}  // namespace flexloop::app
