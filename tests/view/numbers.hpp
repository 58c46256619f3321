// Bytes of the viewer's data as numbers again.
#pragma once

#include <cstring>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "view/data/content.hpp"

namespace flexloop::test {

template <class Number>
std::vector<Number> numbersOf(const std::optional<view::Content>& content) {
  if (!content) {
    ADD_FAILURE() << "there is no such data";
    return {};
  }
  std::vector<Number> numbers(content->bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), content->bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

inline nlohmann::json jsonOf(const std::optional<view::Content>& content) {
  return content ? nlohmann::json::parse(content->bytes) : nlohmann::json();
}

}  // namespace flexloop::test
