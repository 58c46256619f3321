// Designed controllers, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/design/control_loop.hpp"
#include "analysis/design/controller_design.hpp"
#include "linalg/state_space/system_norms.hpp"

namespace flexloop::reports {

// The loop with all states of the machine, those that the design did not know included.
struct LoopReport {
  std::optional<double> sample;  // [s]
  std::vector<std::complex<double>> roots;
  bool isStable = true;
  std::optional<linalg::PeakGain> sensitivity;  // max |1/(1 + L)| at the measured outputs
  std::vector<analysis::LoopMargins> margins;   // by control input
  std::vector<analysis::ModeChange> spillover;
  std::vector<analysis::StepFigures> steps;
  std::vector<analysis::StepFigures> stepsBefore;  // without the controller, where they exist
};

// The controller with fewer states.
struct ReductionReport {
  int before = 0, after = 0;
  double bound = 0.0;  // of the change of its response
  std::optional<double>
      value;  // what was minimised; nothing where the loop of the design is unstable
};

struct DesignReport {
  std::string method;
  std::vector<std::string> inputs, outputs, errors;
  int plantStates = 0;  // of the design
  std::optional<analysis::StateFeedback> feedback;
  std::optional<analysis::PidGains> pid;
  std::optional<analysis::PositionFeedback> filter;
  std::optional<analysis::Notch> notch;
  std::optional<analysis::Shaper> shaper;
  std::optional<double> value, optimum;  // what was minimised, and the least that it can be
  std::optional<ReductionReport> reduction;
  std::optional<linalg::StateMatrices> controller;  // in time, also of a sampled one
  std::optional<LoopReport> loop;
  std::string block;  // text of the model
};

std::vector<std::string> describeDesign(const DesignReport& report);
std::string makeDesignJson(const DesignReport& report);
// A chart for each answer of an output to a step.
void writeDesignSvg(const std::string& path, const DesignReport& report);

// Names of what goes in and comes out of the closed loop.
std::string nameStepInput(const DesignReport& report, int input);
std::string nameStepOutput(const DesignReport& report, int output);

}  // namespace flexloop::reports
