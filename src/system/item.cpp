#include "system/item.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace flexloop::system {
namespace {

// The reader has checked the item, so a value of another form is a mistake in the program.
[[noreturn]] void failOnForm(const char* expected) {
  throw std::logic_error(std::string("a value of the model is not ") + expected);
}

template <class T>
const T& get(const Value& value, const char* expected) {
  const T* content = std::get_if<T>(&value.data);
  if (content == nullptr) failOnForm(expected);
  return *content;
}

// The shortest text that gives the same number again: a signal may be a number where others are
// names.
std::string nameOf(const Value& value) {
  const double* number = std::get_if<double>(&value.data);
  if (number == nullptr) return get<std::string>(value, "a name");
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *number);
  return {buffer.data(), end};
}

}  // namespace

Item::Item(std::string section, std::string name, std::string type, base::Place place,
           ValueMap values)
    : section_(std::move(section)),
      name_(std::move(name)),
      type_(std::move(type)),
      place_(std::move(place)),
      values_(std::move(values)) {}

const Value* Item::find(std::string_view key) const {
  for (const auto& [name, value] : values_) {
    if (name == key) return &value;
  }
  return nullptr;
}

const Value& Item::at(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) {
    throw std::logic_error(section_ + "." + name_ + " has no value '" + std::string(key) + "'");
  }
  return *value;
}

const base::Place& Item::placeOf(std::string_view key) const {
  const Value* value = find(key);
  return value != nullptr && value->place.file != nullptr ? value->place : place_;
}

double Item::number(std::string_view key) const {
  return get<double>(at(key), "a number");
}

double Item::number(std::string_view key, double fallback) const {
  return has(key) ? number(key) : fallback;
}

int Item::integer(std::string_view key) const {
  return static_cast<int>(std::lround(number(key)));
}

bool Item::boolean(std::string_view key, bool fallback) const {
  const Value* value = find(key);
  return value != nullptr ? get<bool>(*value, "a truth value") : fallback;
}

const std::string& Item::text(std::string_view key) const {
  return get<std::string>(at(key), "a text");
}

Eigen::Vector3d Item::vector(std::string_view key) const {
  const std::vector<double> entries = numbers(key);
  if (entries.size() != 3) failOnForm("a vector");
  return {entries[0], entries[1], entries[2]};
}

std::vector<double> Item::numbers(std::string_view key) const {
  return numbersOf(at(key));
}

Eigen::MatrixXd Item::matrix(std::string_view key) const {
  const ValueList& rows = get<ValueList>(at(key), "a matrix");
  const std::size_t columns = rows.empty() ? 0 : numbersOf(rows.front()).size();
  Eigen::MatrixXd result(rows.size(), columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<double> row = numbersOf(rows[i]);
    if (row.size() != columns) failOnForm("a matrix");
    for (std::size_t j = 0; j < columns; ++j) result(i, j) = row[j];
  }
  return result;
}

std::vector<std::string> Item::names(std::string_view key) const {
  const Value& value = at(key);
  const ValueList* list = std::get_if<ValueList>(&value.data);
  if (list == nullptr) return {nameOf(value)};
  std::vector<std::string> result;
  result.reserve(list->size());
  for (const Value& entry : *list) result.push_back(nameOf(entry));
  return result;
}

std::vector<std::pair<std::string, std::string>> Item::namedSignals(std::string_view key) const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [name, value] : get<ValueMap>(at(key), "a map")) {
    result.emplace_back(name, nameOf(value));
  }
  return result;
}

Item Item::child(std::string_view key) const {
  const Value& value = at(key);
  return {section_, name_ + "." + std::string(key), {}, value.place, get<ValueMap>(value, "a map")};
}

std::vector<double> numbersOf(const Value& value) {
  if (const double* number = std::get_if<double>(&value.data)) return {*number};
  std::vector<double> result;
  const ValueList& list = get<ValueList>(value, "a list of numbers");
  result.reserve(list.size());
  for (const Value& entry : list) result.push_back(get<double>(entry, "a number"));
  return result;
}

}  // namespace flexloop::system
