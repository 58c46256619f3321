#include "view/server/browser.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace flexloop::view {
namespace {

namespace fs = std::filesystem;

// The first of $BROWSER, which may name several, then that of the desktop.
std::string findBrowser() {
  const char* named = std::getenv("BROWSER");
  std::istringstream names(named != nullptr ? named : "");
  for (std::string name; std::getline(names, name, ':');) {
    if (const std::string found = findProgram(name); !found.empty()) return found;
  }
  const bool hasScreen =
      std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  return hasScreen ? findProgram("xdg-open") : std::string();
}

// As a process of its own that outlives this one and says nothing.
bool start(const std::string& program, const std::string& argument) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    if (fork() != 0) _exit(0);
    setsid();
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
    execl(program.c_str(), program.c_str(), argument.c_str(), static_cast<char*>(nullptr));
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return true;
}

}  // namespace

std::string findProgram(const std::string& name) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (fs::path(folder) / name).string();
    if (!fs::is_directory(file) && access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

BrowserOpener::~BrowserOpener() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

bool BrowserOpener::open(const std::string& address) {
  const std::string browser = findBrowser();
  if (browser.empty()) return false;
  std::string pattern = (fs::temp_directory_path() / "flexloop_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return false;
  folder_ = pattern;  // for this user alone
  const std::string file = (fs::path(folder_) / "open.html").string();
  std::ofstream(file) << "<!doctype html><meta charset=\"utf-8\"><title>Flexloop</title>"
                         "<meta name=\"referrer\" content=\"no-referrer\">"
                         "<meta http-equiv=\"refresh\" content=\"0;url="
                      << address << "\"><a href=\"" << address << "\">Flexloop</a>\n";
  return start(browser, file);
}

}  // namespace flexloop::view
