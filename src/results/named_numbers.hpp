// A struct as a list of named numbers, and back. Structs name their members by `eachField`, and by these names they are
// written, read and compared. A list of structs has one name, and one row of numbers for each.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "base/number_reader.hpp"
#include "math/se3.hpp"

namespace flexloop::results {

struct NamedNumbers {
  std::vector<std::string> names;
  std::vector<double> sizes;  // how many numbers each name has
  std::vector<double> numbers;

  bool operator==(const NamedNumbers&) const = default;
};

template <class T>
concept HasFields = requires(T& t) {
  T::eachField(t, [](const char*, auto&) {});
};

// Of anything but numbers.
template <class T>
concept IsArray = requires {
  std::tuple_size<T>::value;
  requires !std::is_arithmetic_v<typename T::value_type>;
};

// Numbers of one name behind each other.
class NumberWriter {
 public:
  explicit NumberWriter(std::vector<double>& target) : target_(target) {}

  void operator()(double x) { target_.push_back(x); }
  template <std::integral T>
  void operator()(T x) {
    target_.push_back(static_cast<double>(x));
  }
  void operator()(std::span<const double> list) {
    target_.insert(target_.end(), list.begin(), list.end());
  }
  template <class T, int N, int M>
  void operator()(const Eigen::Matrix<T, N, M>& x) {
    target_.insert(target_.end(), x.data(), x.data() + x.size());
  }
  void operator()(const math::Frame<double>& frame) {
    (*this)(frame.R);
    (*this)(frame.x);
  }
  template <HasFields T>
  void operator()(const T& row) {
    T::eachField(row, [this](const char*, const auto& member) { (*this)(member); });
  }
  template <class T>
  void operator()(const std::vector<T>& rows) {
    for (const T& row : rows) (*this)(row);
  }
  // Their lengths first.
  void operator()(const std::vector<std::vector<double>>& lists) {
    (*this)(lists.size());
    for (const auto& list : lists) (*this)(list.size());
    for (const auto& list : lists) (*this)(std::span(list));
  }

 private:
  std::vector<double>& target_;
};

// Everything throws std::runtime_error where it does not fit.
class FieldReader {
 public:
  explicit FieldReader(std::span<const double> numbers) : numbers_(numbers) {}

  void operator()(double& x) { x = numbers_.take(); }
  void operator()(bool& x) { x = numbers_.takeFlag(); }
  template <std::integral T>
  void operator()(T& x) {
    constexpr std::int64_t kExact = std::int64_t{1} << 52;  // more is no whole number of its own
    constexpr std::int64_t kMost = std::min<std::int64_t>(std::numeric_limits<T>::max(), kExact);
    x = static_cast<T>(numbers_.takeWhole(-kMost, kMost));
  }
  template <std::size_t N>
  void operator()(std::array<double, N>& list) {
    numbers_.take(list);
  }
  template <class T, int N, int M>
  void operator()(Eigen::Matrix<T, N, M>& x) {
    if constexpr (N == Eigen::Dynamic) x.resize(static_cast<Eigen::Index>(numbers_.left()));
    numbers_.take({x.data(), static_cast<std::size_t>(x.size())});
  }
  void operator()(math::Frame<double>& frame) {
    (*this)(frame.R);
    (*this)(frame.x);
  }
  template <HasFields T>
  void operator()(T& row) {
    T::eachField(row, [this](const char*, auto& member) { (*this)(member); });
  }
  template <class T>
  void operator()(std::vector<T>& rows) {
    while (numbers_.left() > 0) (*this)(rows.emplace_back());
  }
  void operator()(std::vector<std::vector<double>>& lists) {
    const auto most = static_cast<std::int64_t>(numbers_.left());
    lists.resize(static_cast<std::size_t>(numbers_.takeWhole(0, most)));
    std::vector<std::size_t> sizes(std::min(lists.size(), numbers_.left()));
    for (std::size_t& size : sizes) size = static_cast<std::size_t>(numbers_.takeWhole(0, most));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      lists[i].resize(std::min(sizes[i], numbers_.left() + 1));
      numbers_.take(lists[i]);
    }
  }
  void end() const {
    if (!numbers_.isDone()) throw std::runtime_error("a part of it is not whole");
  }

 private:
  base::NumberReader numbers_;
};

// Calls visit(name, member) for everything that has a name of its own.
template <class T, class Visit>
void eachNamed(const std::string& name, T& value, const Visit& visit) {
  if constexpr (HasFields<std::remove_const_t<T>>) {
    const std::string before = name.empty() ? "" : name + ".";
    std::remove_const_t<T>::eachField(
        value, [&](const char* member, auto& of) { eachNamed(before + member, of, visit); });
  } else if constexpr (IsArray<std::remove_const_t<T>>) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      eachNamed(name + "." + std::to_string(i), value[i], visit);
    }
  } else {
    visit(name, value);
  }
}

template <HasFields T>
NamedNumbers nameNumbers(const T& value) {
  NamedNumbers result;
  NumberWriter write(result.numbers);
  eachNamed("", value, [&](const std::string& name, const auto& member) {
    const std::size_t before = result.numbers.size();
    write(member);
    result.names.push_back(name);
    result.sizes.push_back(static_cast<double>(result.numbers.size() - before));
  });
  return result;
}

template <HasFields T>
T readNumbers(const NamedNumbers& from) {
  T value;
  std::size_t index = 0;
  std::span<const double> left(from.numbers);
  base::NumberReader sizes(from.sizes);
  eachNamed("", value, [&](const std::string& name, auto& member) {
    const bool isNext = index < from.names.size() && from.names[index] == name;
    const auto size = static_cast<std::size_t>(sizes.takeWhole(0, std::ssize(left)));
    if (!isNext || !sizes.ok()) throw std::runtime_error("'" + name + "' is missing");
    FieldReader read(left.first(size));
    read(member);
    read.end();
    left = left.subspan(size);
    ++index;
  });
  if (index != from.names.size() || !sizes.isDone() || !left.empty()) {
    throw std::runtime_error("it has parts that are not known");
  }
  return value;
}

}  // namespace flexloop::results
