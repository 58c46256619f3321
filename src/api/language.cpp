#include <filesystem>
#include <ostream>

#include "api/commands.hpp"
#include "api/guard.hpp"
#include "api/registry.hpp"
#include "io/make_folder.hpp"
#include "io/manual.hpp"
#include "io/output_file.hpp"
#include "io/schema.hpp"

namespace flexloop::api {

namespace fs = std::filesystem;

Outcome writeSchema(const std::string& file, const Console& console) {
  return guard(console, [&] {
    const std::string schema = io::makeSchema(makeRegistry());
    if (file.empty()) {
      *console.text << schema;
    } else {
      io::writeTextFile(file, schema);
    }
    return Outcome::kDone;
  });
}

Outcome writeManual(const std::string& directory, const Console& console) {
  return guard(console, [&] {
    io::makeFolder(directory);
    const std::vector<io::ManualPage> pages = io::makeManual(makeRegistry());
    for (const io::ManualPage& page : pages) {
      io::writeTextFile((fs::path(directory) / page.filename).string(), page.text);
    }
    *console.text << pages.size() << " pages in " << directory << '\n';
    return Outcome::kDone;
  });
}

}  // namespace flexloop::api
