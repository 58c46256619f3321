// A model about its start, linearised between ports.
#pragma once

#include <complex>
#include <string>

#include <gtest/gtest.h>

#include "analysis/balance/operating_point.hpp"
#include "analysis/linear/return_ratio.hpp"
#include "analysis/linear/state_space.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {

struct Machine {
  Machine(const std::string& text, const analysis::PortNames& names)
      : model(buildModel(text)), names_(names) {
    analysis::OperatingState found = analysis::findOperatingPoint(model, {});
    EXPECT_TRUE(found.ok()) << messageOf(found.failure);
    state = found.state;
    linear = analysis::linearize(model, state);
    ports = analysis::makePorts(model, linear, names_);
  }

  std::complex<double> response(std::complex<double> s, int output = 0, int input = 0) const {
    Eigen::MatrixXcd H;
    EXPECT_TRUE(analysis::ResponseSolver(ports).calc(s, H));
    return H(output, input);
  }

  analysis::StateSpaceResult stateSpace() const {
    return analysis::makeStateSpace(model, linear, ports);
  }

  model::Model model;
  analysis::PortNames names_;
  system::State state;
  analysis::LinearModel linear;
  analysis::LinearPorts ports;
};

}  // namespace flexloop::test
