// Text for a screen. Titles, names and messages come from models, black boxes and result files of others. Control
// characters in them could move the cursor, overwrite lines or send commands to the terminal; they are shown as
// \x1b instead.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace flexloop::base {

// Line breaks and tabs stay. Shown by their numbers are the other control characters, those that change the
// direction of writing, and bytes that are no UTF-8.
std::string makePlain(std::string_view text);

// Everything that is written to a stream, for the life of this object. A carriage return that is written by itself
// stays: progress bars start over with it.
class PlainOutput final : public std::streambuf {
 public:
  explicit PlainOutput(std::ostream& stream);
  ~PlainOutput() override;
  PlainOutput(const PlainOutput&) = delete;
  PlainOutput& operator=(const PlainOutput&) = delete;

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool put(std::string_view text);

  std::ostream& stream_;
  std::streambuf* target_;
  std::string open_;  // the start of a character whose rest has not been written
};

}  // namespace flexloop::base
