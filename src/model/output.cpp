#include "model/output.hpp"

#include <utility>

namespace flexloop::model {

void Outputs::add(Output output) {
  names_.insert(names_.end(), output.names.begin(), output.names.end());
  units_.insert(units_.end(), output.names.size(), output.unit);
  outputs_.push_back(std::move(output));
}

void Outputs::calc(const system::Motion& motion, std::vector<double>& values) const {
  values.clear();
  std::vector<double> components;
  for (const Output& output : outputs_) {
    if (output.measure == nullptr) {
      values.push_back(motion.value[output.signal.value]);
      continue;
    }
    components.resize(output.measure->components().size());
    if (output.rate) {
      output.measure->calcRate(motion, components.data());
    } else {
      output.measure->calcValue(motion, components.data());
    }
    if (output.component >= 0) {
      values.push_back(components[output.component]);
    } else {
      values.insert(values.end(), components.begin(), components.end());
    }
  }
}

}  // namespace flexloop::model
