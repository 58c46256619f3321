// A struct with `eachField` as bytes that another process may store, and back: what fmi2SerializeFMUstate and its sister give. They
// belong to the FMU whose token is among them.
#pragma once

#include <stdexcept>
#include <string>

#include "base/result.hpp"
#include "results/named_numbers.hpp"

namespace flexloop::fmu {

std::string writeNamed(const std::string& token, const results::NamedNumbers& numbers);
base::Result<results::NamedNumbers> readNamed(const std::string& token, const std::string& bytes);
base::Failure describeStrangeState();

template <class T>
std::string writeNumbers(const std::string& token, const T& value) {
  return writeNamed(token, results::nameNumbers(value));
}

template <class T>
base::Result<T> readNumbers(const std::string& token, const std::string& bytes) {
  const base::Result<results::NamedNumbers> named = readNamed(token, bytes);
  if (!named) return named.failure();
  try {
    return results::readNumbers<T>(named.value());
  } catch (const std::runtime_error&) {
    return describeStrangeState();
  }
}

}  // namespace flexloop::fmu
