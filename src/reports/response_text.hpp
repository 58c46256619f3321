// Frequency responses and margins of loops, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/linear/frequency_response.hpp"
#include "analysis/linear/return_ratio.hpp"

namespace flexloop::reports {

struct ResponseReport {
  std::string title;
  double time = 0.0;  // of the state that was linearised [s]
  analysis::PortNames names;
  analysis::FrequencyResponse response;
  std::optional<analysis::ReturnRatio> loop;  // of a cut from a signal to itself
  std::string about{};  // `equilibrium` or `steady`, where the state is a balance
};

std::vector<std::string> describeResponse(const ResponseReport& report);
std::vector<std::string> describeMargins(const ResponseReport& report);

// `{"frequency_hz": […], "responses": [{"input": …, "output": …, "re": […], "im": […]}]}`, and "margins" of
// a loop that is cut.
std::string makeResponseJson(const ResponseReport& report);
void writeResponseJson(const std::string& path, const ResponseReport& report);

// A header, then one row per frequency: `frequency_hz,re(y/u),im(y/u),…`.
void writeResponseCsv(const std::string& path, const ResponseReport& report);
// `,re(y/u),im(y/u),…`, and the row of one frequency.
std::string makeResponseColumns(const analysis::PortNames& names);
void appendResponse(double frequencyHz, const Eigen::MatrixXcd& H, std::string& text);

// Magnitude and phase over frequency; of a loop that is cut, those of L = −(as computed)/(as read).
void writeResponseSvg(const std::string& path, const ResponseReport& report);

}  // namespace flexloop::reports
