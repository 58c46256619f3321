#include "language/convert/xml_source.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace flexloop::language {

XmlSource::XmlSource(const std::string& text, const std::string& file)
    : file_(std::make_shared<const std::string>(file)), starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts_.push_back(i + 1);
  }
  const pugi::xml_parse_result result = document_.load_buffer(text.data(), text.size());
  if (result) return;
  const auto after =
      std::upper_bound(starts_.begin(), starts_.end(), static_cast<std::size_t>(result.offset));
  std::string reason = result.description();
  throw base::InputError({file_, static_cast<int>(after - starts_.begin()), 0},
                         "this is no XML: " + reason);
}

int XmlSource::lineOf(const pugi::xml_node& node) const {
  const std::ptrdiff_t offset = node.offset_debug();
  if (offset < 0) return 0;
  const auto after =
      std::upper_bound(starts_.begin(), starts_.end(), static_cast<std::size_t>(offset));
  return static_cast<int>(after - starts_.begin());
}

std::vector<double> XmlSource::readNumbers(const pugi::xml_node& node, const char* attribute,
                                           ErrorList& errors) const {
  const std::string text = node.attribute(attribute).value();
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto isBlank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (true) {
    while (at != end && isBlank(*at)) ++at;
    if (at == end) return numbers;
    if (*at == '+') ++at;
    double number = 0.0;
    const auto [next, status] = std::from_chars(at, end, number);
    if (status != std::errc() || !std::isfinite(number) || (next != end && !isBlank(*next))) {
      errors.add(placeOf(node), std::string(node.name()) + ": " + quote(text) + " of '" +
                                    attribute + "' is not made of numbers");
      return {};
    }
    numbers.push_back(number);
    at = next;
  }
}

double XmlSource::readNumber(const pugi::xml_node& node, const char* attribute, double usual,
                             ErrorList& errors) const {
  if (node.attribute(attribute).empty()) return usual;
  const std::size_t before = errors.count();
  const std::vector<double> numbers = readNumbers(node, attribute, errors);
  if (numbers.size() == 1) return numbers[0];
  if (errors.count() == before) {
    errors.add(placeOf(node),
               std::string(node.name()) + ": '" + attribute + "' must be one number");
  }
  return usual;
}

Eigen::Vector3d XmlSource::readVector(const pugi::xml_node& node, const char* attribute,
                                      const Eigen::Vector3d& usual, ErrorList& errors) const {
  if (node.attribute(attribute).empty()) return usual;
  const std::size_t before = errors.count();
  const std::vector<double> numbers = readNumbers(node, attribute, errors);
  if (numbers.size() == 3) return {numbers[0], numbers[1], numbers[2]};
  if (errors.count() == before) {
    errors.add(placeOf(node),
               std::string(node.name()) + ": '" + attribute + "' must be three numbers");
  }
  return usual;
}

}  // namespace flexloop::language
