// What the page is given: pieces of data by name, whatever they come from (viewer/README.md).
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace flexloop::view {

struct Content {
  std::string bytes;
  std::string type = "application/octet-stream";
};

inline constexpr const char* kJsonType = "application/json; charset=utf-8";

class ContentSource {
 public:
  virtual ~ContentSource() = default;
  // Nothing if there is none of this name. Throws std::exception where it cannot be had.
  virtual std::optional<Content> find(const std::string& name) = 0;
};

// Numbers as bytes, little-endian.
template <class Number>
std::string toBytes(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

inline std::string toFloatBytes(const std::vector<double>& numbers) {
  std::string bytes(numbers.size() * sizeof(float), '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<float>(numbers[i]);
    std::memcpy(bytes.data() + i * sizeof(float), &number, sizeof(float));
  }
  return bytes;
}

}  // namespace flexloop::view
