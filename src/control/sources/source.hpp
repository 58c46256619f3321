// Sources: signals that are functions of time (docs/theory/08_springs_loads_and_sources.md, section
// 8.5), each one element with one unknown y and the equation
//
//     (8.7)  r = y − f(t) = 0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "math/taylor.hpp"
#include "system/clock.hpp"
#include "system/element_set.hpp"

namespace flexloop::control {

// A function of time with its first two derivatives; from the right where it is not smooth.
class TimeFunction {
 public:
  virtual ~TimeFunction() = default;
  virtual math::Taylor2 at(double time) const = 0;
  // The times at which the function, its slope or its curvature jumps, and those that repeat.
  virtual std::vector<double> breaks() const { return {}; }
  virtual std::vector<system::Clock> periodicBreaks() const { return {}; }
};

// The time derivative of another function; zero where that one jumps.
class RateOf final : public TimeFunction {
 public:
  explicit RateOf(const TimeFunction& function) : function_(function) {}
  math::Taylor2 at(double time) const override {
    const math::Taylor2 f = function_.at(time);
    return {f.first, f.second, 0.0};
  }
  const TimeFunction& function() const { return function_; }

 private:
  const TimeFunction& function_;
};

class SourceSet final : public system::ElementSet {
 public:
  int add(std::string name, system::UnknownIndex signal, std::unique_ptr<TimeFunction> function);

  // The function of the source with this name; null if there is none.
  const TimeFunction* find(const std::string& name) const;
  const TimeFunction& function(int element) const { return *sources_[element].function; }

  std::string_view type() const override { return "source"; }
  int size() const override { return static_cast<int>(sources_.size()); }
  int scalars(int) const override { return 1; }
  bool usesRate() const override { return false; }
  bool usesAcceleration() const override { return false; }
  bool couples(int, int, int) const override { return true; }
  const std::string& name(int element) const override { return sources_[element].name; }
  system::UnknownIndex scalar(int element, int) const override { return sources_[element].signal; }

  void addResidual(const system::Motion& motion, const system::Environment& environment,
                   system::ResidualSums& sums) const override;
  void calcResidual(const system::Motion& motion, const system::Environment& environment,
                    int element, Eigen::VectorXd& local) const override;
  void calcTangents(const system::Motion& motion, const system::Environment& environment,
                    int element, system::Tangents& tangents) const override;
  void addTimeDerivatives(const system::Motion& motion, const system::Environment& environment,
                          system::TimeDerivatives& derivatives) const override;

 private:
  struct Source {
    std::string name;
    system::UnknownIndex signal;
    std::unique_ptr<TimeFunction> function;
  };
  std::vector<Source> sources_;
};

}  // namespace flexloop::control
