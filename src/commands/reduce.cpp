#include <memory>
#include <ostream>
#include <string>

#include "api/failed.hpp"
#include "api/part.hpp"
#include "commands/command.hpp"
#include "commands/part_progress.hpp"
#include "reports/part_text.hpp"

namespace flexloop::commands {
namespace {

struct Request {
  std::string part;
  std::string file;  // empty: not kept but in the cache
};

void reducePart(const api::ModelSource& source, const Request& request, const Targets& targets,
                const Console& console) {
  if (!request.file.empty() && !request.file.ends_with(".h5")) {
    reject("-o '" + request.file + "' is not the name of a reduced part",
           "its name must end in '.h5'");
  }
  PartProgress progress(console);
  const api::PartReduction reduction = api::reducePart(source, request.part, progress.callback());
  progress.finish();
  const fem::StoredPart& part = reduction.part;
  if (!console.quiet) *console.errors << part.warnings;
  console.print(reports::describeReduction(reduction.name, part.report));
  if (!targets.jsonFile.empty()) {
    reports::writeReductionJson(targets.jsonFile, reduction.name, part.report);
  }
  if (!request.file.empty()) api::throwIfAny(fem::writeReducedPart(request.file, part));
}

}  // namespace

void declareReduce(Call& call) {
  const auto request = std::make_shared<Request>();
  call.addModelOptions();
  call.add({{"--part", "NAME", "the part [the only one]", &request->part},
            {"-o",
             "FILE.h5",
             "keeps the reduced part, for `reduced: FILE.h5`",
             &request->file,
             {.isWritten = true}}});
  call.stopsGently = true;
  call.action = [&call, request](const Console& console) {
    reducePart(call.model, *request, call.targets, console);
  };
}

}  // namespace flexloop::commands
