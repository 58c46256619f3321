#include "view/server_module.hpp"

#include <filesystem>
#include <stdexcept>

#include <dlfcn.h>

namespace flexloop::view {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "flexloop_server.so";

using MakeServer = Server*(const char*, std::size_t, ContentSource&, Questions&,
                           const ServerOptions&);

MakeServer* loadMaker() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  std::string why;
  for (const fs::path& file : {folder / kModule, folder.parent_path() / "lib/flexloop" / kModule}) {
    if (!fs::exists(file)) continue;
    if (void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      if (void* maker = dlsym(module, "flexloopMakeServer")) {
        return reinterpret_cast<MakeServer*>(maker);
      }
    }
    if (const char* error = dlerror()) why = std::string(": ") + error;
  }
  throw std::runtime_error(std::string("the server of the viewer, ") + kModule +
                           " beside the program, cannot be loaded" + why);
}

}  // namespace

std::unique_ptr<Server> loadServer(std::string_view page, ContentSource& source,
                                   Questions& questions, const ServerOptions& options) {
  static MakeServer* const make = loadMaker();
  return std::unique_ptr<Server>(make(page.data(), page.size(), source, questions, options));
}

}  // namespace flexloop::view
