// Shared by the makers of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/blocks/block_set.hpp"
#include "control/discontinuous/range.hpp"
#include "system/builder.hpp"

namespace flexloop::control {

// Reports a mistake at a key of a block.
void fail(system::Builder& builder, const system::Item& item, std::string_view key,
          const std::string& message, const std::string& hint = {});

// The signals that a key names: one or a list, each with a sign; a number is a constant signal.
std::vector<BlockInput> inputsOf(const system::Item& item, std::string_view key,
                                 system::Builder& builder);

// The signal of a name with a sign, or of a number.
BlockInput inputOf(const std::string& text, const base::Place& place, system::Builder& builder);

// The two `limits` of an item, if it has any; those that do not ascend are reported and give nothing.
std::optional<Range> readRange(const system::Item& item, system::Builder& builder);

// What a block starts with; what is absent is zero.
struct BlockStart {
  std::vector<double> states{}, outputs{}, memory{}, record{};
  std::vector<std::string> stateNames{};  // numbers from 1 where it is empty
};

// Makes the block's unknowns and adds it. The signal of its only output has the block's name; several
// outputs are NAME.PORT, numbered from 1 where `ports` is empty; that of an empty port is NAME.
void addBlock(const system::Item& item, std::unique_ptr<Block> block,
              const std::vector<BlockInput>& inputs, system::Builder& builder,
              const BlockStart& start = {}, const std::vector<std::string>& ports = {});

}  // namespace flexloop::control
