// What texts and files of all sweeps have in common.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "study/sweep_axis.hpp"

namespace flexloop::reports {

// `ki = 80, kd = 2`
std::string settingsText(const study::Settings& settings);
std::string stopText(std::size_t done);

nlohmann::ordered_json makeAxesJson(const std::vector<study::SweepAxis>& axes);
// "parameters", "ok" and where it failed "message".
nlohmann::ordered_json startPoint(const study::Settings& settings,
                                  const std::optional<base::Failure>& failure);

// Columns of CSV, each with its comma.
std::string startHeader(const std::vector<study::SweepAxis>& axes);
void appendSettings(const study::Settings& settings, std::string& text);
// A message may have commas and quotes.
std::string quoteForCsv(const std::string& text);

}  // namespace flexloop::reports
