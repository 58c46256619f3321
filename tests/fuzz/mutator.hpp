// Changes bytes at random: the same seed, the same changes.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace flexloop::fuzz {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  // One of the samples, changed once to a few times.
  std::string make(const std::vector<std::string>& samples);

 private:
  void change(std::string& bytes, const std::vector<std::string>& samples);
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  void setNumber(std::string& bytes);
  void setDigits(std::string& bytes);
  void copyWithin(std::string& bytes);
  void insertFrom(const std::string& other, std::string& bytes);

  std::mt19937_64 random_;
};

}  // namespace flexloop::fuzz
