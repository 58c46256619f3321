// What `design` is asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/design/controller_design.hpp"
#include "commands/linear_request.hpp"
#include "linalg/state_space/discretization.hpp"

namespace flexloop::commands {

struct DesignRequest : LinearRequest {
  std::string method, file, name = "controller";
  std::vector<std::string> errors;
  std::vector<std::string> Q, R, W, V;  // numbers, or '= expression' of the model's parameters
  std::string W1, W2, W3;
  bool fourBlock = false;
  double factor = 1.05;
  std::string crossover, mode, sampling;  // as given, with or without a unit
  std::optional<double> crossoverHz, modeHz, sample;
  double marginDegrees = 45.0, ratio = 4.0, gain = 0.1, damping = 0.0, share = 0.05, width = 0.5;
  std::optional<double> depth;
  std::string kind = "zv", discretize = "tustin", interpolation = "spline";
  std::optional<int> order, plantOrder;
  std::vector<std::string> tune;  // NAME[=LOW:HIGH] of numbers of the model
  std::string goal = "damping", cut, upTo;
  std::optional<double> upToHz;
};

enum class DesignMethod { kLqr, kLqg, kH2, kHInfinity, kPid, kPpf, kShaper, kNotch };

std::vector<Option> designOptions(DesignRequest& request);
// Numbers with units, and what a method does not take. Throws base::InputError, also below.
DesignMethod readMethod(DesignRequest& request);
// The same of --tune.
void readTuning(DesignRequest& request);

linalg::SampleRule readRule(const DesignRequest& request);

// By name, as in model::Description.
using Parameters = std::vector<std::pair<std::string, double>>;

// Of the weights --Q, --R, --W, --V: one number for all, or one for each.
analysis::DesignWeights readWeights(const DesignRequest& request, const Parameters& parameters,
                                    Eigen::Index controls, Eigen::Index measured,
                                    Eigen::Index errors);
// NUM/DEN
analysis::WeightFunction readFunction(const char* option, const std::string& text,
                                      const Parameters& parameters);

}  // namespace flexloop::commands
