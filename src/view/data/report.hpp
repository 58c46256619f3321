// The page with all its data inside.
#pragma once

#include <string>
#include <string_view>

#include "view/data/session.hpp"

namespace flexloop::view {

// Bytes of frames and channels, before they are compressed, up to which a report holds every record.
inline constexpr std::size_t kReportBytes = std::size_t{32} << 20;

// How many records of a result fit.
std::size_t countReportRecords(const ResultSource& result);

// The page has the mark `<!-- DATA -->` where its data goes.
std::string makeReport(std::string_view page, Session& session);

}  // namespace flexloop::view
