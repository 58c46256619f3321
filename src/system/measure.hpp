// Measures: quantities that are read from the motion for outputs and sensors. A measure states its
// value once, as a template on the scalar type, so that its exact time derivative and its tangents
// follow from the same lines:
//
//   struct Q {
//     static constexpr int kNodes, kScalars, kComponents;
//     template <class S> struct Parameters;
//     template <class S, class P>
//     static void calc(const Parameters<P>&, const Local<S,…>&, std::array<S, kComponents>&);
//     // and, where they make sense:
//     static constexpr int kHistory;
//     static constexpr bool kHasRate;  // false where the motion does not tell the time derivative
//     static constexpr std::array<const char*, kComponents> kNames;  // suffixes of the components
//   };
#pragma once

#include <array>
#include <string>
#include <vector>

#include "math/taylor.hpp"
#include "system/element_set.hpp"
#include "system/gather.hpp"

namespace flexloop::system {

class Builder;

// Which number of a measure becomes a signal.
struct SignalRequest {
  std::string name;
  UnknownIndex unknown;
  int component = 0;
  bool rate = false;
};

class Measure {
 public:
  virtual ~Measure() = default;
  // Suffixes of the components, such as x, y, z; one empty suffix for a scalar.
  virtual std::vector<std::string> components() const = 0;
  virtual void calcValue(const Motion& motion, double* value) const = 0;
  virtual void calcRate(const Motion& motion, double* rate) const = 0;
  // Whether calcRate is exact. An acceleration has no such rate, nor has a constraint force.
  virtual bool hasRate() const { return true; }
  // Adds the element whose equation makes the unknown equal to the measure. False where the quantity
  // can be recorded but not be an unknown.
  [[nodiscard]] virtual bool addSignal(const SignalRequest& request, Builder& builder) const = 0;
};

template <class Q>
constexpr int measureHistory() {
  if constexpr (requires { Q::kHistory; }) {
    return Q::kHistory;
  } else {
    return 0;
  }
}

template <class Q>
class MeasureOf final : public Measure {
 public:
  using Parameters = typename Q::template Parameters<double>;
  static constexpr int kHistory = measureHistory<Q>();

  MeasureOf(std::array<NodeIndex, Q::kNodes> nodes, std::array<UnknownIndex, Q::kScalars> scalars,
            int historyOffset, const Parameters& parameters)
      : nodes_(nodes), scalars_(scalars), historyOffset_(historyOffset), parameters_(parameters) {}

  // Only the component along a direction, in the axes of the vector.
  void setDirection(const math::Vec3<double>& direction) {
    direction_ = direction;
    projected_ = true;
  }

  // Only one of the components.
  void setComponent(int component) { component_ = component; }

  std::vector<std::string> components() const override {
    if (Q::kComponents == 1 || projected_ || component_ >= 0) return {""};
    if constexpr (requires { Q::kNames; }) return {Q::kNames.begin(), Q::kNames.end()};
    if (Q::kComponents == 3) return {"x", "y", "z"};
    std::vector<std::string> suffixes;
    for (int i = 1; i <= Q::kComponents; ++i) suffixes.push_back(std::to_string(i));
    return suffixes;
  }

  void calcValue(const Motion& motion, double* value) const override {
    std::array<double, Q::kComponents> components;
    Q::template calc<double, double>(parameters_, gather(motion), components);
    store(components, value);
  }

  static constexpr bool hasExactRate() {
    if constexpr (requires { Q::kHasRate; }) {
      return Q::kHasRate;
    } else {
      return true;
    }
  }
  bool hasRate() const override { return hasExactRate(); }

  bool addSignal(const SignalRequest& request, Builder& builder) const override;

  void calcRate(const Motion& motion, double* rate) const override {
    Local<math::Taylor2, Q::kNodes, Q::kScalars, kHistory> local;
    seedTime(gather(motion), local);
    std::array<math::Taylor2, Q::kComponents> components;
    Q::template calc<math::Taylor2, double>(parameters_, local, components);
    std::array<double, Q::kComponents> first;
    for (int i = 0; i < Q::kComponents; ++i) first[i] = components[i].first;
    store(first, rate);
  }

 private:
  Local<double, Q::kNodes, Q::kScalars, kHistory> gather(const Motion& motion) const {
    Local<double, Q::kNodes, Q::kScalars, kHistory> local;
    for (int k = 0; k < Q::kNodes; ++k) {
      const NodeMotion& node = motion.nodes[nodes_[k].value];
      local.frame[k] = node.frame;
      local.twist[k] = node.twist;
      local.twistRate[k] = node.twistRate;
    }
    for (int k = 0; k < Q::kScalars; ++k) {
      local.value[k] = motion.value[scalars_[k].value];
      local.rate[k] = motion.rate[scalars_[k].value];
      local.acceleration[k] = motion.acceleration[scalars_[k].value];
    }
    for (int k = 0; k < kHistory; ++k) local.history[k] = motion.history[historyOffset_ + k];
    local.time = motion.time;
    return local;
  }

  void store(const std::array<double, Q::kComponents>& components, double* to) const {
    if constexpr (Q::kComponents == 3) {
      if (projected_) {
        *to = direction_.dot(math::Vec3<double>(components[0], components[1], components[2]));
        return;
      }
    }
    if (component_ >= 0) {
      *to = components[component_];
      return;
    }
    for (int i = 0; i < Q::kComponents; ++i) to[i] = components[i];
  }

  std::array<NodeIndex, Q::kNodes> nodes_;
  std::array<UnknownIndex, Q::kScalars> scalars_;
  int historyOffset_ = 0;
  Parameters parameters_;
  math::Vec3<double> direction_ = math::Vec3<double>::Zero();
  bool projected_ = false;
  int component_ = -1;  // all
};

}  // namespace flexloop::system
