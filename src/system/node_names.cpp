#include "system/node_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/nearest_word.hpp"

namespace flexloop::system {
namespace {

// A number that is the whole text.
template <class T>
std::optional<T> parseWhole(std::string_view text) {
  T value{};
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

}  // namespace

std::optional<NodeName> parseNodeName(std::string_view name) {
  // Things inside instances of assemblies have dots in their names, and so may the digits of a fraction.
  const std::size_t at = name.find('@');
  const std::size_t sign = at != std::string_view::npos ? at : name.rfind('.');
  if (sign == std::string_view::npos) return std::nullopt;
  const std::string_view part = name.substr(sign + 1);
  NodeName parsed{std::string(name.substr(0, sign)), std::string(part), name[sign] == '@', {}, {}};
  if (parsed.isPoint) {
    parsed.fraction = parseWhole<double>(part);
  } else {
    parsed.index = parseWhole<long long>(part);
  }
  return parsed;
}

std::string pointName(const std::string& beam, double fraction) {
  std::array<char, 32> digits;
  const auto [end, status] = std::to_chars(digits.data(), digits.data() + digits.size(), fraction);
  return beam + "@" + std::string(digits.data(), end);
}

NodeIndex NodeNames::find(const std::string& name) const {
  if (const auto node = nodes_.find(name); node != nodes_.end()) return node->second;
  const std::optional<NodeName> parsed = parseNodeName(name);
  if (!parsed) return {};
  if (parsed->fraction) {
    const auto node = nodes_.find(pointName(parsed->owner, *parsed->fraction));
    return node == nodes_.end() ? NodeIndex{} : node->second;
  }
  const auto range = ranges_.find(parsed->owner);
  if (range == ranges_.end() || !parsed->index) return {};
  const bool isThere = *parsed->index >= 1 && *parsed->index <= range->second.count;
  return isThere ? NodeIndex{range->second.first.value + static_cast<int>(*parsed->index) - 1}
                 : NodeIndex{};
}

std::string NodeNames::suggest(const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& [other, node] : nodes_) known.push_back(other);
  std::sort(known.begin(), known.end());
  const std::optional<std::string> nearest = base::findNearestWord(name, known);
  return nearest ? "did you mean '" + *nearest + "'?" : "";
}

}  // namespace flexloop::system
