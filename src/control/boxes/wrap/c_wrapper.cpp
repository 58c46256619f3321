#include "control/boxes/wrap/c_wrapper.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "control/boxes/wrap/wrapper_runtime.hpp"

namespace flexloop::control {
namespace {

// "controller_step" is called without arguments; anything else is a statement.
std::string statement(const std::string& text) {
  if (text.empty()) return text;
  const bool isName = std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return "  " + text + (isName ? "();\n" : ";\n");
}

std::string literal(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return result + "\"";
}

std::string setter(const WrappedPlace& to, const std::string& value) {
  const std::string scaled =
      to.factor == 1.0 ? value : fmt::format("{} * (1.0 / {:.17g})", value, to.factor);
  return fmt::format("FLEXLOOP_SET({}, {});", to.place, scaled);
}

std::string namesOf(const std::vector<WrappedPlace>& places) {
  std::string names;
  for (const WrappedPlace& place : places) names += (names.empty() ? "" : ", ") + place.name;
  return names;
}

std::string writeHead(const WrapDescription& it) {
  std::string text =
      "/* Made by 'flexloop wrap': the functions of flexloop_block.h around code in C. */\n";
  text += kWrapperBegin;
  for (const std::string& header : it.headers) {
    const bool isSystem = header.starts_with('<');
    text += "#include " + (isSystem ? header : "\"" + header + "\"") + "\n";
  }
  text += fmt::format("\n#define FLEXLOOP_NAME {}\n", literal(it.file));
  text += fmt::format("#define FLEXLOOP_OUTPUTS {}\n#define FLEXLOOP_HEAP {}\n", it.outputs.size(),
                      it.heap);
  text += kWrapperTools;
  text += kWrapperHeap;
  if (!it.declarations.empty()) text += "\n" + it.declarations + "\n";
  return text;
}

// What the model is compared with.
std::string writeFacts(const WrapDescription& it) {
  const std::string mark = "__attribute__((visibility(\"default\"))) const ";
  std::string text =
      fmt::format("\n{0}int block_input_count = {1};\n{0}int block_output_count = {2};\n", mark,
                  it.inputs.size(), it.outputs.size());
  text += fmt::format("{}char block_input_names[] = {};\n", mark, literal(namesOf(it.inputs)));
  text += fmt::format("{}char block_output_names[] = {};\n", mark, literal(namesOf(it.outputs)));
  if (it.sample > 0.0) text += fmt::format("{}double block_sample = {:.17g};\n", mark, it.sample);
  return text;
}

std::string writePorts(const WrapDescription& it) {
  std::string text =
      "\nstatic void flexloop_setInputs(const double* flexloop_u) {\n  (void)flexloop_u;\n";
  for (std::size_t k = 0; k < it.inputs.size(); ++k) {
    text += fmt::format("  {} /* {} */\n", setter(it.inputs[k], fmt::format("flexloop_u[{}]", k)),
                        it.inputs[k].name);
  }
  text += "}\n\nstatic void flexloop_getOutputs(double* flexloop_y) {\n";
  for (std::size_t k = 0; k < it.outputs.size(); ++k) {
    const WrappedPlace& from = it.outputs[k];
    text += fmt::format("  flexloop_y[{}] = (double)({})", k, from.place);
    if (from.factor != 1.0) text += fmt::format(" * {:.17g}", from.factor);
    text += fmt::format("; /* {} */\n", from.name);
  }
  text += "}\n\nstatic int flexloop_setParameter(const char* name, double value) {\n";
  for (const WrappedPlace& parameter : it.parameters) {
    text += fmt::format("  if (strcmp(name, \"{}\") == 0) {{\n    {}\n    return 1;\n  }}\n",
                        parameter.name, setter(parameter, "value"));
  }
  return text + "  (void)name;\n  (void)value;\n  return 0;\n}\n";
}

std::string writeCalls(const WrapDescription& it) {
  std::string text =
      "\nstatic void flexloop_initialize(void) {\n" + statement(it.initialize) + "}\n";
  text += "\nstatic void flexloop_terminate(void) {\n" + statement(it.terminate) + "}\n";
  text += "\nstatic const char* flexloop_findError(void) {\n  return " +
          (it.error.empty() ? "NULL" : it.error) + ";\n}\n";
  text += "\nstatic void flexloop_step(double t) {\n";
  const bool counts = std::any_of(it.steps.begin(), it.steps.end(),
                                  [](const WrappedStep& step) { return step.every > 1; });
  if (counts) text += "  static unsigned long long flexloop_calls;\n";
  text += "  (void)t;\n";
  for (const WrappedStep& step : it.steps) {
    if (step.every > 1) text += fmt::format("  if (flexloop_calls % {} == 0) {{\n", step.every);
    text += statement(step.call);
    if (step.every > 1) text += "  }\n";
  }
  if (counts) text += "  ++flexloop_calls;\n";
  return text + "}\n";
}

}  // namespace

std::string writeWrapper(const WrapDescription& description) {
  return writeHead(description) + writeFacts(description) + writePorts(description) +
         writeCalls(description) + kWrapperEnd;
}

}  // namespace flexloop::control
