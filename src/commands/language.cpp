#include <filesystem>
#include <ostream>

#include "api/registry.hpp"
#include "commands/commands.hpp"
#include "commands/guard.hpp"
#include "files/make_folder.hpp"
#include "files/output_file.hpp"
#include "language/manual/manual.hpp"
#include "language/schema.hpp"

namespace flexloop::commands {

namespace fs = std::filesystem;

Outcome writeSchema(const std::string& file, const Console& console) {
  return guard(console, [&] {
    const std::string schema = language::makeSchema(api::makeRegistry());
    if (file.empty()) {
      *console.text << schema;
    } else {
      files::writeTextFile(file, schema);
    }
    return Outcome::kDone;
  });
}

Outcome writeManual(const std::string& directory, const Console& console) {
  return guard(console, [&] {
    files::makeFolder(directory);
    const std::vector<language::ManualPage> pages = language::makeManual(api::makeRegistry());
    for (const language::ManualPage& page : pages) {
      files::writeTextFile((fs::path(directory) / page.filename).string(), page.text);
    }
    *console.text << pages.size() << " pages in " << directory << '\n';
    return Outcome::kDone;
  });
}

}  // namespace flexloop::commands
