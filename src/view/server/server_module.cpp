#include "view/server/server_module.hpp"

#include <filesystem>
#include <stdexcept>

#include <dlfcn.h>

namespace flexloop::view {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "flexloop_server.so";

using MakeServer = Server*(const char*, std::size_t, ContentSource&, Questions&,
                           const ServerOptions&);

MakeServer* loadFrom(const fs::path& file) {
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const maker = module != nullptr ? dlsym(module, "flexloopMakeServer") : nullptr;
  if (maker != nullptr) return reinterpret_cast<MakeServer*>(maker);
  const char* const why = dlerror();
  throw std::runtime_error("the viewer cannot load its server, " + file.string() +
                           (why != nullptr ? std::string(": ") + why : std::string()));
}

MakeServer* loadMaker() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = folder.parent_path() / "lib/flexloop";
  for (const fs::path& place : {folder, installed}) {
    if (fs::exists(place / kModule)) return loadFrom(place / kModule);
  }
  throw std::runtime_error(std::string("the viewer needs ") + kModule + ", which is neither in " +
                           folder.string() + " nor in " + installed.string() +
                           "\n  hint: copy it from the build folder; 'flexloop report' writes a "
                           "page that needs no server");
}

}  // namespace

std::unique_ptr<Server> loadServer(std::string_view page, ContentSource& source,
                                   Questions& questions, const ServerOptions& options) {
  static MakeServer* const make = loadMaker();
  return std::unique_ptr<Server>(make(page.data(), page.size(), source, questions, options));
}

}  // namespace flexloop::view
