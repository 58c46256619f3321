// What the makers of black boxes of all kinds share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "control/blocks/block_maker.hpp"
#include "control/boxes/box_runner.hpp"
#include "system/builder.hpp"
#include "system/registry.hpp"

namespace flexloop::control {

// A relative path starts at the file that names it; without a file, as from the command line, at the
// working directory.
std::string resolvePath(const system::Item& item, std::string_view key = "path");

// `isolate` and `time_limit`.
std::vector<system::Parameter> isolationParameters();
// Reads them, and warns where one has no effect.
void readIsolation(const system::Item& item, BoxSettings& settings, system::Builder& builder);

// Loads the code of a box; nothing, and a message, where that fails.
std::optional<BoxRunner> openBox(const system::Item& item, const BoxSettings& settings,
                                 system::Builder& builder);

// Adds the block. An only output has two names: that of the block, and that of its port.
void addBox(const system::Item& item, std::unique_ptr<Block> block,
            const std::vector<BlockInput>& inputs, const std::vector<std::string>& ports,
            const BlockStart& start, system::Builder& builder);

}  // namespace flexloop::control
