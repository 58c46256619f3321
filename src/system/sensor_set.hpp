// All sensors that are signals. Each has the unknown y and the equation
//
//     r = y − w·q(motion)   or, for its exact rate,   r = y − w·q'(motion)                       (17.1)
//
// where w picks a component or a direction of the measure q. Each term of q is an element: the row of an energy is as
// long as the machine, and local matrices stay small. The local unknowns of an element are the nodes
// and scalars of the term, then y, which enters with the first term of the sensor.
#pragma once

#include <string>
#include <vector>

#include "system/measure.hpp"

namespace flexloop::system {

// Which number of a measure becomes a signal.
struct SignalRequest {
  std::string name;
  UnknownIndex unknown;
  int component = 0;
  bool rate = false;
};

class SensorSet final : public ElementSet {
 public:
  // The measure must live as long as the set. Whoever asks for a rate has made sure that there is one.
  void add(const SignalRequest& request, const Measure& measure);

  std::string_view type() const override { return "sensor"; }
  int size() const override { return static_cast<int>(elements_.size()); }
  const std::string& name(int element) const override { return sensorOf(element).name; }
  int nodes(int element) const override {
    return static_cast<int>(elements_[element].term.nodes.size());
  }
  int scalars(int element) const override {
    return static_cast<int>(elements_[element].term.scalars.size()) + 1;
  }
  NodeIndex node(int element, int k) const override { return elements_[element].term.nodes[k]; }
  UnknownIndex scalar(int element, int k) const override;
  bool usesRate() const override { return true; }
  bool usesAcceleration() const override { return true; }
  // The machine does not feel that it is measured.
  bool couples(int element, int row, int) const override {
    return row == nodes(element) + scalars(element) - 1;
  }

  void addResidual(const Motion& motion, const Environment& environment,
                   ResidualSums& sums) const override;
  void calcResidual(const Motion& motion, const Environment& environment, int element,
                    Eigen::VectorXd& local) const override;
  void calcTangents(const Motion& motion, const Environment& environment, int element,
                    Tangents& tangents) const override;
  void addTimeDerivatives(const Motion& motion, const Environment& environment,
                          TimeDerivatives& derivatives) const override;

 private:
  struct Sensor {
    std::string name;
    UnknownIndex signal;
    const Measure* measure;
    std::vector<double> weights;
    bool rate;
  };
  struct Element {
    int sensor;
    bool isFirst;
    Measure::Term term;
  };
  const Sensor& sensorOf(int element) const { return sensors_[elements_[element].sensor]; }
  // w·q of a term with its three time derivatives.
  std::array<double, 4> calcAlong(const Motion& motion, const Environment& environment,
                                  const Element& element) const;

  std::vector<Sensor> sensors_;
  std::vector<Element> elements_;
};

}  // namespace flexloop::system
