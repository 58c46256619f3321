// The commands of the program, called from Python: options by name, results as the JSON that they write.
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <ostream>
#include <pybind11/stl.h>
#include <thread>
#include <utility>

#include "../../app/option_words.hpp"
#include "api/failed.hpp"
#include "base/interruption.hpp"
#include "commands/command.hpp"
#include "errors.hpp"
#include "memory_file.hpp"
#include "model.hpp"
#include "stop_watch.hpp"

namespace flexloop::python {
namespace py = pybind11;
namespace {

using commands::Call;
using commands::Console;
using commands::Option;

// By option, its words; none for a flag.
using Words = std::vector<std::pair<std::string, Texts>>;

struct Answer {
  std::string json, csv, text, messages;
  bool isStopped = false;  // by the user; the others are what there was by then
};

const commands::Command& findCommand(const std::string& name) {
  for (const commands::Command& command : commands::commandList()) {
    if (command.name == name) return command;
  }
  throw py::value_error("there is no command '" + name + "'");
}

// `-o,--output` is both, and `!--no-open` turns a flag off.
bool hasName(const Option& option, const std::string& name) {
  const std::string all = "," + option.name + ",";
  return all.find("," + name + ",") != std::string::npos ||
         all.find(",!" + name + ",") != std::string::npos;
}

void give(Call& call, const std::string& name, const Texts& words) {
  for (const Option& option : call.options) {
    if (!hasName(option, name)) continue;
    if (bool* const* flag = std::get_if<bool*>(&option.target)) {
      **flag = !option.name.starts_with('!');
    } else if (const auto mistake = app::store(option, words)) {
      raise(makeError(base::FailureKind::kInput, "error: " + *mistake));
    }
    return;
  }
  throw py::type_error("this command has no option '" + name + "'");
}

class Caller {
 public:
  Caller(const std::string& command, const Model* model, const Words& words, py::object write)
      : pipe_(std::move(write)), errors_(&pipe_), hasBar_(!pipe_.isSilent()) {
    findCommand(command).declare(call_);
    if (model != nullptr) call_.model = model->source;
    for (const auto& [name, given] : words) give(call_, name, given);
    if (wants("--json")) call_.targets.jsonFile = json_.path();
    if (command == "run") call_.targets.csvFile = csv_.path();  // its JSON has no records
  }

  // In a thread of its own, so that this one can hear of Ctrl-C.
  Answer call() {
    std::future<void> done = std::async(std::launch::async, [this] {
      // What stops gently has results by then.
      const base::InterruptionScope scope(
          [this] { return stopRequest_ != 0 && !call_.stopsGently; });
      call_.run(console());
    });
    std::exception_ptr thrown;
    compute([&] { wait(done, thrown); });
    if (pipe_.mistake) std::rethrow_exception(pipe_.mistake);
    if (thrown) std::rethrow_exception(thrown);
    compute([&] { finish(done); });
    return {json_.read(), csv_.read(), text_.str(), pipe_.str(), stopRequest_ != 0};
  }

 private:
  bool wants(const char* target) const {
    for (const Option& option : call_.options) {
      if (hasName(option, target)) return true;
    }
    return false;
  }

  Console console() {
    return {.text = &text_,
            .errors = &errors_,
            .isTerminal = hasBar_,
            .stopRequest = &stopRequest_,
            .version = FLEXLOOP_VERSION};
  }

  void wait(const std::future<void>& done, std::exception_ptr& thrown) {
    constexpr std::chrono::milliseconds kPause{50};
    while (done.wait_for(kPause) != std::future_status::ready) {
      const py::gil_scoped_acquire locked;
      try {
        if (isInterrupted()) stopRequest_ = 1;
      } catch (...) {
        thrown = std::current_exception();
        stopRequest_ = 1;
      }
    }
  }

  // That the user has stopped it is no failure.
  void finish(std::future<void>& done) const {
    try {
      done.get();
    } catch (const base::Interrupted&) {
      return;
    } catch (const api::Failed& failed) {
      if (stopRequest_ == 0 || failed.failure().kind != base::FailureKind::kOther) throw;
    }
  }

  Call call_;
  MemoryFile json_, csv_;
  std::ostringstream text_;
  TextPipe pipe_;
  std::ostream errors_;
  bool hasBar_;
  volatile int stopRequest_ = 0;
};

py::dict callCommand(const std::string& command, const Model* model, const Words& words,
                     const py::object& write) {
  Caller caller(command, model, words, write);
  const Answer answer = caller.call();
  py::dict result;
  result["json"] = answer.json;
  result["csv"] = answer.csv;
  result["text"] = answer.text;
  result["messages"] = answer.messages;
  result["stopped"] = answer.isStopped;
  if (answer.isStopped && answer.json.empty()) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  return result;
}

// By command: name, meaning, and of each option name, value, meaning, whether it is a list, and whether it must be given.
py::list listCommands() {
  py::list all;
  for (const commands::Command& command : commands::commandList()) {
    Call call;
    command.declare(call);
    py::list options;
    for (const Option& option : call.options) {
      options.append(py::make_tuple(option.name, option.value, option.meaning, app::isList(option),
                                    option.rules.isRequired));
    }
    all.append(py::make_tuple(command.name, command.meaning, options));
  }
  return all;
}

}  // namespace

void addCommands(py::module_& module) {
  module.def("call", &callCommand, py::arg("command"), py::arg("model").none(true),
             py::arg("options"), py::arg("write"));
  module.def("commands", &listCommands);
}

}  // namespace flexloop::python
