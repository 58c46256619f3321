// The properties of a time scheme, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/schemes/scheme_properties.hpp"
#include "reports/scheme_options.hpp"

namespace flexloop::reports {

// One line.
std::string nameScheme(const SchemeRequest& request);

// Of many frequencies, only some twenty are shown.
std::vector<std::string> describeScheme(const SchemeRequest& request,
                                        const analysis::SchemeProperties& properties);

// One row per frequency; what has no value is left empty.
void writeSchemeCsv(const std::string& path, const analysis::SchemeProperties& properties);

// docs/manual/scheme.md lists the entries; what has no value is null.
void writeSchemeJson(const std::string& path, const SchemeRequest& request,
                     const analysis::SchemeProperties& properties);

// The spectral radii over the frequency.
void writeSchemeSvg(const std::string& path, const SchemeRequest& request,
                    const analysis::SchemeProperties& properties);

}  // namespace flexloop::reports
