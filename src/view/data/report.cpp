#include "view/data/report.hpp"

#include <algorithm>
#include <stdexcept>

#include "view/data/packing.hpp"

namespace flexloop::view {

std::size_t countReportRecords(const ResultSource& result) {
  // Fields of segments are about as large as the frames.
  const std::size_t record = 2 * (result.nodes().size() + 1) * kFrameNumbers * sizeof(float) +
                             (result.channels().size() + 1) * sizeof(double);
  return std::min(result.records(), std::max<std::size_t>(kReportBytes / record, 2));
}

std::string makeReport(std::string_view page, Session& session) {
  constexpr std::string_view kMark = "<!-- DATA -->";
  const std::size_t place = page.find(kMark);
  if (place == std::string_view::npos) throw std::logic_error("the page has no slot for data");
  std::string report(page.substr(0, place));
  for (const std::string& name : session.listNames()) {
    const std::optional<Content> content = session.find(name);
    if (!content) continue;
    report += "<script type=\"text/plain\" data-name=\"" + name + "\">" +
              (content->bytes.empty() ? std::string() : toBase64(packGzip(content->bytes))) +
              "</script>\n";
  }
  return report.append(page.substr(place + kMark.size()));
}

}  // namespace flexloop::view
