#include "reports/charts/picture_file.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>

#include "base/diagnostics.hpp"
#include "files/output_file.hpp"
#include "files/staged_file.hpp"

extern char** environ;

namespace flexloop::reports {
namespace {

constexpr const char* kConverter = "rsvg-convert";
constexpr const char* kZoom = "2";  // pixels of a PNG per unit of the figure
constexpr int kNotFound = 127;      // exit status where a program cannot be started

std::string endingOf(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

// Waits for its end; gives its exit status.
int runConverter(const std::string& format, const std::string& from, const std::string& to) {
  std::array<const char*, 8> words{
      kConverter, "--format", format.c_str(), "--zoom", format == "png" ? kZoom : "1",
      "--output", to.c_str(), from.c_str()};
  std::array<char*, 9> arguments{};
  // posix_spawn takes, and does not touch, pointers to letters that might change.
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = const_cast<char*>(words[i]);
  pid_t process = 0;
  if (posix_spawnp(&process, kConverter, nullptr, nullptr, arguments.data(), environ) != 0) {
    return kNotFound;
  }
  int status = 0;
  if (waitpid(process, &status, 0) != process || !WIFEXITED(status)) return 1;
  return WEXITSTATUS(status);
}

}  // namespace

void checkPictureName(const std::string& path) {
  const std::string ending = endingOf(path);
  if (path == "-" || ending == ".svg" || ending == ".png" || ending == ".pdf") return;
  throw base::InputError({std::make_shared<const std::string>(path), 0, 0},
                         "figures cannot be written in this format",
                         "use a name that ends in .svg, .png or .pdf");
}

void writePicture(const std::string& path, const std::string& svg) {
  checkPictureName(path);
  if (path == "-" || endingOf(path) == ".svg") return files::writeTextFile(path, svg);
  files::StagedFile staged(path);
  const std::string source = staged.name() + ".svg";
  files::writeTextFile(source, svg);
  const int status = runConverter(endingOf(path).substr(1), source, staged.name());
  std::remove(source.c_str());
  if (status == kNotFound) {
    throw std::runtime_error("'" + path + "' needs the program " + kConverter +
                             "; install librsvg2-bin, or use a file name that ends in .svg");
  }
  if (status != 0) {
    throw std::runtime_error("'" + path + "' could not be written");
  }
  staged.commit();
}

}  // namespace flexloop::reports
