#include "language/schema.hpp"

#include <ostream>

#include "api/registry.hpp"
#include "commands/command.hpp"
#include "files/output_file.hpp"

namespace flexloop::commands {

void declareSchema(Call& call) {
  call.addTargetOptions();
  call.action = [&call](const Console& console) {
    const std::string schema = language::makeSchema(api::makeRegistry());
    if (call.targets.jsonFile.empty()) {
      *console.text << schema;
    } else {
      files::writeTextFile(call.targets.jsonFile, schema);
    }
  };
}

}  // namespace flexloop::commands
