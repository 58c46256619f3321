#include "language/manual/manual.hpp"

#include <filesystem>
#include <ostream>

#include "api/registry.hpp"
#include "commands/command.hpp"
#include "files/make_folder.hpp"
#include "files/output_file.hpp"

namespace flexloop::commands {

void declareManual(Call& call) {
  std::string& directory = call.targets.directory;
  call.add({{"DIR", "", "output folder", &directory, {.isRequired = true}}});
  call.action = [&directory](const Console& console) {
    files::makeFolder(directory);
    const std::vector<language::ManualPage> pages = language::makeManual(api::makeRegistry());
    for (const language::ManualPage& page : pages) {
      files::writeTextFile((std::filesystem::path(directory) / page.filename).string(), page.text);
    }
    *console.text << pages.size() << " pages in " << directory << '\n';
  };
}

}  // namespace flexloop::commands
