#include "control/boxes/box_item.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include "control/algebra/algebra.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;

std::string resolvePath(const Item& item, std::string_view key) {
  namespace fs = std::filesystem;
  const base::Place& place = item.placeOf(key);
  const fs::path folder = place.file != nullptr ? fs::path(*place.file).parent_path() : fs::path();
  return (folder / item.text(key)).string();
}

std::vector<system::Parameter> isolationParameters() {
  system::Parameter isolate =
      system::boolean("isolate",
                      "run it in a separate process, isolated from this program; "
                      "false: trust it and call it directly, without a time limit");
  isolate.defaultText = "true";
  return {isolate, withNote(positive(system::number("time_limit", base::kTime,
                                                    "largest real time for one call")),
                            "5 s")};
}

void readIsolation(const Item& item, BoxSettings& settings, Builder& builder) {
  settings.isolate = item.boolean("isolate", true);
  settings.timeLimit = item.number("time_limit", BoxSettings{}.timeLimit);
  if (settings.isolate || !item.has("time_limit")) return;
  builder.diagnostics().addWarning(
      item.placeOf("time_limit"),
      "blocks." + item.name() + ": 'time_limit' has no effect with 'isolate: false'",
      "remove one of them: only a box in a separate process can be terminated");
}

std::optional<BoxRunner> openBox(const Item& item, const BoxSettings& settings, Builder& builder) {
  const auto box = Box::open(settings);
  if (box) return BoxRunner(box.value());
  fail(builder, item, "path", box.failure().message, box.failure().hint);
  return std::nullopt;
}

void addBox(const Item& item, std::unique_ptr<Block> block, const std::vector<BlockInput>& inputs,
            const std::vector<std::string>& ports, const BlockStart& start, Builder& builder) {
  if (ports.size() > 1) {
    return addBlock(item, std::move(block), inputs, builder, start, ports);
  }
  addBlock(item, std::move(block), inputs, builder, start);
  const std::string port = item.name() + "." + ports.front();
  BlockSet::Wiring wiring;
  wiring.inputs = {{builder.findSignal(item.name()), 1.0}};
  wiring.outputs = {builder.defineSignal(port, port)};
  builder.elementSet<BlockSet>().add(port, std::make_unique<Sum>(1), wiring);
}

}  // namespace flexloop::control
