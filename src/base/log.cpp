#include "base/log.hpp"

#include <stdexcept>
#include <utility>

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include "base/plain_text.hpp"

namespace flexloop::base {
namespace {

spdlog::level::level_enum toSpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kSilent:
      break;
  }
  return spdlog::level::off;
}

spdlog::sink_ptr makeConsoleSink(LogLevel level) {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  sink->set_level(toSpdlogLevel(level));
  sink->set_pattern("%^%l%$: %v");
  return sink;
}

spdlog::sink_ptr makeFileSink(const std::string& file) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    sink->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
    return sink;
  } catch (const spdlog::spdlog_ex& problem) {
    throw std::runtime_error("the log file '" + file + "' cannot be written: " + problem.what());
  }
}

}  // namespace

struct Log::Sinks {
  spdlog::logger logger{"flexloop"};
};

Log::Log(const LogOptions& options) : sinks_(std::make_unique<Sinks>()) {
  spdlog::logger& logger = sinks_->logger;
  logger.sinks().push_back(makeConsoleSink(options.consoleLevel));
  if (!options.file.empty()) logger.sinks().push_back(makeFileSink(options.file));
  // A log that cannot be written, as on a full disk, is no reason to print something else.
  logger.set_error_handler([](const std::string&) {});
  // A crash must not lose the message that explains it.
  logger.flush_on(spdlog::level::info);
}

Log::~Log() = default;
Log::Log(Log&&) noexcept = default;
Log& Log::operator=(Log&&) noexcept = default;

// The message is never used as a format, so braces in a user's text are harmless.
void Log::write(int level, std::string_view message) {
  const std::string plain = makePlain(message);
  sinks_->logger.log(static_cast<spdlog::level::level_enum>(level),
                     spdlog::string_view_t(plain.data(), plain.size()));
}

void Log::info(std::string_view message) {
  write(spdlog::level::info, message);
}

void Log::warn(std::string_view message) {
  write(spdlog::level::warn, message);
}

void Log::error(std::string_view message) {
  write(spdlog::level::err, message);
}

}  // namespace flexloop::base
