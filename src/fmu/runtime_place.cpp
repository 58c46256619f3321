#include <array>
#include <filesystem>
#include <stdexcept>

#include <dlfcn.h>

#include "fmu/export.hpp"

namespace flexloop::fmu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRuntime = "flexloop_fmu.so";

// Of the program or the library that this code is in.
fs::path findOwnFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&findRuntime), &info) == 0 ||
      info.dli_fname == nullptr) {
    return fs::read_symlink("/proc/self/exe").parent_path();
  }
  return fs::canonical(info.dli_fname).parent_path();
}

}  // namespace

// Python's module is two folders below the others while it is in the folder of a build.
std::string findRuntime() {
  const fs::path folder = findOwnFolder();
  const std::array<fs::path, 4> places{folder, folder / "../lib/flexloop", folder / "flexloop",
                                       folder / "../.."};
  for (const fs::path& place : places) {
    std::error_code ignored;
    const fs::path file = place / kRuntime;
    if (fs::is_regular_file(file, ignored)) return file.lexically_normal().string();
  }
  throw std::runtime_error(std::string("an FMU needs ") + kRuntime + ", which is neither in " +
                           folder.string() + " nor in " + places[1].lexically_normal().string() +
                           "\n  hint: copy it from the build folder");
}

}  // namespace flexloop::fmu
