// Slopes of what can only be called, in whatever units it counts (docs/theory/16_sampled_blocks.md, section 16.5).
//
// How far an argument may be changed depends on its size, which nobody knows: it may be zero, and its unit is that of somebody
// else. So the step of a central difference is the longest with which one 2¹⁰ times shorter agrees, up to round-off.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

namespace flexloop::control {

// The results at an argument; they may be no numbers.
using Response = std::function<void(double argument, std::span<double> results)>;

struct Slopes {
  std::vector<double> values;  // by result
  double size = 1.0;           // of the argument: 2¹⁰ times the shortest step that was taken
  bool areSure = true;         // false: no step agrees with a shorter one
};

Slopes calcSlopes(double at, std::size_t results, const Response& respond);

// The same for results that are better asked for together with others:
//
//   while (!search.wanted().empty()) { … search.give(results at the wanted arguments); }
//
// What the search does next depends on the results so far. It is run again from its beginning with all that is
// known until it wants what is not.
class SlopeSearch {
 public:
  SlopeSearch(double at, std::size_t results);

  // Arguments at which results are needed next; none: the slopes are known.
  std::span<const double> wanted() const { return wanted_; }
  // The results at the wanted arguments, one behind the other.
  void give(std::span<const double> results);
  // Results at an argument that may be wanted later, such as the middle.
  void know(double argument, std::span<const double> results);
  const Slopes& slopes() const { return found_; }

 private:
  struct Quotient {
    double step = 0.0;
    std::vector<double> slopes, noise;
    std::vector<double> ends;  // the results themselves, the larger of both
  };

  static bool agree(const Quotient& a, const Quotient& b, std::size_t i);
  static bool isClear(const Quotient& q, std::size_t i);
  static bool isSeen(const Quotient& q, std::size_t i);
  static bool isAllClear(const Quotient& q);
  static bool isAnySeen(const Quotient& q);

  void search();
  bool hasAll(std::initializer_list<double> arguments);
  std::span<const double> resultsAt(double argument) const;
  bool isStep(double step) const;
  bool calc(double step, Quotient& quotient);
  bool settleByShorter(const Quotient& first);
  void settleByLonger(const Quotient& first);
  bool isOneSided(const Quotient& q) const;

  double at_;
  std::size_t results_;
  std::vector<double> wanted_;
  std::vector<double> arguments_, known_;  // all that was given
  Slopes found_;
};

}  // namespace flexloop::control
