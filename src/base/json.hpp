// JSON values whose members stay in order, for output. Their code is compiled once, in json.cpp, instead of in every
// source that writes a report.
#pragma once

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<nlohmann::ordered_map>;
