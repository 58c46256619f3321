// Measures: quantities q that are read from the motion, for outputs and for sensors. A measure gives its value, its
// exact rate, and, for sensors, its partial derivatives. measure_of.hpp makes all of them from one formula.
#pragma once

#include <string>
#include <vector>

#include "system/element_set.hpp"

namespace flexloop::math {
struct Jet;
}

namespace flexloop::system {

struct JetSeeds;  // jet_view.hpp

class Measure {
 public:
  static constexpr int kMostComponents = 6;

  // Suffixes of the components, such as x, y, z; one empty suffix for a scalar.
  explicit Measure(std::vector<std::string> names) : names_(std::move(names)) {}
  virtual ~Measure() = default;
  Measure(const Measure&) = delete;
  Measure& operator=(const Measure&) = delete;

  // Only the component along a direction, in the axes of the vector; or only one of the components.
  void setDirection(const math::Vec3<double>& direction);
  void setComponent(int component);

  // The suffixes of what is left.
  std::vector<std::string> components() const;
  void calcValue(const Motion& motion, double* value) const;
  void calcRate(const Motion& motion, double* rate) const;

  // Whether there is an exact rate. An acceleration has none, nor has a constraint force.
  virtual bool hasRate() const { return true; }
  // False where the quantity can be recorded but not be an unknown.
  virtual bool canBeSignal() const { return true; }

  // The weights w of a component in w·q.
  std::vector<double> weights(int component) const;

  // A share of q that depends on few nodes and unknowns. Most measures are one term; an energy has one for
  // each element. What `part` and `element` mean is the measure's own business.
  struct Term {
    std::vector<NodeIndex> nodes;
    std::vector<UnknownIndex> scalars;
    int part = 0, element = 0;
  };
  virtual std::vector<Term> terms() const = 0;

  // q with all its components, or its rate.
  virtual void calc(const Motion& motion, const Environment& environment, bool rate,
                    double* q) const = 0;
  // One term with its derivatives in time and by its local freedoms.
  virtual void calcJets(const Motion& motion, const Environment& environment, const Term& term,
                        const JetSeeds& seeds, math::Jet* q) const = 0;
  // Subtracts the gradient of w·q, or of w·q', of one term from the last row of the tangents, whose columns are the
  // local freedoms of the term and one more.
  virtual void subtractGradient(const Motion& motion, const Environment& environment,
                                const Term& term, const std::vector<double>& weights, bool rate,
                                Tangents& tangents) const;

 protected:
  int size() const { return static_cast<int>(names_.size()); }

 private:
  void store(const double* q, double* to) const;

  std::vector<std::string> names_;
  std::vector<double> weights_;  // empty: all components
};

}  // namespace flexloop::system
