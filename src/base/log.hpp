// Messages to the user while the program works.
//
// A Log is made by the program and handed down; there is no global one. It writes to standard
// error, because standard output may carry results, and on request to a file as well.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace flexloop::base {

enum class LogLevel { kInfo, kWarning, kError, kSilent };

struct LogOptions {
  LogLevel consoleLevel = LogLevel::kInfo;  // messages below it are not shown; the file gets all
  std::string file;                         // is added to; empty: no file
};

class Log {
 public:
  // Throws std::runtime_error if the file cannot be written.
  explicit Log(const LogOptions& options = {});
  ~Log();
  Log(Log&&) noexcept;
  Log& operator=(Log&&) noexcept;

  void info(std::string_view message);
  void warn(std::string_view message);
  void error(std::string_view message);

 private:
  struct Sinks;
  void write(int level, std::string_view message);

  std::unique_ptr<Sinks> sinks_;
};

}  // namespace flexloop::base
