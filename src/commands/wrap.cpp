// Code in C with an interface of its own as a black box: writes the source of a library, and compiles nothing.
#include <filesystem>
#include <memory>

#include "api/failed.hpp"
#include "base/file_text.hpp"
#include "base/text_format.hpp"
#include "commands/command.hpp"
#include "files/output_file.hpp"
#include "language/wrap/wrap_reader.hpp"

namespace flexloop::commands {
namespace {

namespace fs = std::filesystem;

std::string listNames(const std::vector<control::WrappedPlace>& places) {
  std::string names;
  for (const control::WrappedPlace& place : places)
    names += (names.empty() ? "" : ", ") + place.name;
  return names;
}

// How to go on from here.
std::vector<std::string> describe(const control::WrapDescription& it, const std::string& file) {
  const std::string name = fs::path(it.file).stem().string();
  std::string block = "  " + name + ": {type: library, path: ./lib" + name + ".so, inputs: [" +
                      listNames(it.inputs) + "], outputs: [" + listNames(it.outputs) + "]";
  if (it.sample > 0.0) block += ", sample: " + base::numberText(it.sample) + " s";
  return {file, "compile it together with the code:",
          "  cc -O2 -shared -fPIC -fvisibility=hidden -Wl,-z,now -o lib" + name + ".so " + file +
              " SOURCES -lm",
          "and use it in a model:", block + "}"};
}

// The code that is wrapped may be next to its description, under a name that comes to mind.
void rejectForeign(const std::string& file) {
  std::error_code ignored;
  if (file == "-" || !fs::is_regular_file(file, ignored)) return;
  const auto text = base::readFileText(file);
  if (text &&
      (text.value().empty() || text.value().find("flexloop_setInputs") != std::string::npos))
    return;
  reject("'" + file + "' exists, and 'flexloop wrap' has not written it",
         "give another name with '-o'");
}

}  // namespace

void declareWrap(Call& call) {
  struct Request {
    std::string description, file;
  };
  const auto request = std::make_shared<Request>();
  call.add({{"DESCRIPTION",
             "",
             "YAML file that names the functions and variables of the code",
             &request->description,
             {.isRequired = true}},
            {"-o",
             "FILE.c",
             "the wrapper (default: DESCRIPTION_wrapper.c in this folder)",
             &request->file,
             {.isWritten = true}}});
  call.addQuietOption();
  call.action = [request](const Console& console) {
    const auto text = base::readFileText(request->description);
    if (!text) throw api::Failed(text.failure());
    const control::WrapDescription description =
        language::readWrapDescription(text.value(), request->description);
    std::string file = request->file;
    if (file.empty()) file = fs::path(request->description).stem().string() + "_wrapper.c";
    rejectForeign(file);
    files::writeTextFile(file, control::writeWrapper(description));
    if (file != "-") console.print(describe(description, file));
  };
}

}  // namespace flexloop::commands
