#include <array>
#include <filesystem>
#include <link.h>
#include <stdexcept>

#include <dlfcn.h>

#include "fmu/export.hpp"

namespace flexloop::fmu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRuntime = "flexloop_fmu.so";

// Of the program or the library that this code is in. The loader knows the files of libraries; the name of the program is
// whatever it was called by, without a folder where it was found through PATH.
fs::path findOwnFolder() {
  Dl_info info{};
  void* found = nullptr;
  dladdr1(reinterpret_cast<const void*>(&findRuntime), &info, &found, RTLD_DL_LINKMAP);
  const auto* object = static_cast<const link_map*>(found);
  if (object == nullptr || object->l_name == nullptr || *object->l_name == 0) {
    return fs::read_symlink("/proc/self/exe").parent_path();
  }
  return fs::canonical(object->l_name).parent_path();
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
